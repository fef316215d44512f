import { abortableWait } from './abort.js';
import { aFunction, mustBe } from './assert.js';
import type { Clock } from './clock.js';

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

/** A clock on the host's own timers, which are looked up when they are needed and not at import. */
export const clockOnHost = (unref: boolean): Clock => ({
  now: () => Date.now(),
  monotonicNow,
  sleep: (ms, signal) => abortableWait(ms, (done) => startWait(ms, done, unref), signal),
  schedule(ms, callback) {
    mustBe('ms', ms);
    mustBe('callback', callback, aFunction);
    const timer = new HostTimer(ms, callback, unref);
    return () => timer.cancel();
  },
});

/** What runs wait on unless they are told otherwise. */
export const hostClock: Clock = /* @__PURE__ */ clockOnHost(false);
