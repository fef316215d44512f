import { mustBe, type Rule } from './assert.js';
import type { DeadLetterReason, Decision } from './decision.js';
import { messageOf, PermanentFailure } from './failure.js';
import { brand, readSafely } from './mark.js';

interface ResultBase {
  /** How often the task was called. */
  readonly attempts: number;
  /** Time from the start of the run to its last decision, in milliseconds. */
  readonly elapsedMs: number;
  /** The newest decisions, `logLimit` at the most, oldest first. */
  readonly log: readonly Decision[];
  /** How many decisions the log had no room for. */
  readonly droppedDecisions: number;
}

/** A run that ended with the task's value. */
export interface Succeeded<T> extends ResultBase {
  readonly ok: true;
  readonly value: T;
}

/** A run that ended without a value. */
export interface DeadLettered extends ResultBase {
  readonly ok: false;
  /** What the task last failed with, as it was thrown; for `'aborted'`, the signal's reason. */
  readonly error: unknown;
  readonly reason: DeadLetterReason;
}

/** How a run ended. */
export type RetryResult<T> = Succeeded<T> | DeadLettered;

const DEAD_LETTER: unique symbol = /* @__PURE__ */ Symbol.for('retry-policy.dead-letter');

/**
 * What {@link unwrap} throws: `cause` is the error that the task last failed with, `reason` why the run ended, `log` its decisions and
 * `attempts` their number. It bears the permanent mark, so that nested retries do not multiply.
 *
 * @example
 * const result = await runWithRetry(() => { throw new Error('404') })
 * const error = new DeadLetterError(result)
 * error.message // => 'gave up after 1 attempt (permanent): 404'
 * error.cause.message // => '404'
 * error.reason // => 'permanent'
 * error.attempts // => 1
 */
export class DeadLetterError extends PermanentFailure {
  readonly reason: DeadLetterReason;
  readonly log: readonly Decision[];
  readonly attempts: number;

  constructor({ error, reason, log, attempts }: Pick<DeadLettered, 'error' | 'reason' | 'log' | 'attempts'>) {
    giveName();
    super(`gave up after ${attempts} attempt${attempts === 1 ? '' : 's'} (${reason}): ${messageOf(error)}`, error);
    brand(this, DEAD_LETTER);
    this.reason = reason;
    this.log = log;
    this.attempts = attempts;
  }
}

function giveName(): void {
  DeadLetterError.prototype.name = 'DeadLetterError';
}

/**
 * Whether `error` is a {@link DeadLetterError}, of whichever copy of this library; never throws.
 *
 * @example
 * const result = await runWithRetry(() => { throw new Error('404') })
 * isDeadLetterError(new DeadLetterError(result)) // => true
 * isDeadLetterError(result.error) // => false
 */
export const isDeadLetterError = (error: unknown): error is DeadLetterError => readSafely(error, DEAD_LETTER) === true;

const aResult: Rule = {
  words: 'what runWithRetry resolves with (is an await missing?)',
  holds: ({ ok }: { ok: unknown }) => typeof ok === 'boolean',
  type: 'object',
};

/**
 * The value of a result; what is thrown in its place if there is none says all that the result knew.
 *
 * @throws the signal's reason itself, if the run was aborted
 * @throws {DeadLetterError} if the run ended without a value for any other reason
 * @throws {TypeError} if `result` is no result (a promise of one, say)
 * @example
 * unwrap(await runWithRetry(() => 42)) // => 42
 */
export function unwrap<T>(result: RetryResult<T>): T {
  mustBe('result', result, aResult);
  if (result.ok) return result.value;
  throw result.reason === 'aborted' ? result.error : new DeadLetterError(result);
}
