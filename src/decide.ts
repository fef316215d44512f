import { aBoolean, aCount, aFunction, anInstant, mustBe, noOthers } from './assert.js';
import { fits } from './budget.js';
import { type Judgement, judge, judgement } from './classify.js';
import { type DeadLetterDecision, type DeadLetterReason, micro, type RetryDecision } from './decision.js';
import { planDelay } from './delay.js';
import { callHook, hookError } from './hook.js';
import type { RandomSource } from './jitter.js';
import type { Verdict } from './mark.js';
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

/** What a decision takes from outside: the instant, and chance. */
export interface Environment {
  /** The wall clock, epoch milliseconds. */
  readonly now: number;
  readonly random: RandomSource;
}

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
  const { now, random, ...otherSurroundings } = Object(environment) as typeof environment;
  mustBe('environment.now', now, anInstant);
  mustBe('environment.random', random, aFunction);
  noOthers(otherSurroundings, 'now, random');
  const {
    attempt,
    error,
    elapsedMs,
    durationMs = 0,
    startedAt = now - durationMs,
    previousDelayMs,
    committed = false,
    verdict,
    ...others
  } = Object(failure) as typeof failure;
  mustBe('failure.attempt', attempt, aCount);
  mustBe('failure.elapsedMs', elapsedMs);
  mustBe('failure.durationMs', durationMs);
  mustBe('failure.startedAt', startedAt, anInstant);
  if (previousDelayMs !== undefined) mustBe('failure.previousDelayMs', previousDelayMs);
  mustBe('failure.committed', committed, aBoolean);
  const judged = verdict === undefined ? undefined : judgement(verdict);
  noOthers(others, 'attempt, error, elapsedMs, startedAt, durationMs, previousDelayMs, committed, verdict');
  const resolved = resolvePolicy(policy);
  try {
    return decideChecked(
      { attempt, startedAt, durationMs: micro(durationMs), elapsedMs: micro(elapsedMs), error },
      { committed, judged, previousDelayMs },
      resolved,
      environment,
    );
  } catch (fault) {
    throw hookError(fault, { error }, []);
  }
}

/** The attempt that failed, in the form of the log. */
export type Facts = Pick<DeadLetterDecision, 'attempt' | 'startedAt' | 'durationMs' | 'elapsedMs' | 'error'>;

/** What else a decision depends on. */
export interface Known {
  readonly committed: boolean;
  /** The judgement, where it was made elsewhere. */
  readonly judged: Judgement | undefined;
  readonly previousDelayMs: number | undefined;
}

/** As `decide`, for arguments that are known to be right; the fault of a hook comes out as it is. */
export function decideChecked(
  facts: Facts,
  { committed, judged, previousDelayMs }: Known,
  policy: ResolvedPolicy<never>,
  { now, random }: Environment,
): RetryDecision | DeadLetterDecision {
  if (committed) return deadLetter(facts, 'committed');
  const { attempt, elapsedMs, error } = facts;
  const { transient, retryAfterMs, judgedBy } = judged ?? callHook('classify', () => judge(error, policy.classify));
  const hint = retryAfterMs === undefined ? {} : { retryAfterMs };
  const end = (reason: DeadLetterReason) => deadLetter(facts, reason, { judgedBy, ...hint });
  const { totalBudgetMs = Infinity } = policy;
  if (!transient) return end('permanent');
  if (elapsedMs >= totalBudgetMs) return end('budget-exhausted');
  if (attempt >= policy.maxAttempts) return end('attempts-exhausted');
  if (retryAfterMs !== undefined && retryAfterMs > policy.maxRetryAfterMs) return end('retry-after-too-long');

  const { backoffMs, drawnFrom } = planDelay(policy, { attempt, error, elapsedMs, previousDelayMs, retryAfterMs }, random);
  const delayMs = (retryAfterMs ?? 0) + backoffMs;
  if (!fits(elapsedMs + delayMs, policy.attemptTimeoutMs ?? 1, totalBudgetMs)) return end('budget-exhausted');
  const { startedAt, durationMs } = facts;
  const retryAt = now + delayMs;
  const retry = { action: 'retry', attempt, startedAt, durationMs, elapsedMs, error, judgedBy, backoffMs, delayMs, retryAt } as const;
  return Object.freeze(Object.assign(retry, drawnFrom && { drawnFrom }, hint));
}

/** What a returned value is a failure by, if it is one. */
export function judgeValue<T>(value: T, { classifyValue }: ResolvedPolicy<T>): Judgement | undefined {
  if (classifyValue === undefined) return undefined;
  return callHook('classifyValue', () => {
    const verdict = classifyValue(value);
    return verdict === undefined ? undefined : judgement(verdict);
  });
}

/** The end of a run, in the form of the log. */
export const deadLetter = (
  facts: Facts,
  reason: DeadLetterReason,
  judged?: Pick<DeadLetterDecision, 'judgedBy' | 'retryAfterMs'>,
): DeadLetterDecision => Object.freeze({ action: 'dead-letter', ...facts, reason, ...judged });
