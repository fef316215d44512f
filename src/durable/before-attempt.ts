import { type DeadLetterDecision, micro } from '../decision.js';
import { AttemptTimeout, TransientFailure } from '../failure.js';
import { markPermanent } from '../mark.js';
import type { ResolvedPolicy } from '../policy.js';
import { toErrorRecord } from './error-record.js';
import { nextStep, type Outcome, type Step, type StepEnvironment, stateBefore } from './next-step.js';
import { type RetryState, withDecision } from './state.js';

/** The state that a job's attempt begins with, or the step that is due instead of one. */
export type Beginning = { readonly state: RetryState; readonly elapsedMs: number } | { readonly step: Step };

/** The environment of a step, with what a worker always knows. */
export type Moment = StepEnvironment & { readonly logLimit: number };

/** `nextStep` with the fault of a hook as the end of the job, beside the attempt's own failure and not instead of it. */
export function stepOf<T>(
  policy: ResolvedPolicy<T>,
  state: RetryState | undefined,
  outcome: Outcome<T>,
  environment: StepEnvironment,
): Step {
  try {
    return nextStep(policy, state, outcome, environment);
  } catch (fault) {
    const error = 'error' in outcome ? new AggregateError([fault, outcome.error], (fault as Error).message) : (fault as Error);
    return nextStep({}, state, { error: markPermanent(error) }, environment);
  }
}

/** What the worker did not live to decide comes first: lost attempts, one by one; then the budget that ran out during the wait. */
export function beforeAttempt<T>(
  policy: ResolvedPolicy<T>,
  stored: RetryState | null | undefined,
  lostAttempts: number,
  environment: Moment,
): Beginning {
  let state: RetryState;
  try {
    state = stateBefore(stored, environment);
  } catch (fault) {
    return { step: stepOf(policy, undefined, { error: markPermanent(fault as Error) }, environment) };
  }
  let step: Step | undefined;
  for (let left = lostAttempts; left > 0 && (step === undefined || step.decision.action === 'retry'); left -= 1) {
    const error = new TransientFailure(`attempt ${state.attempts + 1} was lost: its worker went away`);
    step = stepOf(policy, state, { error }, environment);
    state = step.state;
  }
  const elapsedMs = state.attempts === 0 ? 0 : micro(Math.max(0, environment.now - state.firstStartedAt));
  step ??= endAfterWait(policy, state, elapsedMs, environment);
  return step === undefined ? { state, elapsedMs } : { step };
}

/**
 * The end of a job whose budget ran out while it waited, as the runner tells it: with the number of the attempt before and what that
 * failed with. Undefined if something is left, or nothing was tried yet.
 */
function endAfterWait<T>(policy: ResolvedPolicy<T>, state: RetryState, elapsedMs: number, { now, logLimit }: Moment): Step | undefined {
  const { totalBudgetMs = Infinity } = policy;
  if (state.attempts === 0 || elapsedMs < totalBudgetMs) return undefined;
  const last = state.log.at(-1);
  const decision = Object.freeze({
    action: 'dead-letter',
    attempt: state.attempts,
    startedAt: last?.startedAt ?? now,
    durationMs: last?.durationMs ?? 0,
    elapsedMs,
    error: last?.action === 'retry' ? last.error : toErrorRecord(new AttemptTimeout('budget', totalBudgetMs)),
    reason: 'budget-exhausted',
    ...(last?.action === 'retry' && { judgedBy: last.judgedBy }),
  } as const satisfies DeadLetterDecision);
  return { decision, state: withDecision(state, decision, logLimit) };
}
