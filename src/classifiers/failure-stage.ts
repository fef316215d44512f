import { isDeadLetterError } from '../outcome.js';
import { isAbortLike } from './abort-like.js';
import { answerOf } from './answer.js';
import { attemptsOf } from './attempts.js';
import { readChain } from './chain.js';
import { textOf } from './facts.js';
import { isUnsent } from './unsent.js';

/** How far a failed request came: no byte of it left, nobody can tell, or the server answered. */
export type FailureStage = 'not-sent' | 'unknown' | 'answered';

/** What is given only before the first byte: what OpenSSL finds wrong with a certificate in the handshake, TLS spoken to no TLS, URLs. */
const unsentCodes =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_|ERR_TLS_CERT_|ERR_SSL_WRONG_VERSION_NUMBER$|ERR_INVALID_URL$)/;
/** The same where there is no code: Node, workerd; Deno; Chromium. */
const unsentTexts = /^(bad port|unknown scheme|invalid url\b|url scheme '|fetch failed: requests to port )|\bfailed to parse url\b/i;
/** Connections to databases that were not made in time: postgres, mariadb; pg. */
const databaseCodes = /^(CONNECT_TIMEOUT|ER_CONNECTION_TIMEOUT)$/;
const databaseTexts = /^(timeout expired|timeout exceeded when trying to connect)$/;
/** A body that was cut off, or a redirect that could not be followed: Node, Deno. */
const answeredTexts =
  /^(terminated$|error reading a body from|redirect count exceeded|unexpected redirect|too many redirects|fetch failed: .*redirect)/i;

function stageOf(node: unknown): FailureStage | undefined {
  const code = textOf(node, 'code');
  const message = textOf(node, 'message');
  if (answerOf(node) !== undefined || answeredTexts.test(message)) return 'answered';
  if (isUnsent(node) || unsentCodes.test(code) || unsentTexts.test(message)) return 'not-sent';
  return databaseCodes.test(code) || databaseTexts.test(message) ? 'not-sent' : undefined;
}

/**
 * How far the request came that failed with this error. `'not-sent'`: the connection was refused or not made in time, the name not
 * found, the certificate wrong; such a request may go again whatever it does. `'answered'`: a status is known. `'unknown'`: anything
 * else, resets and timeouts among them; the server may have done the work.
 *
 * It knows this one error, and is unknown of what several attempts ended with. A request that was redirected may have been answered before, by another server than the one that refused.
 *
 * @example
 * const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' })
 * failureStage(new TypeError('fetch failed', { cause: refused })) // => 'not-sent'
 * failureStage(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })) // => 'unknown'
 * failureStage({ status: 503, headers: {} }) // => 'answered'
 */
export const failureStage = (error: unknown): FailureStage => readChain(error, stageOf, together, saysNothing, 'unknown') ?? 'unknown';

const together = (stages: readonly (FailureStage | undefined)[]): FailureStage =>
  stages.every((stage) => stage === 'not-sent') ? 'not-sent' : stages.includes('answered') ? 'answered' : 'unknown';

/** It tells of one attempt, where there were others before; and on an abort a client may have written a status of its own. */
const saysNothing = (node: object): boolean => isDeadLetterError(node) || isAbortLike(node) || (attemptsOf(node) ?? []).length > 1;
