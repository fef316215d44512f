import { anObject, mustBe, type Rule } from '../assert.js';
import type { DeadLetterDecision, RetryDecision } from '../decision.js';
import { type DeadLetter, type JobSource, letterOf } from './dead-letter.js';
import { toErrorRecord } from './error-record.js';
import type { Step } from './next-step.js';
import { aWholeNumber } from './record.js';
import type { RetryState } from './state.js';

/** A job, as a worker has taken it from its queue. */
export interface Job<Payload = unknown> {
  /** Its own data, for the dead letter. */
  readonly payload: Payload;
  /** Where it comes from, for the dead letter. */
  readonly source: JobSource;
  /** What was stored with it; null or undefined for a job that is new. */
  readonly state?: RetryState | null | undefined;
  /** How many attempts began since the state was stored and never told their end, since their worker was killed. Default 0. */
  readonly lostAttempts?: number | undefined;
}

/** What a worker has to do with a job after an attempt. */
export type JobEnd<T = unknown, Payload = unknown> =
  /** It is done. */
  | { readonly action: 'succeed'; readonly value: T; readonly state: RetryState }
  /** Store the state, and hide the job for `decision.delayMs`, in one transaction if the queue has such. */
  | { readonly action: 'retry'; readonly decision: RetryDecision; readonly state: RetryState }
  /** Move the job to the dead letters. */
  | {
      readonly action: 'dead-letter';
      readonly decision: DeadLetterDecision;
      readonly state: RetryState;
      readonly letter: DeadLetter<Payload>;
    };

const aName: Rule = { words: 'a string', holds: () => true, type: 'string' };

/**
 * Checks what a worker gives. The state is not its own, and is looked at later.
 *
 * @throws {TypeError | RangeError} that names the field
 */
export function checkJob({ source, lostAttempts = 0 }: Job): void {
  mustBe('job.source', source, anObject);
  mustBe('job.source.engine', source.engine, aName);
  mustBe('job.source.queue', source.queue, aName);
  mustBe('job.source.id', source.id, aName);
  mustBe('job.lostAttempts', lostAttempts, aWholeNumber);
}

/** What the worker is told of a step. `value` is what the task returned, if the step is a success. */
export function endOf<T, Payload>(
  { decision, state }: Step,
  { payload, source }: Job<Payload>,
  now: number,
  value?: T,
): JobEnd<T, Payload> {
  if (decision.action === 'succeed') return { action: 'succeed', value: value as T, state };
  if (decision.action === 'retry') return { action: 'retry', decision, state };
  const end = { reason: decision.reason, error: toErrorRecord(decision.error) };
  const letter = letterOf(end, state, { payload, source, diedAt: now });
  return { action: 'dead-letter', decision, state, letter };
}
