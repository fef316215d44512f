import { fault, isObject, mustBe, noOthers, optionsOf, show } from './assert.js';
import { sharedInRealm } from './realm.js';

/** Whether a failure is worth another attempt; `retryAfterMs` is the wait that the server demands, finite and >= 0 (anything else is no hint). */
export type Verdict = 'transient' | 'permanent' | { readonly verdict: 'transient'; readonly retryAfterMs: number };

// Brands and not classes, so that they hold across copies of this library and across realms.
export const TRANSIENT: unique symbol = /* @__PURE__ */ Symbol.for('retry-policy.transient');
export const PERMANENT: unique symbol = /* @__PURE__ */ Symbol.for('retry-policy.permanent');

/**
 * Marks an error as transient without writing on it (it may be frozen); for errors whose class is not one's own. All copies of this
 * library in a realm know the mark; another realm does not.
 *
 * The permanent mark wins over this one, and stays. A new hint replaces the one before; without one, that stays.
 *
 * @param options  `retryAfterMs`: the wait that the server demands, in milliseconds, finite, >= 0
 * @returns the error itself
 * @throws {TypeError} if `error` is no object (a string cannot bear a mark), `retryAfterMs` is no number, or a name is unknown
 * @throws {RangeError} if `retryAfterMs` is negative or not finite
 * @example
 * const error = markTransient(new Error('lock wait timeout'), { retryAfterMs: 200 })
 * isTransient(error) // => true
 */
export function markTransient<E extends object>(error: E, options?: { readonly retryAfterMs?: number | undefined }): E {
  const { retryAfterMs, ...others } = optionsOf(options);
  noOthers(others, 'retryAfterMs');
  if (retryAfterMs === undefined) return mark(error, 'transient');
  mustBe('retryAfterMs', retryAfterMs);
  return mark(error, { verdict: 'transient', retryAfterMs });
}

/**
 * Marks an error as permanent without writing on it; for errors that a classifier, or a transient mark, would have repeated.
 *
 * @returns the error itself
 * @throws {TypeError} if `error` is no object
 * @example
 * isTransient(markPermanent(new TransientFailure('quota of the month is used up'))) // => false
 */
export function markPermanent<E extends object>(error: E): E {
  return mark(error, 'permanent');
}

/**
 * Whether `error` bears the transient mark: it is a {@link TransientFailure}, carries its brand
 * (`Symbol.for('retry-policy.transient')`: `true` or `{ retryAfterMs }`), or went through {@link markTransient}. Where both marks
 * stand, permanent wins. Looks at `error` alone and not along its `cause`; never throws.
 *
 * @example
 * isTransient(new TransientFailure()) // => true
 * isTransient({ [Symbol.for('retry-policy.transient')]: true }) // => true
 * isTransient(new Error('unmarked', { cause: new TransientFailure() })) // => false
 */
export function isTransient(error: unknown): boolean {
  const verdict = markOf(error);
  return verdict !== undefined && verdict !== 'permanent';
}

/** The verdict that `error` bears about itself, if it bears one. */
export function markOf(error: unknown): Verdict | undefined {
  const mark = isObject(error) ? marks().get(error) : undefined;
  if (mark === 'permanent' || readSafely(error, PERMANENT) === true) return 'permanent';
  if (isObject(mark)) return mark;
  const brand = readSafely(error, TRANSIENT);
  const retryAfterMs = readSafely(brand, 'retryAfterMs');
  if (isHint(retryAfterMs)) return { verdict: 'transient', retryAfterMs };
  return brand === true || isObject(brand) ? 'transient' : mark;
}

/** A wait that a server can have meant. */
export const isHint = (value: unknown): value is number => fault('', value) === undefined;

/** Reads a property of anything that can be thrown; a getter or a Proxy trap that throws counts as no property. */
export function readSafely(value: unknown, key: PropertyKey): unknown {
  try {
    return (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  } catch {
    return undefined;
  }
}

/** The marks that were given from outside. */
const marks: () => WeakMap<object, Verdict> = /* @__PURE__ */ sharedInRealm(
  /* @__PURE__ */ Symbol.for('retry-policy.marks'),
  () => new WeakMap(),
);

function mark<E extends object>(error: E, verdict: Verdict): E {
  if (!isObject(error)) throw new TypeError(`error must be an object to bear a mark, got ${show(error)}`);
  const all = marks();
  const known = all.get(error);
  if (known === undefined || verdict === 'permanent' || (known !== 'permanent' && verdict !== 'transient')) all.set(error, verdict);
  return error;
}

/** Puts a brand on one of this library's own errors, where nobody sees it. */
export function brand(error: Error, brand: symbol, get: () => unknown = () => true): void {
  Object.defineProperty(error, brand, { get });
}
