import * as say from './thrown.js';

const inTwoSeconds = { 'retry-after': '2' };
const hint = { retryAfterMs: 2_000 };

const octokitStatus = (status: number) =>
  say.named('HttpError', 'busy', {
    status,
    request: {},
    response: { url: 'http://localhost/', status, headers: inTwoSeconds, data: 'busy' },
  });
/** Where there was no answer, it says 500. */
const octokitSays = (cause: unknown) => say.named('HttpError', 'no answer', { cause, status: 500, request: {}, response: undefined });

const octokit = say.failuresOf(
  'octokit',
  ['503', octokitStatus(503), 'answered', 'httpErrors', hint],
  ['500, in truth', octokitStatus(500), 'answered', 'httpErrors', hint],
  ['404', octokitStatus(404), 'answered', 'no'],
  ['refused', octokitSays(say.fetchFailed(say.refused())), 'not-sent', 'networkErrors'],
  ['the name is unknown', octokitSays(say.fetchFailed(say.noSuchHost())), 'not-sent', 'unknownHosts'],
  ['self-signed', octokitSays(say.fetchFailed(say.selfSigned())), 'not-sent', 'no'],
  ['a bad URL', octokitSays(say.type('Failed to parse URL', { cause: say.badUrl() })), 'not-sent', 'no'],
  ['reset', octokitSays(say.fetchFailed(say.reset())), 'unknown', 'networkErrors'],
  ['closed', octokitSays(say.fetchFailed(say.closed())), 'unknown', 'networkErrors'],
  ['time is up', octokitSays(say.timedOut()), 'unknown', 'networkErrors'],
  ['abort, on which it writes the status', say.aborted({ status: 500 }), 'unknown', 'aborted'],
  ['abort with a reason of its own', octokitSays(say.plain('the user went away')), 'unknown', 'no'],
);

const inMilliseconds = { 'retry-after-ms': '120.5', ...inTwoSeconds };
const nothing = { status: undefined, headers: undefined, requestID: undefined, error: undefined, code: undefined };
const openaiSays = (className: string, message: string, cause?: unknown) => say.ofClass(className, message, { ...nothing, cause });
const openaiStatus = (className: string, status: number, headers: Readonly<Record<string, string>> = inTwoSeconds) =>
  say.ofClass(className, `${status} busy`, { ...nothing, status, headers: new Headers(headers) });

const openai = say.failuresOf(
  'openai',
  ['503', openaiStatus('InternalServerError', 503), 'answered', 'httpErrors', hint],
  ['429 with milliseconds', openaiStatus('RateLimitError', 429, inMilliseconds), 'answered', 'httpErrors', { retryAfterMs: 121 }],
  ['503 that asks for no retry', openaiStatus('InternalServerError', 503, { 'x-should-retry': 'false' }), 'answered', 'no'],
  ['404', openaiStatus('NotFoundError', 404), 'answered', 'no'],
  ['refused', openaiSays('APIConnectionError', 'Connection error.', say.fetchFailed(say.refused())), 'not-sent', 'networkErrors'],
  [
    'the name is unknown',
    openaiSays('APIConnectionError', 'Connection error.', say.fetchFailed(say.noSuchHost())),
    'not-sent',
    'unknownHosts',
  ],
  ['self-signed', openaiSays('APIConnectionError', 'Connection error.', say.fetchFailed(say.selfSigned())), 'not-sent', 'no'],
  ['closed', openaiSays('APIConnectionError', 'Connection error.', say.fetchFailed(say.closed())), 'unknown', 'networkErrors'],
  ['a bad URL', say.badUrl(), 'not-sent', 'no'],
  ['its own timeout', openaiSays('APIConnectionTimeoutError', 'Request timed out.'), 'unknown', 'networkErrors'],
  ['abort', openaiSays('APIUserAbortError', 'Request was aborted.'), 'unknown', 'aborted'],
);

const $metadata = { attempts: 1, totalRetryDelay: 0 };
const awsStatus = (name: string, httpStatusCode: number) =>
  say.named(name, 'busy', {
    ...{ $fault: 'server', $metadata: { ...$metadata, httpStatusCode }, $response: { statusCode: httpStatusCode, headers: inTwoSeconds } },
  });

const aws = say.failuresOf(
  'AWS SDK',
  ['503', awsStatus('ServiceUnavailable', 503), 'answered', 'httpErrors', hint],
  ['404', awsStatus('ResourceNotFoundException', 404), 'answered', 'no'],
  ['refused', say.system('ECONNREFUSED', 'connect', { $metadata }), 'not-sent', 'networkErrors'],
  ['abort', say.named('AbortError', 'Request aborted', { $metadata }), 'unknown', 'aborted'],
);

/** It has no cause, and gives the code as `errno` too. */
const nodeFetchSays = (code: string, erroredSysCall?: string) =>
  say.named('FetchError', `request to http://localhost/ failed, reason: ${code}`, { type: 'system', errno: code, code, erroredSysCall });

const nodeFetch = say.failuresOf(
  'node-fetch',
  ['refused', nodeFetchSays('ECONNREFUSED', 'connect'), 'not-sent', 'networkErrors'],
  ['the name is unknown', nodeFetchSays('ENOTFOUND', 'getaddrinfo'), 'not-sent', 'unknownHosts'],
  ['self-signed', nodeFetchSays('DEPTH_ZERO_SELF_SIGNED_CERT'), 'not-sent', 'no'],
  ['reset', nodeFetchSays('ECONNRESET', 'read'), 'unknown', 'networkErrors'],
  ['closed, before the answer or in it', nodeFetchSays('ECONNRESET'), 'unknown', 'networkErrors'],
  ['abort', say.named('AbortError', 'The operation was aborted.', { type: 'aborted' }), 'unknown', 'aborted'],
);

const undici = say.failuresOf(
  'undici',
  ['refused', say.refused(), 'not-sent', 'networkErrors'],
  ['the name is unknown', say.noSuchHost(), 'not-sent', 'unknownHosts'],
  ['self-signed', say.selfSigned(), 'not-sent', 'no'],
  ['reset', say.reset(), 'unknown', 'networkErrors'],
  ['closed', say.closed(), 'unknown', 'networkErrors'],
  ['destroyed', say.named('ClientDestroyedError', 'The client is destroyed', { code: 'UND_ERR_DESTROYED' }), 'unknown', 'no'],
  ['abort', say.aborted(), 'unknown', 'aborted'],
);

const grpcSays = (code: number, name: string, details: string) =>
  say.plain(`${code} ${name}: ${details}`, { code, details, metadata: { get: () => [] } });

const grpc = say.failuresOf(
  'grpc-js',
  [
    'refused, which only a text tells',
    grpcSays(14, 'UNAVAILABLE', 'No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:8080'),
    'unknown',
    'grpcErrors',
  ],
  ['abort', grpcSays(1, 'CANCELLED', 'Cancelled on client'), 'unknown', 'no'],
);

export const sdks = [...octokit, ...openai, ...aws, ...nodeFetch, ...undici, ...grpc];
