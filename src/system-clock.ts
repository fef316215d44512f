import { aBoolean, mustBe, noOthers, optionsOf } from './assert.js';
import type { Clock } from './clock.js';
import { clockOnHost, hostClock } from './host-clock.js';
import { type Override, overrides } from './override.js';

const SYSTEM_CLOCK: unique symbol = /* @__PURE__ */ Symbol.for('retry-policy.system-clock');

/** What a system clock bears, of whichever copy of this library: itself, since what is made of it is none, and the host's clock beneath. */
interface SystemClock extends Clock {
  readonly [SYSTEM_CLOCK]?: { readonly clock: Clock; readonly host: Clock };
}

/** A clock that gives way, at each call, to one that a test has put in its place. */
function overridable(host: Clock): Clock {
  const inForce = () => overrides().inForce?.clock ?? host;
  const clock: Clock = {
    now: () => inForce().now(),
    monotonicNow: () => inForce().monotonicNow(),
    sleep: (ms: number, signal?: AbortSignal) => inForce().sleep(ms, signal),
    schedule: (ms: number, callback: () => void) => inForce().schedule(ms, callback),
  };
  return Object.freeze(Object.defineProperty(clock, SYSTEM_CLOCK, { value: { clock, host } }));
}

/** The clock that a run goes by to its end, whatever is put in place of a system clock, or taken away again, while it runs. */
export function clockOfRun(clock: SystemClock, override: Override | undefined): Clock {
  if (clock === hostClock) return override?.clock ?? clock;
  const system = clock[SYSTEM_CLOCK];
  return system?.clock === clock ? (override?.clock ?? system.host) : clock;
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
