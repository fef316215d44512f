import { anInstant, anObject, mustBe, type Rule } from '../assert.js';
import { aWholeNumber, checkLog, type DecisionRecord } from './record.js';

/**
 * All that a job's next decision depends on, as JSON: store it with the job, give it to {@link nextStep}, and store what that answers.
 */
export interface RetryState {
  readonly version: 1;
  /** When the first attempt began, epoch milliseconds. */
  readonly firstStartedAt: number;
  /** How many attempts were decided on. */
  readonly attempts: number;
  /** The `backoffMs` of the last decision, if that was a retry. */
  readonly previousDelayMs?: number | undefined;
  /** The same for every attempt of the job, and after a redrive. */
  readonly idempotencyKey: string;
  /** How often the job came back from the dead letters. */
  readonly redrives: number;
  /** The newest decisions, oldest first. */
  readonly log: readonly DecisionRecord[];
  /** How many decisions the log had no room for. */
  readonly droppedDecisions: number;
}

export const aKey: Rule = { words: 'a string that is not empty', holds: (key: string) => key !== '', type: 'string' };
const aVersion: Rule = { words: '1, the only one that this release reads', holds: (version: number) => version === 1 };

const DAY_MS = 86_400_000; // no clock is off by more without being wrong

/**
 * Checks a state that was stored.
 *
 * @throws {TypeError | RangeError} that names the field
 */
export function checkState(state: RetryState, now: number): void {
  mustBe('state', state, anObject);
  mustBe('state.version', state.version, aVersion);
  mustBe('state.firstStartedAt', state.firstStartedAt, anInstant);
  mustBe('state.firstStartedAt', state.firstStartedAt, {
    words: `at most a day after now (${now})`,
    holds: (at: number) => at - now <= DAY_MS,
  });
  mustBe('state.attempts', state.attempts, aWholeNumber);
  if (state.previousDelayMs !== undefined) mustBe('state.previousDelayMs', state.previousDelayMs);
  mustBe('state.idempotencyKey', state.idempotencyKey, aKey);
  mustBe('state.redrives', state.redrives, aWholeNumber);
  checkLog('state.log', state.log);
  mustBe('state.droppedDecisions', state.droppedDecisions, aWholeNumber);
}

/** A state with one decision more. */
export function withDecision(state: RetryState, record: DecisionRecord, logLimit: number): RetryState {
  const { previousDelayMs: _, ...kept } = state;
  const log = [...state.log, record];
  const dropped = Math.max(0, log.length - logLimit);
  return {
    ...kept,
    attempts: record.attempt,
    ...(record.action === 'retry' && { previousDelayMs: record.backoffMs }),
    log: log.slice(dropped),
    droppedDecisions: state.droppedDecisions + dropped,
  };
}
