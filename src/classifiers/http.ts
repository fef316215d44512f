import { aFunction, isObject } from '../assert.js';
import type { Classifier } from '../classify.js';
import { readSafely } from '../mark.js';
import { Faults, type Rules } from '../options.js';
import { systemClock } from '../system-clock.js';
import { answerOf, transientStatuses, verdictOn } from './answer.js';
import { textOf } from './facts.js';
import { aStatusList } from './rules.js';
import { classifierOf } from './verdicts.js';

/** What an answer is judged by. */
export interface HttpErrorsOptions {
  /** The statuses that are worth asking again for. Default {@link transientStatuses}. A 413 with a `Retry-After` is, beside whatever list. */
  statuses?: readonly number[] | undefined;
  /** The wall clock, epoch milliseconds, for an answer that names an instant and has no `Date` of its own. Default the system's. */
  now?: (() => number) | undefined;
}

const rules: Rules<HttpErrorsOptions> = { statuses: aStatusList, now: aFunction };

/**
 * A classifier for answers of HTTP servers, as they are thrown: a `Response` of `fetch`, or the errors of axios, got, ky, ofetch, Octokit,
 * the AWS SDK, OpenAI's and Anthropic's clients and whatever has `status` (or `statusCode`) and `headers`. The verdict carries the wait
 * that the answer asks for ({@link parseRetryAfter}).
 *
 * Transient are the `statuses`, a 413 that says when to come back, and what AWS calls retryable or throttled; `x-should-retry` in the
 * answer outranks its status. A status that stands beside a cause, without headers, is no answer: some clients give 500 to whatever
 * failed. Network failures have a classifier of their own, {@link networkErrors}.
 *
 * @throws {TypeError} if an option is of the wrong type or unknown
 * @example
 * const busy = { status: 503, headers: { 'retry-after': '7' } }
 * httpErrors()(busy) // => { verdict: 'transient', retryAfterMs: 7_000 }
 * httpErrors()({ response: { status: 404, headers: {} } }) // => undefined
 * httpErrors({ statuses: [404] })({ response: { status: 404, headers: {} } }) // => 'transient'
 */
export function httpErrors(options: HttpErrorsOptions = {}): Classifier {
  const faults = new Faults('httpErrors options');
  const { statuses = transientStatuses, now = systemClock.now } = faults.names('options', options, rules);
  faults.values({ statuses, now }, rules);
  faults.throwIfAny();
  const listed = Array.from(statuses);
  return classifierOf((node) => {
    const answer = answerOf(node);
    const isTransient = isAwsTrouble(node);
    if (answer === undefined) return isTransient ? 'transient' : undefined;
    return verdictOn(answer, isTransient ? [answer.status] : listed, now);
  });
}

/** Throttlings come with a status of 400. The names are those of the guide "AWS SDKs and Tools: retry behavior". */
const throttlings = /* @__PURE__ */ new Set([
  ...['Throttling', 'ThrottlingException', 'ThrottledException', 'RequestThrottled', 'RequestThrottledException', 'EC2ThrottledException'],
  ...['TooManyRequestsException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'BandwidthLimitExceeded', 'SlowDown'],
  ...['TransactionInProgressException', 'PriorRequestNotComplete', 'RequestTimeout', 'RequestTimeoutException'],
]);

function isAwsTrouble(node: unknown): boolean {
  return isObject(readSafely(node, '$metadata')) && (isObject(readSafely(node, '$retryable')) || throttlings.has(textOf(node, 'name')));
}
