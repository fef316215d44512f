import { isObject, mustBe, noOthers, type Rule, show } from './assert.js';
import { brand, PERMANENT, readSafely, TRANSIENT } from './mark.js';

const ATTEMPT_TIMEOUT: unique symbol = /* @__PURE__ */ Symbol.for('retry-policy.attempt-timeout');

/** What a `TransientFailure` may bring: its cause, and the wait that the server demands in milliseconds, finite, >= 0. */
export interface FailureOptions {
  readonly cause?: unknown;
  readonly retryAfterMs?: number | undefined;
}

/** Stands between, since webpack would keep a class that extends a global one, though nobody uses it. */
class RetryError extends Error {}

/**
 * A failure that passes: throw it, or a subclass of it, to have the attempt repeated.
 *
 * @param options  `cause`: what led to it; `retryAfterMs`: the wait that the server demands, in milliseconds, finite, >= 0
 * @throws {TypeError} if `retryAfterMs` is no number, or a name is unknown
 * @throws {RangeError} if `retryAfterMs` is negative or not finite
 * @example
 * const failure = new TransientFailure('503 from the price service', { retryAfterMs: 1_500 })
 * isTransient(failure) // => true
 * failure.retryAfterMs // => 1_500
 */
export class TransientFailure extends RetryError {
  declare readonly retryAfterMs?: number | undefined;

  constructor(message?: string, options: FailureOptions = {}) {
    mustBe('options', options, optionsOfFailure);
    const { cause: _, retryAfterMs, ...others } = options;
    noOthers(others, 'cause, retryAfterMs');
    giveNames();
    super(message, options);
    // Read when it is asked for, since a subclass may set its own hint.
    brand(this, TRANSIENT, () => (this.retryAfterMs === undefined ? true : { retryAfterMs: this.retryAfterMs }));
    if (retryAfterMs === undefined) return;
    mustBe('retryAfterMs', retryAfterMs);
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * What an attempt fails with when its time is up; transient, and also the reason of the attempt's `signal`.
 *
 * `limit` tells which limit it was: `'attempt'` (the policy's `attemptTimeoutMs`) or `'budget'` (what was left of `totalBudgetMs`);
 * `timeoutMs` is the time that the attempt had, in milliseconds; `cause` is what the attempt before failed with, if there was one, so
 * that a limit never hides the real trouble.
 *
 * @example
 * const error = new AttemptTimeout('attempt', 8_000)
 * error.message // => 'the attempt took longer than 8000 ms (attempt limit)'
 * isAttemptTimeout(error) && isTransient(error) // => true
 */
export class AttemptTimeout extends TransientFailure {
  readonly limit: 'attempt' | 'budget';
  readonly timeoutMs: number;

  constructor(limit: 'attempt' | 'budget', timeoutMs: number, options?: { readonly cause?: unknown }) {
    super(`the attempt took longer than ${timeoutMs} ms (${limit} limit)`, options);
    brand(this, ATTEMPT_TIMEOUT);
    this.limit = limit;
    this.timeoutMs = timeoutMs;
  }
}

/** An error in their place would be dropped unseen. */
const optionsOfFailure: Rule = {
  words: 'an object such as { cause: error }',
  holds: (value: object) => !(value instanceof Error),
  type: 'object',
};

/** Names the classes. Not at the top of the module: what has an effect there, no bundler leaves out. */
function giveNames(): void {
  TransientFailure.prototype.name = 'TransientFailure';
  AttemptTimeout.prototype.name = 'AttemptTimeout';
}

/** A failure that must not be repeated, whatever a classifier says: the base of this library's own final errors. */
export class PermanentFailure extends RetryError {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    brand(this, PERMANENT);
  }
}

/**
 * Whether `error` is an {@link AttemptTimeout}, of whichever copy of this library; never throws.
 *
 * @example
 * isAttemptTimeout(new AttemptTimeout('budget', 120)) // => true
 * isAttemptTimeout(new TransientFailure('slow')) // => false
 */
export const isAttemptTimeout = (error: unknown): error is AttemptTimeout => readSafely(error, ATTEMPT_TIMEOUT) === true;

/** What was thrown, in a few words; never throws. */
export function messageOf(thrown: unknown): string {
  const message = readSafely(thrown, 'message');
  const kind = readSafely(thrown, Symbol.toStringTag);
  return typeof message === 'string' ? message : isObject(thrown) && typeof kind === 'string' ? kind : show(thrown);
}
