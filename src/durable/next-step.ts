import { aBoolean, aFunction, anInstant, mustBe, noOthers, type Rule } from '../assert.js';
import { decideChecked, judgeValue } from '../decide.js';
import { type Decision, micro } from '../decision.js';
import { hookError } from '../hook.js';
import type { RandomSource } from '../jitter.js';
import { type ResolvedPolicy, type RetryPolicy, resolvePolicy } from '../policy.js';
import { randomUuid } from '../random.js';
import { aWholeNumber, toDecisionRecord } from './record.js';
import { aKey, checkState, type RetryState, withDecision } from './state.js';

/** How an attempt ended: it failed, or it succeeded; the policy's `classifyValue` is asked about a `value` that is given. */
export type Outcome<T = unknown> =
  | { readonly error: unknown; readonly committed?: boolean | undefined }
  | { readonly ok: true; readonly value?: T | undefined };

/** What a step takes from outside. */
export interface StepEnvironment {
  /** The wall clock now, and when the attempt began: epoch milliseconds. */
  readonly now: number;
  readonly startedAt: number;
  readonly random: RandomSource;
  /** Give the job's id, so that a crash in the first attempt keeps it. Default the state's; of a job without a state, a random UUID. */
  readonly idempotencyKey?: string | undefined;
  /** How many decisions the state keeps, the newest: an integer >= 0. Default 100. */
  readonly logLimit?: number | undefined;
}

/** What follows from an attempt, and what to store with the job. */
export interface Step {
  readonly decision: Decision;
  readonly state: RetryState;
}

export const LOG_LIMIT = 100; // the runner keeps 1,000, but in memory

/**
 * What to do about an attempt whose job outlives the process: {@link decide}, with all that it needs of the past in a JSON state. Store
 * the new state before the decision is carried out; a crash in between repeats an attempt then, and loses no job.
 *
 * Elapsed time is wall time, since no other clock goes on from one process to the next: between machines whose clocks differ it is off by
 * the difference, and a start that lies up to a day in the future counts as now.
 *
 * @param state  what the step before answered; null or undefined for a job's first attempt
 * @throws {TypeError | RangeError} if an argument is wrong or the state has nonsense in it; the message names the field
 * @throws {RetryHookError} if `classify`, `classifyValue`, `delay` or `random` throws or answers nonsense
 * @example
 * const environment = { now: 1_000, startedAt: 900, random: (min, max) => max, idempotencyKey: 'job 7' }
 * const first = nextStep({}, null, { error: new TransientFailure('503') }, environment)
 * first.decision.retryAt // => 3_000
 * const second = nextStep({}, first.state, { ok: true }, { ...environment, now: 3_100, startedAt: 3_000 })
 * second.state.log.map(({ action }) => action) // => ['retry', 'succeed']
 * second.state.idempotencyKey // => 'job 7'
 */
export function nextStep<T>(
  policy: RetryPolicy<T>,
  state: RetryState | null | undefined,
  outcome: Outcome<NoInfer<T>>,
  environment: StepEnvironment,
): Step {
  const { now, startedAt, random, idempotencyKey, logLimit = LOG_LIMIT, ...others } = Object(environment) as StepEnvironment;
  mustBe('environment.now', now, anInstant);
  mustBe('environment.startedAt', startedAt, anInstant);
  mustBe('environment.random', random, aFunction);
  if (idempotencyKey !== undefined) mustBe('environment.idempotencyKey', idempotencyKey, aKey);
  mustBe('environment.logLimit', logLimit, aWholeNumber);
  noOthers(others, 'now, startedAt, random, idempotencyKey, logLimit');
  mustBe('outcome', outcome, anOutcome);
  if ('error' in outcome && outcome.committed !== undefined) mustBe('outcome.committed', outcome.committed, aBoolean);
  const resolved = resolvePolicy(policy);
  const before = stateBefore(state, { now, startedAt, idempotencyKey });
  const facts = {
    attempt: before.attempts + 1,
    startedAt,
    durationMs: micro(Math.max(0, now - startedAt)),
    elapsedMs: micro(Math.max(0, now - before.firstStartedAt)),
  };
  let decision: Decision;
  try {
    const failure = failureOf(outcome, resolved);
    decision =
      failure === undefined
        ? Object.freeze({ action: 'succeed', ...facts })
        : decideChecked({ ...facts, error: failure.error }, { ...failure, previousDelayMs: before.previousDelayMs }, resolved, {
            now,
            random,
          });
  } catch (fault) {
    throw hookError(fault, 'error' in outcome ? { error: outcome.error } : { value: outcome.value }, []);
  }
  return { decision, state: withDecision(before, toDecisionRecord(decision), logLimit) };
}

/** The state that an attempt begins with. */
export function stateBefore(
  state: RetryState | null | undefined,
  { now, startedAt, idempotencyKey }: Pick<StepEnvironment, 'now' | 'startedAt' | 'idempotencyKey'>,
): RetryState {
  if (state === null || state === undefined) {
    const key = idempotencyKey ?? randomUuid();
    return { version: 1, firstStartedAt: startedAt, attempts: 0, idempotencyKey: key, redrives: 0, log: [], droppedDecisions: 0 };
  }
  checkState(state, now);
  return {
    ...state,
    // Until the first step after a redrive, nothing has started; what lies in the future is a clock that differs.
    firstStartedAt: state.attempts === 0 ? startedAt : Math.min(state.firstStartedAt, startedAt),
    idempotencyKey: idempotencyKey ?? state.idempotencyKey,
  };
}

const anOutcome: Rule = {
  words: '{ ok: true } or { error }',
  holds: (outcome: object) => ('error' in outcome ? !('ok' in outcome) : 'ok' in outcome && outcome.ok === true),
  type: 'object',
};

/** What the attempt failed with, and the value's judgement if that is its failure; undefined if it succeeded. */
function failureOf<T>(outcome: Outcome<T>, policy: ResolvedPolicy<T>) {
  if ('error' in outcome) return { error: outcome.error, committed: outcome.committed === true, judged: undefined };
  const judged = 'value' in outcome ? judgeValue(outcome.value as T, policy) : undefined;
  return judged && { error: outcome.value, committed: false, judged };
}
