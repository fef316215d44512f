import { aCount, anInstant, anObject, isObject, mustBe, noOthers, optionsOf, type Rule } from '../assert.js';
import type { DeadLetterReason } from '../decision.js';
import { readSafely } from '../mark.js';
import type { ErrorRecord } from './error-record.js';
import { aList, aReason, aWholeNumber, type DecisionRecord } from './record.js';
import { aKey, type RetryState } from './state.js';

/** A job that was given up, with all that is known of it: one JSON shape for every engine. */
export interface DeadLetter<Payload = unknown> {
  readonly reason: DeadLetterReason;
  /** What the last attempt failed with. */
  readonly error: ErrorRecord;
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly firstStartedAt: number;
  readonly diedAt: number;
  /** The newest decisions, oldest first; the last one is the end. */
  readonly log: readonly DecisionRecord[];
  /** The job's own data, as it was sent. */
  readonly payload: Payload;
  readonly source: JobSource;
  /** How often the job had come back from the dead letters before. */
  readonly redrives: number;
  readonly idempotencyKey: string;
}

/** Where a job comes from. */
export interface JobSource {
  readonly engine: string;
  readonly queue: string;
  readonly id: string;
}

export const MOST_REDRIVES = 10;

/**
 * The dead letter of a job whose last decision was `'dead-letter'`.
 *
 * @param job  `payload`: its own data; `source`: where it comes from; `diedAt`: epoch milliseconds
 * @throws {TypeError} if the last decision in the state's log is another, or is not kept (`logLimit: 0`)
 * @example
 * const environment = { now: 100, startedAt: 0, random: (min, max) => max, idempotencyKey: 'mail/7' }
 * const { state } = nextStep({}, null, { error: new Error('no such address') }, environment)
 * const source = { engine: 'table', queue: 'mail', id: '7' }
 * const letter = toDeadLetter(state, { payload: { to: 'ann' }, source, diedAt: 100 })
 * letter.reason // => 'permanent'
 * letter.error.message // => 'no such address'
 */
export function toDeadLetter<Payload>(
  state: RetryState,
  job: { readonly payload: Payload; readonly source: JobSource; readonly diedAt: number },
): DeadLetter<Payload> {
  const last = state.log.at(-1);
  if (last?.action !== 'dead-letter') throw new TypeError(`state.log must end with a dead letter, got ${last?.action ?? 'an empty log'}`);
  return letterOf(last, state, job);
}

/** As `toDeadLetter`, for a decision that the state's log need not keep. */
export function letterOf<Payload>(
  { reason, error }: Pick<DeadLetter, 'reason' | 'error'>,
  { attempts, firstStartedAt, log, redrives, idempotencyKey }: RetryState,
  { payload, source, diedAt }: { readonly payload: Payload; readonly source: JobSource; readonly diedAt: number },
): DeadLetter<Payload> {
  return { reason, error, attempts, firstStartedAt, diedAt, log, payload, source, redrives, idempotencyKey };
}

/**
 * The state for another life of a dead job: fresh, but it remembers the idempotency key (what was done need not be done again) and how
 * often the job came back. The first step after it sets `firstStartedAt`. Send `letter.payload` with it.
 *
 * @param options  `maxRedrives`: how often one job may come back, an integer >= 1; default 10, so that a poison job does not circle
 * @throws {RangeError} if the job has come back that often already
 * @throws {TypeError} if `letter` is no dead letter, or a name is unknown
 * @example
 * const letter = { reason: 'permanent', error: { name: 'Error', message: '404' }, attempts: 1, firstStartedAt: 0, diedAt: 5, log: [],
 *   payload: 'ann', source: { engine: 'table', queue: 'mail', id: '7' }, redrives: 0, idempotencyKey: 'mail/7' }
 * const state = redriveState(letter)
 * state.attempts // => 0
 * state.redrives // => 1
 * state.idempotencyKey // => 'mail/7'
 */
export function redriveState(letter: DeadLetter, options?: { readonly maxRedrives?: number | undefined }): RetryState {
  const { maxRedrives = MOST_REDRIVES, ...others } = optionsOf(options);
  noOthers(others, 'maxRedrives');
  mustBe('maxRedrives', maxRedrives, aCount);
  mustBe('letter', letter, anObject);
  const { redrives, idempotencyKey, diedAt } = letter;
  mustBe('letter.redrives', redrives, aWholeNumber);
  mustBe('letter.idempotencyKey', idempotencyKey, aKey);
  mustBe('letter.diedAt', diedAt, anInstant);
  if (redrives >= maxRedrives) throw new RangeError(`letter.redrives must be below maxRedrives (${maxRedrives}), got ${redrives}`);
  return { version: 1, firstStartedAt: diedAt, attempts: 0, idempotencyKey, redrives: redrives + 1, log: [], droppedDecisions: 0 };
}

/**
 * Whether a job's data is a dead letter.
 *
 * @example
 * isDeadLetter({ to: 'ann' }) // => false
 */
export function isDeadLetter(value: unknown): value is DeadLetter {
  const keeps = (name: keyof DeadLetter, rule: Rule) => {
    const field = readSafely(value, name);
    return typeof field === (rule.type ?? 'number') && field !== null && rule.holds(field as never);
  };
  return (
    isObject(value) &&
    keeps('reason', aReason) &&
    keeps('redrives', aWholeNumber) &&
    keeps('idempotencyKey', aKey) &&
    keeps('log', aList) &&
    keeps('source', anObject) &&
    Object.hasOwn(value, 'payload')
  );
}
