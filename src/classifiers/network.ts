import type { Classifier } from '../classify.js';
import { causeOf } from './chain.js';
import { anyOf, textOf } from './facts.js';
import { connectCodes } from './unsent.js';
import { classifierOf } from './verdicts.js';

/** Codes of failures that pass. Absent, so permanent: certificates, bad URLs, answers that are no HTTP, agents that were closed. */
const codes = /* @__PURE__ */ new Set([
  // the system's (POSIX errno, getaddrinfo), as Node, Bun and most clients give them
  ...['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'],
  ...['ENETDOWN', 'ENETRESET', 'ENETUNREACH', 'EHOSTDOWN', 'EHOSTUNREACH'],
  // undici's, inside the "fetch failed" of Node
  ...['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET'],
  'ConnectionClosed', // Bun before 1.3
]);

/** A fetch that failed, where the platform gives no code: the whole text of the TypeError. Error trackers append the host in brackets. */
const texts = /* @__PURE__ */ anyOf(
  [
    'failed to fetch|network error', // Chromium, and while it reads a body
    'networkerror when attempting to fetch resource', // Firefox
    'load failed|the network connection was lost|the internet connection appears to be offline', // Safari
    'the request timed out|could not connect to the server', // Safari
    'network request (failed|timed out)', // React Native
    'error reading a body from connection', // Deno
  ],
  '( \\(.*\\))?\\.?$',
  'i',
);
/** Errors that are no TypeErrors and have no code: the inner one of Deno; that of workerd, which calls whatever failed retryable, aborts too. */
const plainTexts =
  /\btcp connect error\b|\bconnection (reset by|closed before)\b|\btemporary failure in name resolution\b|^network connection lost\.?$/i;

/** Whether a single error is one by which platforms tell that a request failed in passing. */
export function isNetworkFailure(node: unknown): boolean {
  const name = textOf(node, 'name');
  const message = textOf(node, 'message');
  const code = textOf(node, 'code');
  if (connectCodes.includes(code) || codes.has(code) || name === 'TimeoutError') return true;
  return isGeneral(node, (name === 'TypeError' && texts.test(message)) || plainTexts.test(message));
}

/** A general word counts only where no cause knows better. */
const isGeneral = (node: unknown, isSaid: boolean): boolean => isSaid && textOf(causeOf(node), 'message') === '';

/** The same in the words of clients: axios, which says `ERR_NETWORK` of bad certificates too; node-fetch of a body that was cut; OpenAI's and Anthropic's. */
const clientCodes = /^(ERR_NETWORK|ERR_STREAM_PREMATURE_CLOSE)$/;
const clientTexts = /^(stream has been aborted|request timed out)\.?$/i;
const isClientFailure = (node: unknown): boolean =>
  isGeneral(node, clientCodes.test(textOf(node, 'code')) || clientTexts.test(textOf(node, 'message')));

/**
 * The classifier for failures between client and server: connections that are refused, reset, cut or time out, networks and hosts out of
 * reach, DNS that does not answer; as Node, Bun, Deno, workerd, Chromium, Firefox, Safari and React Native tell them, bare or inside the
 * errors of clients. By codes and names; by text only where there is nothing else.
 *
 * Not transient: a TypeError of your own, bad URLs, certificates, blocked ports, answers that are no HTTP, names that DNS does not know
 * ({@link unknownHosts}).
 *
 * @example
 * const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
 * networkErrors(new TypeError('fetch failed', { cause: refused })) // => 'transient'
 * networkErrors(new TypeError('Failed to fetch')) // => 'transient'
 * networkErrors(new TypeError('x is not a function')) // => undefined
 * networkErrors(new DOMException('stop', 'AbortError')) // => 'permanent'
 */
export const networkErrors: Classifier = /* @__PURE__ */ classifierOf((node) =>
  isNetworkFailure(node) || isClientFailure(node) ? 'transient' : undefined,
);

/**
 * The classifier for names that DNS does not know. Mostly that is a name misspelt, hence permanent unless this is asked as well; where
 * names come and go (containers, service discovery) it passes.
 *
 * @example
 * const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND db'), { code: 'ENOTFOUND' })
 * networkErrors(unknown) // => undefined
 * unknownHosts(unknown) // => 'transient'
 */
export const unknownHosts: Classifier = /* @__PURE__ */ classifierOf((node) => {
  const isUnknown =
    textOf(node, 'code') === 'ENOTFOUND' ||
    /\bdns error: (?!.*temporary failure)/i.test(textOf(node, 'message')) || // Deno
    (textOf(node, 'name') === 'TypeError' && /^a server with the specified hostname could not be found\b/i.test(textOf(node, 'message'))); // Safari
  return isUnknown ? 'transient' : undefined;
});
