import { abortReason, onAbort } from './abort.js';
import { aBoolean, aFunction, mustBe, noOthers } from './assert.js';

/** Time, as it is injected. Its kinds are not interchangeable: each member says what it must not be used for. */
export interface Clock {
  /** The wall clock, in epoch milliseconds. It may jump: only for instants that are written to the log, never to measure with. */
  now(): number;
  /** Milliseconds since some fixed point; never goes back. Durations and budgets are measured on it; it says nothing of the date. */
  monotonicNow(): number;
  /**
   * Resolves once `ms` (finite, >= 0) have passed on `monotonicNow`. Gives other work a turn, even for 0. Rejects with
   * `signal.reason` as soon as the signal aborts. Leaves no timer and no listener either way.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once, when `ms` (finite, >= 0) have passed; returns what cancels it. For time limits. */
  schedule(ms: number, callback: () => void): () => void;
}

const LONGEST_HOST_TIMER_MS = 2_147_483_647; // hosts fire at once when asked for more

let hasPerformance: boolean | undefined;
let latestMs = 0;

function monotonicNow(): number {
  hasPerformance ??= typeof performance !== 'undefined';
  if (hasPerformance) return performance.now();
  latestMs = Math.max(latestMs, Date.now());
  return latestMs;
}

const HOST_EARLY_MS = 2; // as much too early a host may wake by rounding

/** A host timer as long as it is asked to be: in slices where the host cannot hold it, armed again where the host fires early. */
class HostTimer {
  readonly #dueAt: number;
  readonly #callback: () => void;
  #wallDueAt = 0;
  #handle: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, callback: () => void, unref: boolean) {
    this.#dueAt = monotonicNow() + ms;
    this.#callback = callback;
    this.#arm(ms, unref);
  }

  #arm(leftMs: number, unref: boolean): void {
    const ms = Math.min(Math.ceil(leftMs), LONGEST_HOST_TIMER_MS);
    this.#wallDueAt = leftMs > ms ? Infinity : Date.now() + ms;
    this.#handle = setTimeout(this.#wake.bind(this), ms); // bound: smaller than a closure, and stubs may drop further arguments
    if (unref) letGo(this.#handle);
  }

  #wake(): void {
    const leftMs = this.#dueAt - monotonicNow();
    // Some mocks move timers and Date and leave performance alone: what has passed for them has passed.
    const isMocked = leftMs > HOST_EARLY_MS && Date.now() >= this.#wallDueAt;
    if (leftMs > 0 && !isMocked) this.#arm(leftMs, this.#handle?.hasRef?.() === false);
    else this.#callback();
  }

  cancel(): void {
    clearTimeout(this.#handle);
  }
}

/** Calls `done` after `ms`; a wait of 0 gives other work its turn, at the price of a `setImmediate` where the host has one. */
function startWait(ms: number, done: () => void, unref: boolean): () => void {
  if (ms === 0 && typeof setImmediate === 'function') {
    const handle = setImmediate(done);
    if (unref) letGo(handle);
    return () => clearImmediate(handle);
  }
  const timer = new HostTimer(ms, done, unref);
  return () => timer.cancel();
}

/** Lets the process end although the timer waits, where the host knows of such a thing. */
function letGo(handle: unknown): void {
  (handle as { unref?: () => void }).unref?.();
}

/**
 * A clock on the host's own timers, which are looked up when they are needed and not at import.
 *
 * It takes only finite delays >= 0 (else `sleep` rejects, and `schedule` throws, a RangeError), rounds them up to whole
 * milliseconds, cuts delays above 2^31 - 1 ms into slices, and never wakes early. `monotonicNow` is `performance.now()`, or, where a
 * runtime has none, the highest `Date.now()` seen (so that a date that is set back makes waits longer).
 *
 * @param options  `unref: true` lets a Node process end while this clock's timers wait, which drops the work that waits; default false
 * @throws {TypeError} if `unref` is no boolean or a name is unknown
 * @example
 * const clock = createSystemClock({ unref: true })
 * await clock.sleep(0) // => undefined
 */
export function createSystemClock(options: { readonly unref?: boolean | undefined } = {}): Clock {
  const { unref = false, ...others } = Object(options) as typeof options;
  mustBe('unref', unref, aBoolean);
  noOthers(others, 'unref');
  return clockOnHost(unref);
}

function clockOnHost(unref: boolean): Clock {
  return Object.freeze({
    now: () => Date.now(),
    monotonicNow,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        mustBe('ms', ms);
        if (signal === undefined) startWait(ms, resolve, unref);
        else if (signal.aborted) reject(abortReason(signal));
        else {
          const end = (settle: () => void) => () => {
            forget();
            cancel();
            settle();
          };
          const forget = onAbort(
            signal,
            end(() => reject(abortReason(signal))),
          );
          const cancel = startWait(ms, end(resolve), unref);
        }
      }),
    schedule(ms: number, callback: () => void) {
      mustBe('ms', ms);
      mustBe('callback', callback, aFunction);
      const timer = new HostTimer(ms, callback, unref);
      return () => timer.cancel();
    },
  });
}

/**
 * The production clock: `createSystemClock()`. Its waits keep a Node process alive, since work is owed.
 *
 * @example
 * const startedAt = systemClock.monotonicNow()
 * await systemClock.sleep(1)
 * systemClock.monotonicNow() - startedAt >= 1 // => true
 */
export const systemClock: Clock = /* @__PURE__ */ clockOnHost(false);
