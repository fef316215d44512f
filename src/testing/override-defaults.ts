import { aFunction } from '../assert.js';
import type { Clock } from '../clock.js';
import type { RandomSource } from '../jitter.js';
import { Faults, type Rules } from '../options.js';
import { type Override, overrides } from '../override.js';
import { anAttemptLimit } from '../policy.js';
import { aClock } from '../run-options.js';
import { substituteClock, substituteSource } from './substitute.js';

/** What stands in for the defaults. */
export interface DefaultOverrides {
  /** In place of `systemClock` and of every clock made with `createSystemClock`. */
  readonly clock?: Clock | undefined;
  /** In place of `cryptoRandom`. */
  readonly random?: RandomSource | undefined;
  /** The most attempts that a run makes, whatever its policy says: an integer >= 1, or Infinity. It only lowers. */
  readonly maxAttempts?: number | undefined;
}

/** `Disposable`, for consumers whose `lib` knows of it. */
type Disposes = SymbolConstructor extends { readonly dispose: infer Dispose extends symbol } ? { [Name in Dispose]: () => void } : unknown;

/** Takes an override away again: call `restore()`, or declare it with `using`. */
export type RestorableOverride = { restore(): void } & Disposes;

/** An override with what is beneath it, what it was given itself, and an error that bears the stack of the place where it was made. */
export interface OverrideLayer extends Override {
  readonly outer: OverrideLayer | undefined;
  readonly given: DefaultOverrides;
  readonly madeAt: Error;
}

const rules: Rules<DefaultOverrides> = { clock: aClock, random: aFunction, maxAttempts: anAttemptLimit };

/**
 * Runs code under test, which calls `runWithRetry` deep inside and takes no clock from outside, on the clock and the chance of the test.
 *
 * It replaces the system clocks and the cryptographic random source wherever they are used, by default or by name, in every copy of
 * this library in the realm, for one test at a time. What a caller injects otherwise wins, and idempotency keys stay random. A run keeps
 * the clock and the source that it began with. Overrides nest: an inner one adds to the outer, and the lower `maxAttempts` counts. A
 * substitute may build on what it replaces, in what it does before it first waits.
 *
 * @returns what restores the defaults exactly as they were; once it has, it does nothing more
 * @throws {TypeError} if a value is of the wrong type or a name is unknown
 * @throws {RangeError} if all types are right and `maxAttempts` is out of range
 * @throws {Error} from `restore`, if a later override was forgotten and still in force; both are restored then, and the `cause` bears the
 *   stack of the place where the later one was made
 * @example
 * const fetchPrice = withRetry(async () => { throw new TransientFailure('503') })
 * const clock = virtualClock()
 * const override = overrideDefaults({ clock, random: fixedRandom(Infinity) })
 * const error = await fetchPrice().catch((error) => error)
 * override.restore()
 * error.attempts // => 4
 * clock.now() // => 14_000
 */
export function overrideDefaults(override: DefaultOverrides): RestorableOverride {
  const faults = new Faults('overrides');
  const { clock, random, maxAttempts } = faults.names('override', override, rules);
  faults.values({ clock, random, maxAttempts }, rules);
  faults.throwIfAny();
  const all = overrides();
  const outer = all.inForce as OverrideLayer | undefined;
  const inner: OverrideLayer = {
    ...outer,
    ...(clock && { clock: substituteClock(clock, outer) }),
    ...(random && { random: substituteSource(random, outer) }),
    ...(maxAttempts && { maxAttempts: Math.min(maxAttempts, outer?.maxAttempts ?? Infinity) }),
    outer,
    given: { clock, random, maxAttempts },
    madeAt: new Error('this override was still in force'),
  };
  all.inForce = inner;
  const restore = () => {
    const inForce = all.inForce as OverrideLayer | undefined;
    if (!covers(inForce, inner)) return;
    all.inForce = outer;
    if (inForce === inner) return;
    const message = 'overrides are restored in the reverse order: a later one was still in force, and is restored as well; see the cause';
    throw new Error(message, { cause: inForce?.madeAt });
  };
  const { dispose = Symbol.for('Symbol.dispose') } = Symbol as { dispose?: symbol }; // the stand-in that compilers use
  return { restore, [dispose]: restore } as RestorableOverride;
}

/** Whether a layer is another, or lies above it. */
const covers = (layer: OverrideLayer | undefined, other: OverrideLayer): boolean =>
  layer !== undefined && (layer === other || covers(layer.outer, other));
