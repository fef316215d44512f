import { abortReason } from '../abort.js';
import { aFunction, mustBe } from '../assert.js';
import type { Clock } from '../clock.js';

/** The host's way to give other work a turn, as it was at import: fake timers that are put in place later do not hold it up. */
const nextTurn: (callback: () => void) => void = typeof setImmediate === 'function' ? setImmediate : postToSelf;

function postToSelf(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}

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
  const frozenAt = at instanceof Date ? at.getTime() : at;
  mustBe('at', frozenAt, { words: 'a finite number or a valid Date', holds: Number.isFinite });
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
