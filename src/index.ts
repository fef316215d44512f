export type { AttemptContext, Task } from './attempt.js';
export { type BackoffOptions, exponentialBackoff, type ResolvedBackoff } from './backoff.js';
export { type TimeBudget, withinBudget } from './budget.js';
export { type Classifier, type JudgedBy, markedFailures } from './classify.js';
export type { Clock } from './clock.js';
export { decide, type Environment, type Failure } from './decide.js';
export {
  type DeadLetterDecision,
  type DeadLetterReason,
  type Decision,
  formatDecision,
  type RetryDecision,
  type SucceedDecision,
} from './decision.js';
export { AttemptTimeout, type FailureOptions, isAttemptTimeout, TransientFailure } from './failure.js';
export { type HookName, isRetryHookError, RetryHookError } from './hook.js';
export { type DrawRange, decorrelatedJitter, equalJitter, fullJitter, type RandomSource } from './jitter.js';
export { isTransient, markPermanent, markTransient, type Verdict } from './mark.js';
export { DeadLetterError, type DeadLettered, isDeadLetterError, type RetryResult, type Succeeded, unwrap } from './outcome.js';
export { type DelayContext, definePolicy, type Jitter, type ResolvedPolicy, type RetryPolicy } from './policy.js';
export { cryptoRandom, randomFrom } from './random.js';
export type { RunOptions } from './run-options.js';
export { runWithRetry } from './run-with-retry.js';
export { previewSchedule, type ScheduleRow } from './schedule.js';
export { createSystemClock, systemClock } from './system-clock.js';
export { withRetry } from './with-retry.js';
