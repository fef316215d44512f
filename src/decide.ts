import { count, duration, Faults, flag, func, instant } from './assert.js';
import { withinBudget } from './budget.js';
import { judge, judgement } from './classify.js';
import type { DeadLetterDecision, DeadLetterReason, RetryDecision } from './decision.js';
import { planDelay } from './delay.js';
import type { Verdict } from './failure.js';
import { callHook, hookError } from './hook.js';
import type { RandomSource } from './jitter.js';
import { type ResolvedPolicy, type RetryPolicy, resolvePolicy } from './policy.js';

/** What is known of a failed attempt. Durations in milliseconds, >= 0; instants in epoch milliseconds. */
export interface Failure {
  /** Number of the attempt that failed: an integer >= 1. */
  readonly attempt: number;
  readonly error: unknown;
  /** Time since the run began, attempts and waits. */
  readonly elapsedMs: number;
  /** When the attempt began. Default `now - durationMs`. */
  readonly startedAt?: number | undefined;
  /** How long the attempt took. Default 0. */
  readonly durationMs?: number | undefined;
  /** The `backoffMs` of the decision before; leave it out after the first attempt. */
  readonly previousDelayMs?: number | undefined;
  /** Whether the task said that its work must not be done again. Default false. */
  readonly committed?: boolean | undefined;
  /** A judgement that was made elsewhere; neither the error's mark nor a classifier is asked then. */
  readonly verdict?: Verdict | undefined;
}

export interface Environment {
  /** The wall clock, epoch milliseconds. */
  readonly now: number;
  readonly random: RandomSource;
}

const failureNames: readonly string[] = [
  'attempt',
  'error',
  'elapsedMs',
  'startedAt',
  'durationMs',
  'previousDelayMs',
  'committed',
  'verdict',
];

/**
 * What to do about a failed attempt: the one place where a failure becomes a decision. Pure but for one draw from `random`.
 *
 * The gates, in this order; the first that closes names the reason of the dead letter:
 *
 * 1. `committed`: the work must not be done again
 * 2. `permanent`: judged by `verdict`, else by the error's mark, else by `classify`, else because nobody knew it
 * 3. `budget-exhausted`: `elapsedMs >= totalBudgetMs`
 * 4. `attempts-exhausted`: `attempt >= maxAttempts`
 * 5. `retry-after-too-long`: the server's wait is above `maxRetryAfterMs`
 * 6. `budget-exhausted`: wait and next attempt (`attemptTimeoutMs`, or at least 1 ms) would not fit into what is left
 *
 * Otherwise a retry after `delayMs = (retryAfterMs ?? 0) + backoffMs`, in whole milliseconds.
 *
 * @throws {TypeError} if a value is of the wrong type, a name is unknown, or `verdict` is no verdict
 * @throws {RangeError} if a value is out of range
 * @throws {RetryHookError} if `classify`, `delay` or `random` throws or answers nonsense
 * @example
 * const environment = { now: 0, random: (min, max) => max }
 * const error = new TransientFailure('503')
 * decide({ attempt: 1, error, elapsedMs: 120 }, {}, environment).delayMs // => 2_000
 * decide({ attempt: 4, error, elapsedMs: 9_000 }, {}, environment).reason // => 'attempts-exhausted'
 * decide({ attempt: 1, error: new Error('404'), elapsedMs: 80 }, {}, environment).reason // => 'permanent'
 */
export function decide(
  failure: Failure,
  // biome-ignore lint/suspicious/noExplicitAny: whatever values a policy may classify, it decides on their verdicts
  policy: RetryPolicy<any>,
  environment: Environment,
): RetryDecision | DeadLetterDecision {
  checkArguments(failure, environment);
  const resolved = resolvePolicy(policy);
  try {
    return decideChecked(failure, resolved, environment);
  } catch (fault) {
    throw hookError(fault, { error: failure.error }, []);
  }
}

/** As `decide`, for arguments that are known to be right; the fault of a hook comes out as it is. */
export function decideChecked(
  failure: Failure,
  policy: ResolvedPolicy<never>,
  { now, random }: Environment,
): RetryDecision | DeadLetterDecision {
  const { attempt, error, elapsedMs, verdict, durationMs = 0, startedAt = now - durationMs } = failure;
  const { maxAttempts, totalBudgetMs = Infinity, attemptTimeoutMs = 1, maxRetryAfterMs } = policy;
  const facts = { attempt, startedAt, durationMs, elapsedMs, error };
  if (failure.committed) return deadLetter(facts, 'committed');

  const judged = verdict === undefined ? callHook('classify', () => judge(error, policy.classify)) : judgement(verdict, 'classifier');
  const { judgedBy, retryAfterMs = 0 } = judged;
  const hint = judged.retryAfterMs === undefined ? {} : { retryAfterMs };
  const end = (reason: DeadLetterReason) => deadLetter(facts, reason, { judgedBy, ...hint });
  if (judged.verdict === 'permanent') return end('permanent');
  if (elapsedMs >= totalBudgetMs) return end('budget-exhausted');
  if (attempt >= maxAttempts) return end('attempts-exhausted');
  if (retryAfterMs > maxRetryAfterMs) return end('retry-after-too-long');

  const { previousDelayMs } = failure;
  const { backoffMs, drawnFrom } = planDelay(policy, { attempt, error, elapsedMs, previousDelayMs, ...hint }, random);
  const delayMs = retryAfterMs + backoffMs;
  if (!withinBudget({ elapsedMs: elapsedMs + delayMs, nextAttemptMs: attemptTimeoutMs, budgetMs: totalBudgetMs }))
    return end('budget-exhausted');
  return Object.freeze({
    action: 'retry',
    ...facts,
    judgedBy,
    backoffMs,
    ...(drawnFrom && { drawnFrom }),
    delayMs,
    ...hint,
    retryAt: now + delayMs,
  });
}

export type Facts = Pick<DeadLetterDecision, 'attempt' | 'startedAt' | 'durationMs' | 'elapsedMs' | 'error'>;
type Judged = Pick<DeadLetterDecision, 'judgedBy' | 'retryAfterMs'>;

/** The end of a run, in the form of the log. */
export function deadLetter(
  { attempt, startedAt, durationMs, elapsedMs, error }: Facts,
  reason: DeadLetterReason,
  judged: Judged = {},
): DeadLetterDecision {
  return Object.freeze({ action: 'dead-letter', attempt, startedAt, durationMs, elapsedMs, error, reason, ...judged });
}

function checkArguments(failure: Failure, environment: Environment): void {
  const faults = new Faults('decide');
  const { attempt, elapsedMs, startedAt, durationMs, previousDelayMs, committed, verdict } = faults.options(
    'failure',
    failure,
    failureNames,
    'failure.',
  );
  faults.check('failure.attempt', attempt, count);
  faults.check('failure.elapsedMs', elapsedMs, duration);
  faults.checkOptional('failure.startedAt', startedAt, instant);
  faults.checkOptional('failure.durationMs', durationMs, duration);
  faults.checkOptional('failure.previousDelayMs', previousDelayMs, duration);
  faults.checkOptional('failure.committed', committed, flag);
  const { now, random } = faults.options('environment', environment, ['now', 'random'], 'environment.');
  faults.check('environment.now', now, instant);
  faults.check('environment.random', random, func);
  faults.throwIfAny();
  if (verdict !== undefined) judgement(verdict, 'classifier');
}
