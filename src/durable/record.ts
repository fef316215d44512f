import { aCount, anInstant, anObject, mustBe, type Rule } from '../assert.js';
import type { DeadLetterDecision, Decision, RetryDecision, SucceedDecision } from '../decision.js';
import { type ErrorRecord, toErrorRecord } from './error-record.js';

type Recorded<D> = Omit<D, 'error'> & { readonly error: ErrorRecord };

/** A decision as JSON: its `error` is an {@link ErrorRecord}. */
export type DecisionRecord = SucceedDecision | Recorded<RetryDecision> | Recorded<DeadLetterDecision>;

/**
 * A decision, as a run tells it or has it in its log, in the form that can be stored.
 *
 * @example
 * const { log } = await runWithRetry(() => { throw 'no' })
 * toDecisionRecord(log[0]).error // => { name: 'string', message: 'no' }
 */
export function toDecisionRecord(decision: Decision): DecisionRecord {
  return decision.action === 'succeed' ? decision : { ...decision, error: toErrorRecord(decision.error) };
}

export const aWholeNumber: Rule = { words: 'an integer >= 0', holds: (n: number) => n >= 0 && Number.isInteger(n) };
export const aList: Rule = { words: 'an array', holds: Array.isArray, type: 'object' };
const aRange: Rule = {
  words: 'a pair of integers, the lower first',
  holds: (range: unknown[]) =>
    Array.isArray(range) && range.length === 2 && range.every(Number.isInteger) && Number(range[0]) <= Number(range[1]),
  type: 'object',
};
const oneOf = (...words: readonly string[]): Rule => ({
  words: `one of ${words.join(', ')}`,
  holds: (word: string) => words.includes(word),
  type: 'string',
});
const anAction = /* @__PURE__ */ oneOf('succeed', 'retry', 'dead-letter');
const aJudge = /* @__PURE__ */ oneOf('mark', 'classifier', 'default');
export const aReason = /* @__PURE__ */ oneOf(
  ...['permanent', 'committed', 'attempts-exhausted', 'budget-exhausted', 'retry-after-too-long', 'quota-exhausted', 'aborted'],
);

/**
 * Refuses a log that is none; what is beyond the known fields is let pass.
 *
 * @throws {TypeError | RangeError} that names the record and its field
 */
export function checkLog(name: string, log: readonly DecisionRecord[]): void {
  mustBe(name, log, aList);
  log.forEach((record, index) => {
    const field = `${name}[${index}]`;
    mustBe(field, record, anObject);
    mustBe(`${field}.action`, record.action, anAction);
    mustBe(`${field}.attempt`, record.attempt, aCount);
    mustBe(`${field}.startedAt`, record.startedAt, anInstant);
    mustBe(`${field}.durationMs`, record.durationMs);
    mustBe(`${field}.elapsedMs`, record.elapsedMs);
    if (record.action === 'succeed') return;
    mustBe(`${field}.error`, record.error, anObject);
    if (record.retryAfterMs !== undefined) mustBe(`${field}.retryAfterMs`, record.retryAfterMs);
    if (record.action === 'dead-letter') {
      if (record.judgedBy !== undefined) mustBe(`${field}.judgedBy`, record.judgedBy, aJudge);
      mustBe(`${field}.reason`, record.reason, aReason);
      return;
    }
    mustBe(`${field}.judgedBy`, record.judgedBy, aJudge);
    mustBe(`${field}.backoffMs`, record.backoffMs);
    mustBe(`${field}.delayMs`, record.delayMs);
    mustBe(`${field}.retryAt`, record.retryAt, anInstant);
    if (record.drawnFrom !== undefined) mustBe(`${field}.drawnFrom`, record.drawnFrom, aRange);
  });
}
