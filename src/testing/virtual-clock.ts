import { aBoolean } from '../assert.js';
import type { Clock } from '../clock.js';
import { Faults, type Rules } from '../options.js';
import { anEpochMs, epochMs } from './instant.js';
import { VirtualTime } from './virtual-time.js';

/** What waits on a virtual clock, and the instant at which it is due by `now()`. */
export interface PendingTimer {
  readonly dueAt: number;
  readonly kind: 'sleep' | 'timer';
}

/** A clock whose time moves only by being told or, with `autoAdvance`, when nothing else can happen. */
export interface VirtualClock extends Clock {
  /** Lets `ms` pass. Wakes what falls due by due time, then by arrival, and lets promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Lets time pass until `now()` is `at`, by the wall clock as it is when this begins; as `advance`. */
  advanceTo(at: number | Date): Promise<void>;
  /** Moves `now()` by `ms`, back if negative, as a correction of the wall clock does; `monotonicNow()` and what waits stay. */
  jumpWallClock(ms: number): void;
  /** A machine that sleeps: `ms` pass at once, before this returns; then what fell due meanwhile wakes, late. */
  suspend(ms: number): Promise<void>;
  /** What waits, by due time, then by arrival. */
  readonly pending: readonly PendingTimer[];
}

/** Where a virtual clock begins, and whether it moves by itself. */
export interface VirtualClockOptions {
  /** What `now()` says at first: epoch milliseconds, or a Date. Default 0. */
  readonly startAt?: number | Date | undefined;
  /** Whether time jumps to the earliest timer once everything has settled that can without it. Default true. */
  readonly autoAdvance?: boolean | undefined;
}

const rules: Rules<VirtualClockOptions> = { startAt: anEpochMs, autoAdvance: aBoolean };

/**
 * A clock of virtual time: hours of waits and time limits pass in milliseconds, and in the same order every time.
 *
 * By itself it jumps to the earliest timer as soon as everything has settled that can without the outside world, after a few turns that
 * running work may take (three; ten before a time limit strikes). What takes real time is invisible to it (I/O, real timers, zlib,
 * `crypto.subtle`), so that it may jump while such work is under way: there, take `autoAdvance: false` and move it by hand. What is due
 * already wakes by itself in either case. A wait of 0 takes no time, so that no end of them comes to a budget's end. It keeps working
 * under fake timers, and needs none.
 *
 * An advance begins when those before it have ended. What the callback of a timer throws rejects the advance that has woken it, and ends
 * it there, or else is an uncaught exception; what waits stays, and the clock can go on.
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
export function virtualClock(options: VirtualClockOptions = {}): VirtualClock {
  const faults = new Faults('clock options');
  const { startAt = 0, autoAdvance = true } = faults.names('options', options, rules);
  const beganAt = epochMs(startAt);
  faults.values({ startAt: beganAt, autoAdvance }, rules);
  faults.throwIfAny();
  return new VirtualTime(beganAt, autoAdvance);
}
