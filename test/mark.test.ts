import { runInNewContext } from 'node:vm';
import {
  AttemptTimeout,
  DeadLetterError,
  isAttemptTimeout,
  isDeadLetterError,
  isRetryHookError,
  isTransient,
  markedFailures,
  markPermanent,
  markTransient,
  RetryHookError,
  TransientFailure,
} from 'retry-policy';
import { afterEach, describe, expect, it, vi } from 'vitest';

const TRANSIENT = Symbol.for('retry-policy.transient');
const PERMANENT = Symbol.for('retry-policy.permanent');
const MARKS = Symbol.for('retry-policy.marks');

const branded = (brand: unknown) => ({ [TRANSIENT]: brand });
const hinted = (retryAfterMs: unknown) => ({ verdict: 'transient', retryAfterMs });
const deadLetter = () => new DeadLetterError({ error: new Error('lost'), reason: 'permanent', log: [], attempts: 1 });
const refuse = () => {
  throw new Error('hands off');
};
const untouchable = <T extends object>(target: T): T =>
  new Proxy(target, { get: refuse, has: refuse, set: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse });
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** What an application has that depends on two versions of the library, or loads both its ESM and its CJS build. */
const anotherCopy = () => {
  vi.resetModules();
  return import('retry-policy');
};

class OwnError extends Error {
  get [TRANSIENT]() {
    return { retryAfterMs: 70 };
  }
}

describe('a mark', () => {
  it.each<[string, unknown, unknown]>([
    ['a TransientFailure is transient', new TransientFailure(), 'transient'],
    ['a TransientFailure brings its hint', new TransientFailure('busy', { retryAfterMs: 50 }), hinted(50)],
    ['a hint of 0 is a hint', new TransientFailure('busy', { retryAfterMs: 0 }), hinted(0)],
    ['an AttemptTimeout is transient', new AttemptTimeout('attempt', 10), 'transient'],
    ['a DeadLetterError is permanent', deadLetter(), 'permanent'],
    ['a RetryHookError is permanent', new RetryHookError('delay', 'boom'), 'permanent'],
    ['the brand on an object counts', branded(true), 'transient'],
    ['the brand may bring a hint', branded({ retryAfterMs: 1.5 }), hinted(1.5)],
    ['the brand may be an object without a hint', branded({}), 'transient'],
    ['the brand counts on the prototype of an own class', new OwnError(), hinted(70)],
    ['the brand counts on a function', Object.assign(() => {}, branded(true)), 'transient'],
    ['the brand counts on an object without a prototype', Object.assign(Object.create(null), branded(true)), 'transient'],
    ['the opposite brand is permanent', { [PERMANENT]: true }, 'permanent'],
    ['permanent wins where both brands stand', { ...branded({ retryAfterMs: 5 }), [PERMANENT]: true }, 'permanent'],
    ['a brand that is switched off is none', branded(false), undefined],
    ['a brand that is no brand is none', branded('true'), undefined],
    ['the opposite brand must be true', { [PERMANENT]: 'no' }, undefined],
    ['an error without a mark has no verdict', new Error('404'), undefined],
    ['a cause says nothing of the error', new Error('outer', { cause: new TransientFailure() }), undefined],
    ['a permanent cause says nothing of the error', new TransientFailure('outer', { cause: deadLetter() }), 'transient'],
    ['a brand whose getter throws is none', Object.defineProperty({}, TRANSIENT, { get: refuse }), undefined],
    ['a hint whose getter throws is none', branded(untouchable({})), 'transient'],
    ['a Proxy whose traps throw has none', untouchable({}), undefined],
    ['a revoked Proxy has none', revoked(), undefined],
    ...['text', 42, 5n, true, Symbol('s'), null, undefined].map((thrown): [string, unknown, unknown] => [
      `${String(thrown)} has none`,
      thrown,
      undefined,
    ]),
  ])('%s', (_, error, verdict) => {
    expect(markedFailures(error)).toEqual(verdict);
    expect(isTransient(error)).toBe(verdict !== undefined && verdict !== 'permanent');
  });

  it.each([-1, -0.1, Number.NaN, Infinity, -Infinity, '5', 5n, null, {}])('is transient without a hint where its brand says %s', (hint) => {
    expect(markedFailures(branded({ retryAfterMs: hint }))).toBe('transient');
  });
});

describe('markTransient and markPermanent', () => {
  it.each<[string, object]>([
    ['an error', new Error('busy')],
    ['a frozen error', Object.freeze(new Error('busy'))],
    ['a function', () => {}],
    ['a Proxy whose traps throw', untouchable(new Error('busy'))],
    ['a revoked Proxy', revoked()],
  ])('mark %s and return it', (_, error) => {
    // `toBe` would look into a Proxy to print it.
    expect(markTransient(error) === error).toBe(true);
    expect(markedFailures(error)).toBe('transient');
    expect(markPermanent(error) === error).toBe(true);
    expect(markedFailures(error)).toBe('permanent');
  });

  it('leave no trace on the object', () => {
    const error = new Error('busy');
    const before = Reflect.ownKeys(error);
    markPermanent(markTransient(error, { retryAfterMs: 5 }));
    expect(Reflect.ownKeys(error)).toEqual(before);
    expect(TRANSIENT in error).toBe(false);
    expect(PERMANENT in error).toBe(false);
  });

  it('keep the hint, and replace it only by another one', () => {
    const error = new Error('busy');
    expect(markedFailures(markTransient(error, { retryAfterMs: 200 }))).toEqual(hinted(200));
    expect(markedFailures(markTransient(error, { retryAfterMs: 0.5 }))).toEqual(hinted(0.5));
    expect(markedFailures(markTransient(error))).toEqual(hinted(0.5));
    expect(markedFailures(markTransient(new TransientFailure('busy', { retryAfterMs: 70 })))).toEqual(hinted(70));
  });

  it('let permanent win, whichever came first and however it was marked', () => {
    expect(markedFailures(markTransient(markPermanent(new Error('quota')), { retryAfterMs: 5 }))).toBe('permanent');
    expect(markedFailures(markPermanent(new TransientFailure('quota')))).toBe('permanent');
    expect(markedFailures(markTransient(deadLetter()))).toBe('permanent');
  });

  it.each(['text', 42, Symbol('s'), null, undefined])('refuse %s, which cannot bear a mark', (thrown) => {
    const refusal = new TypeError(`error must be an object to bear a mark, got ${typeof thrown === 'string' ? '"text"' : String(thrown)}`);
    expect(() => markTransient(thrown as never)).toThrow(refusal);
    expect(() => markPermanent(thrown as never)).toThrow(refusal);
  });

  it.each<[unknown, ErrorConstructor]>([
    [-1, RangeError],
    [Number.NaN, RangeError],
    [Infinity, RangeError],
    ['5', TypeError],
    [null, TypeError],
  ])('refuse a hint of %s, as TransientFailure does, and leave the error unmarked', (hint, Fault) => {
    const error = new Error('busy');
    const options = { retryAfterMs: hint as number };
    const refusal = new Fault(`retryAfterMs must be a finite number >= 0, got ${hint === '5' ? '"5"' : hint}`);
    expect(() => markTransient(error, options)).toThrow(refusal);
    expect(() => new TransientFailure('busy', options)).toThrow(refusal);
    expect(markedFailures(error)).toBeUndefined();
  });

  it('refuse options that nobody knows', () => {
    const options = { retryAfter: 5 } as object;
    expect(() => markTransient(new Error('busy'), options)).toThrow(TypeError);
    expect(() => markTransient(new Error('busy'), options)).toThrow('retryAfter');
    expect(() => new TransientFailure('busy', options)).toThrow(TypeError);
    expect(() => new TransientFailure('busy', options)).toThrow('retryAfter');
  });
});

describe('across copies and realms', () => {
  const original = Object.getOwnPropertyDescriptor(globalThis, MARKS);

  afterEach(() => {
    Reflect.deleteProperty(globalThis, MARKS);
    if (original !== undefined) Object.defineProperty(globalThis, MARKS, original);
  });

  it('every copy sees the marks that another has given', async () => {
    const copy = await anotherCopy();
    expect(copy.TransientFailure).not.toBe(TransientFailure);
    const [mine, theirs, final] = [new Error('mine'), new Error('theirs'), markPermanent(new Error('final'))];
    markTransient(mine, { retryAfterMs: 7 });
    copy.markTransient(theirs);
    copy.markTransient(final);
    expect(copy.markedFailures(mine)).toEqual(hinted(7));
    expect(markedFailures(theirs)).toBe('transient');
    expect(markedFailures(final)).toBe('permanent');
  });

  it('the marks live in a WeakMap that is made when it is first asked for, and not by an import', async () => {
    Reflect.deleteProperty(globalThis, MARKS);
    const copy = await anotherCopy();
    const error = new Error('busy');
    expect(MARKS in globalThis).toBe(false);
    expect(copy.isTransient(error)).toBe(false);
    copy.markPermanent(error);
    const marks = Reflect.get(globalThis, MARKS) as WeakMap<object, unknown>;
    expect(marks).toBeInstanceOf(WeakMap);
    expect(marks.get(error)).toBe('permanent');
  });

  it('takes up the map of a copy that was there first', async () => {
    const error = new Error('busy');
    Object.defineProperty(globalThis, MARKS, { value: new WeakMap([[error, 'transient']]), configurable: true });
    const copy = await anotherCopy();
    expect(copy.markedFailures(error)).toBe('transient');
  });

  it('a realm that takes no new globals leaves each copy with its own marks', async () => {
    Reflect.deleteProperty(globalThis, MARKS);
    const refuses = vi.spyOn(Reflect, 'defineProperty').mockReturnValue(false);
    const copy = await anotherCopy();
    const error = copy.markTransient(new Error('busy'));
    expect(refuses).toHaveBeenCalledTimes(1);
    refuses.mockRestore();
    expect(copy.isTransient(error)).toBe(true);
    expect(isTransient(error)).toBe(false);
  });

  it('the guards know the errors of every copy', async () => {
    const copy = await anotherCopy();
    const timeout = new copy.AttemptTimeout('budget', 5);
    const end = new copy.DeadLetterError({ error: 1, reason: 'aborted', log: [], attempts: 0 });
    const fault = new copy.RetryHookError('clock', 'boom');
    const errors: unknown[] = [timeout, end, fault, new copy.TransientFailure(), new Error('x'), null, 'text', revoked()];
    expect(errors.map(isAttemptTimeout)).toEqual([true, false, false, false, false, false, false, false]);
    expect(errors.map(isDeadLetterError)).toEqual([false, true, false, false, false, false, false, false]);
    expect(errors.map(isRetryHookError)).toEqual([false, false, true, false, false, false, false, false]);
    expect(errors.map(isTransient)).toEqual([true, false, false, true, false, false, false, false]);
  });

  it('errors of another realm bear brands and marks', () => {
    const [brandedThere, plain] = runInNewContext(
      `[Object.assign(new Error('503'), { [Symbol.for('retry-policy.transient')]: { retryAfterMs: 9 } }), new Error('404')]`,
    );
    expect(plain).not.toBeInstanceOf(Error);
    expect(markedFailures(brandedThere)).toEqual(hinted(9));
    expect(markedFailures(plain)).toBeUndefined();
    expect(markedFailures(markTransient(plain))).toBe('transient');
  });
});
