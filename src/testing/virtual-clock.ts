import { aBoolean, mustBe, noOthers, optionsOf } from '../assert.js';
import { instant } from './instant.js';
import { type VirtualClock, VirtualTime } from './virtual-time.js';

/** Where a virtual clock begins, and whether it moves by itself. */
export interface VirtualClockOptions {
  /** What `now()` says at first: epoch milliseconds, or a Date. Default 0. */
  readonly startAt?: number | Date | undefined;
  /** Whether time jumps to the earliest timer once everything has settled that can without it. Default true. */
  readonly autoAdvance?: boolean | undefined;
}

/**
 * A clock of virtual time: hours of waits and time limits pass in milliseconds, and in the same order every time.
 *
 * By itself it jumps to the earliest timer as soon as everything has settled that can without the outside world. Real I/O and real
 * timers are invisible to it, so it would jump while they are under way: there, take `autoAdvance: false` and move it by hand. What is
 * due already wakes by itself in either case. It keeps working under fake timers, and needs none.
 *
 * `monotonicNow()` starts at 0. `sleep` and `schedule` check their arguments and the signal as the system clock does.
 *
 * @throws {TypeError} if an option is of the wrong type or a name is unknown
 * @throws {RangeError} if `startAt` is not finite, or an invalid Date; from its members, if `ms` is negative or not finite, or `at` is past
 * @example
 * const clock = virtualClock({ startAt: Date.UTC(2026, 0, 15) })
 * await clock.sleep(36_000_000)
 * clock.now() === Date.UTC(2026, 0, 15, 10) // => true
 * @example
 * const clock = virtualClock({ autoAdvance: false })
 * const nap = clock.sleep(1_000).then(() => clock.now())
 * clock.pending // => [{ dueAt: 1_000, kind: 'sleep' }]
 * await clock.advance(5_000)
 * await nap // => 1_000
 * clock.now() // => 5_000
 */
export function virtualClock(options?: VirtualClockOptions): VirtualClock {
  const { startAt = 0, autoAdvance = true, ...others } = optionsOf(options);
  noOthers(others, 'startAt, autoAdvance');
  mustBe('autoAdvance', autoAdvance, aBoolean);
  return new VirtualTime(instant('startAt', startAt), autoAdvance);
}
