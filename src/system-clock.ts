import { aBoolean, mustBe, noOthers, optionsOf } from './assert.js';
import type { Clock } from './clock.js';
import { clockOnHost, hostClock } from './host-clock.js';
import { type Override, overrides } from './override.js';

/** The host's clock beneath each system clock. */
const hostClocks = /* @__PURE__ */ new WeakMap<Clock, Clock>();

/** A clock that gives way, at each call, to one that a test has put in its place. */
function overridable(host: Clock): Clock {
  const inForce = () => overrides().inForce?.clock ?? host;
  const clock: Clock = Object.freeze({
    now: () => inForce().now(),
    monotonicNow: () => inForce().monotonicNow(),
    sleep: (ms: number, signal?: AbortSignal) => inForce().sleep(ms, signal),
    schedule: (ms: number, callback: () => void) => inForce().schedule(ms, callback),
  });
  hostClocks.set(clock, host);
  return clock;
}

/** The clock that a run goes by to its end, whatever is put in place of a system clock, or taken away again, while it runs. */
export function clockOfRun(clock: Clock, override: Override | undefined): Clock {
  const host = clock === hostClock ? hostClock : hostClocks.get(clock);
  return host === undefined ? clock : (override?.clock ?? host);
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
export function createSystemClock(options?: { readonly unref?: boolean | undefined }): Clock {
  const { unref = false, ...others } = optionsOf(options);
  mustBe('unref', unref, aBoolean);
  noOthers(others, 'unref');
  return overridable(clockOnHost(unref));
}

/**
 * The production clock: `createSystemClock()`. Its waits keep a Node process alive, since work is owed.
 *
 * @example
 * const startedAt = systemClock.monotonicNow()
 * await systemClock.sleep(1)
 * systemClock.monotonicNow() - startedAt >= 1 // => true
 */
export const systemClock: Clock = /* @__PURE__ */ overridable(hostClock);
