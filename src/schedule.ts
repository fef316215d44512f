import { mustBe } from './assert.js';
import { planDelay } from './delay.js';
import { hookError } from './hook.js';
import type { RandomSource } from './jitter.js';
import { anAttemptLimit, type RetryPolicy, resolvePolicy } from './policy.js';

/** One wait of a policy, at its longest. */
export interface ScheduleRow {
  /** Number of the failed attempt that the wait follows, from 1. */
  readonly attempt: number;
  /** The longest wait after it, in milliseconds. */
  readonly delayMs: number;
  /** All waits up to here, in milliseconds. */
  readonly totalDelayMs: number;
}

const ROWS_OF_THE_UNLIMITED = 10;

const highest: RandomSource = (_min, max) => max;

/**
 * The longest waits of a policy (chance at its upper end, no wait demanded by a server, no budget), one row for each attempt but the
 * last.
 *
 * A custom `delay` is asked with `error: undefined` and the waits so far as `elapsedMs`.
 *
 * @param attempts  how many attempts to show: an integer >= 1; default the policy's `maxAttempts`. Infinity gives 10 rows.
 * @throws {TypeError} if a value is of the wrong type or a name is unknown
 * @throws {RangeError} if a value is out of range
 * @throws {RetryHookError} if the policy's `delay` throws or answers nonsense
 * @example
 * previewSchedule({ maxAttempts: 3 })[0] // => { attempt: 1, delayMs: 2_000, totalDelayMs: 2_000 }
 * previewSchedule({}, 7).map((row) => row.totalDelayMs) // => [2_000, 6_000, 14_000, 30_000, 62_000, 122_000]
 */
// biome-ignore lint/suspicious/noExplicitAny: the schedule is the same whatever values the policy classifies
export function previewSchedule(policy: RetryPolicy<any>, attempts?: number): readonly ScheduleRow[] {
  const resolved = resolvePolicy(policy);
  if (attempts !== undefined) mustBe('attempts', attempts, anAttemptLimit);
  const waits = (attempts ?? resolved.maxAttempts) - 1;
  const rowCount = waits === Infinity ? ROWS_OF_THE_UNLIMITED : waits;
  const rows: ScheduleRow[] = [];
  let previousDelayMs: number | undefined;
  let totalDelayMs = 0;
  try {
    for (let attempt = 1; attempt <= rowCount; attempt++) {
      const delayMs = planDelay(resolved, { attempt, error: undefined, elapsedMs: totalDelayMs, previousDelayMs }, highest).backoffMs;
      totalDelayMs += delayMs;
      previousDelayMs = delayMs;
      rows.push({ attempt, delayMs, totalDelayMs });
    }
  } catch (fault) {
    throw hookError(fault, {}, []);
  }
  return rows;
}
