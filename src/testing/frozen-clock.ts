import { abortReason } from '../abort.js';
import { aFunction, mustBe } from '../assert.js';
import type { Clock } from '../clock.js';
import { anEpochMs, epochMs } from './instant.js';
import { nextTurn } from './turn.js';

/**
 * A clock that stands still: every wait takes no time, but lets real timers and I/O have their turn, and a scheduled timer (a timeout)
 * never fires. Policies with hours of backoff are tested in milliseconds.
 *
 * `sleep` and `schedule` check their arguments and the signal as the system clock does.
 *
 * @param at  where it stands: epoch milliseconds, or a Date
 * @throws {TypeError} if `at` is neither a number nor a Date
 * @throws {RangeError} if it is not finite, or an invalid Date
 * @example
 * const clock = frozenClock(new Date('2026-01-15T01:00:00Z'))
 * await clock.sleep(3_600_000)
 * clock.now() === Date.UTC(2026, 0, 15, 1) // => true
 */
export function frozenClock(at: number | Date): Clock {
  const frozenAt = epochMs(at);
  mustBe('at', frozenAt, anEpochMs);
  return Object.freeze({
    now: () => frozenAt,
    monotonicNow: () => 0,
    async sleep(ms: number, signal?: AbortSignal) {
      mustBe('ms', ms);
      if (signal?.aborted !== true) await new Promise<void>(nextTurn);
      if (signal?.aborted === true) throw abortReason(signal);
    },
    schedule(ms: number, callback: () => void) {
      mustBe('ms', ms);
      mustBe('callback', callback, aFunction);
      return () => {};
    },
  });
}
