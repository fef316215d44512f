import { isObject } from '../assert.js';
import { readSafely } from '../mark.js';
import { causeOf } from './chain.js';
import { headerOf } from './headers.js';
import { parseRetryAfter, type ResponseHeaders } from './retry-after.js';
import type { Said } from './verdicts.js';

/**
 * The statuses that are worth asking again for: 408, 425, 429, 500, 502, 503, 504 (RFC 9110 §15, RFC 8470 §5.2, RFC 6585 §4), and 521 to
 * 524, by which Cloudflare says that it did not reach the server behind it, or not in time.
 */
export const transientStatuses: readonly number[] = /* @__PURE__ */ Object.freeze([408, 425, 429, 500, 502, 503, 504, 521, 522, 523, 524]);

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/** The answer that a failure brings with it, if it does: it has a response, or is one, or has the status and the headers of one. */
export function answerOf(node: unknown): Answer | undefined {
  const response = readSafely(node, 'response');
  const metadata = readSafely(node, '$metadata'); // AWS
  // A status beside a cause and no headers is the client's own word for whatever failed: Octokit says 500 of a bad certificate.
  const isHearsay = causeOf(node) !== undefined && !isObject(readSafely(node, 'headers'));
  return (
    answer(statusOf(response), response) ??
    answer(readSafely(metadata, 'httpStatusCode'), readSafely(node, '$response')) ??
    (isHearsay ? undefined : answer(statusOf(node), node))
  );
}

const statusOf = (node: unknown): unknown => readSafely(node, 'status') ?? readSafely(node, 'statusCode');

const answer = (status: unknown, bearer: unknown): Answer | undefined =>
  typeof status === 'number' && status >= 200 && status < 600
    ? { status, headers: readSafely(bearer, 'headers') as ResponseHeaders }
    : undefined;

/**
 * What follows from an answer. `x-should-retry` is the server's own word (OpenAI, Anthropic). A 413 is worth another try only if the
 * server says when (RFC 9110 §15.5.14).
 */
export function verdictOn({ status, headers }: Answer, statuses: readonly number[], now: () => number): Said {
  const word = status < 400 ? undefined : headerOf(headers, 'x-should-retry');
  if (word === 'false') return 'permanent';
  const isTransient = word === 'true' || statuses.includes(status);
  if (!isTransient && status !== 413) return 'no';
  const retryAfterMs = parseRetryAfter(headers, now());
  if (retryAfterMs !== undefined) return { verdict: 'transient', retryAfterMs };
  return isTransient ? 'transient' : 'no';
}
