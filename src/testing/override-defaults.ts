import { aFunction } from '../assert.js';
import type { Clock } from '../clock.js';
import { draw, type RandomSource } from '../jitter.js';
import { Faults, type Rules } from '../options.js';
import { type Override, overrides } from '../override.js';
import { anAttemptLimit } from '../policy.js';
import { spanOf } from '../random.js';
import { aClock } from '../run-options.js';
import { nextTurn } from './turn.js';

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

/** More than any code under test waits for at once. */
const MOST_SLEEPS_IN_A_TURN = 250_000;

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
  /** While a substitute is asked, what it replaces is in force: it may build on that. */
  const uncovering =
    <Arguments extends unknown[], Answer>(ask: (...args: Arguments) => Answer) =>
    (...args: Arguments): Answer => {
      const { inForce } = all;
      all.inForce = outer;
      try {
        return ask(...args);
      } finally {
        all.inForce = inForce;
      }
    };
  const guardTurn = aGuardOfTurns();
  const substitute = clock && {
    ...clock,
    now: uncovering(() => clock.now()),
    monotonicNow: uncovering(() => clock.monotonicNow()),
    sleep: uncovering((ms: number, signal?: AbortSignal) => {
      guardTurn();
      return clock.sleep(ms, signal);
    }),
    schedule: uncovering((ms: number, callback: () => void) => clock.schedule(ms, callback)),
  };
  const inner: OverrideLayer = {
    ...outer,
    ...(substitute && { clock: substitute }),
    ...(random && { random: uncovering(checked(random)) }),
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

/** The source, with the checks of the one that it stands in for. */
const checked =
  (random: RandomSource): RandomSource =>
  (min, max) => {
    spanOf(min, max);
    return draw([min, max], random);
  };

/** Throws where sleeps without end are asked for in one turn, as by a substitute that calls itself once it has awaited something. */
function aGuardOfTurns(): () => void {
  let sleeps = 0;
  return () => {
    if (sleeps === 0) {
      nextTurn(() => {
        sleeps = 0;
      });
    }
    sleeps += 1;
    if (sleeps > MOST_SLEEPS_IN_A_TURN)
      throw new Error('the clock of this override waits on the system clock, and so on itself: it must not await before');
  };
}
