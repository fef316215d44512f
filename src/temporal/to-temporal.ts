import { type RetryPolicy, resolvePolicy } from '../policy.js';
import { serverDelayMs } from './engine.js';

/** Temporal's own retry policy, for the options of an activity. */
export interface TemporalRetryPolicy {
  /** Milliseconds, >= 1. */
  initialInterval: number;
  backoffCoefficient: number;
  maximumInterval: number;
  /** Absent where there is no limit. */
  maximumAttempts?: number;
}

const MOST_ATTEMPTS = 2_147_483_647; // what the server's field holds

/**
 * What Temporal's own retry policy can say of a policy: attempts, backoff, cap. {@link notInTemporalRetryPolicy} tells what it cannot.
 *
 * @throws {TypeError | RangeError} if the policy is wrong
 * @example
 * const expected = { initialInterval: 2_000, backoffCoefficient: 2, maximumInterval: 60_000, maximumAttempts: 4 }
 * toTemporalRetryPolicy({}) // => expected
 */
export function toTemporalRetryPolicy<T>(policy?: RetryPolicy<T>): TemporalRetryPolicy {
  const { backoff, maxAttempts } = resolvePolicy(policy);
  const initialInterval = serverDelayMs(Math.min(backoff.baseMs, backoff.capMs));
  return {
    initialInterval,
    backoffCoefficient: backoff.factor,
    maximumInterval: Math.max(initialInterval, serverDelayMs(backoff.capMs)),
    ...(maxAttempts !== Infinity && { maximumAttempts: Math.min(maxAttempts, MOST_ATTEMPTS) }),
  };
}

/**
 * What of a policy gets lost in {@link toTemporalRetryPolicy}, in words; empty if it says all.
 *
 * @throws {TypeError | RangeError} if the policy is wrong
 * @example
 * notInTemporalRetryPolicy({ totalBudgetMs: 60_000 }).at(-1) // => 'totalBudgetMs: set scheduleToCloseTimeout'
 */
export function notInTemporalRetryPolicy<T>(policy?: RetryPolicy<T>): string[] {
  const { jitter, delay, backoff, attemptTimeoutMs, totalBudgetMs, classifyValue } = resolvePolicy(policy);
  const lost: readonly [lost: boolean, what: string][] = [
    [true, 'which errors are permanent: all are repeated'],
    [true, 'waits that the server demands'],
    [delay !== undefined, 'delay: the backoff is used'],
    [delay === undefined && jitter !== 'none', `jitter: '${jitter}': every wait is as long as its backoff`],
    [backoff.baseMs < 1 || backoff.capMs < 1, 'waits below 1 ms'],
    [attemptTimeoutMs !== undefined, 'attemptTimeoutMs: set startToCloseTimeout'],
    [totalBudgetMs !== undefined, 'totalBudgetMs: set scheduleToCloseTimeout'],
    [classifyValue !== undefined, 'classifyValue: every value is a success'],
  ];
  return lost.flatMap(([isLost, what]) => (isLost ? [what] : []));
}
