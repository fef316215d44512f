import * as say from './thrown.js';

// Only a text tells it, of a failure that is permanent: to say 'unknown' is honest, and so is this.
const hasAnswered = { orStage: 'answered' } as const;
const neverSent = { orStage: 'not-sent' } as const;

const undici = (name: string, code: string, message: string) => say.fetchFailed(say.named(name, message, { code }));
const slowBody = say.named('BodyTimeoutError', 'Body Timeout Error', { code: 'UND_ERR_BODY_TIMEOUT' });
const withoutCode = (message: string) => say.fetchFailed(say.plain(message));

const node = say.failuresOf(
  'fetch of Node',
  ['refused', say.fetchFailed(say.refused()), 'not-sent', 'networkErrors'],
  ['refused on both addresses', say.fetchFailed(both(say.refused(), say.refused())), 'not-sent', 'networkErrors'],
  ['refused, and no route', say.fetchFailed(both(say.system('ENETUNREACH', 'connect'), say.refused())), 'not-sent', 'networkErrors'],
  ['no answer to connect', undici('ConnectTimeoutError', 'UND_ERR_CONNECT_TIMEOUT', 'Connect Timeout Error'), 'not-sent', 'networkErrors'],
  ['no route', say.fetchFailed(say.system('ENETUNREACH', 'connect')), 'not-sent', 'networkErrors'],
  ['the name is unknown', say.fetchFailed(say.noSuchHost()), 'not-sent', 'unknownHosts'],
  ['no resolver', say.fetchFailed(say.system('EAI_AGAIN', 'getaddrinfo')), 'not-sent', 'networkErrors'],
  ['reset before the answer', say.fetchFailed(say.reset()), 'unknown', 'networkErrors'],
  ['reset while sending', say.fetchFailed(say.system('ECONNRESET', 'write')), 'unknown', 'networkErrors'],
  ['closed before the answer', say.fetchFailed(say.closed()), 'unknown', 'networkErrors'],
  ['reset in the body', say.terminated(say.reset()), 'answered', 'networkErrors'],
  ['closed in the body', say.terminated(say.closed()), 'answered', 'networkErrors'],
  ['no headers in time', undici('HeadersTimeoutError', 'UND_ERR_HEADERS_TIMEOUT', 'Headers Timeout Error'), 'unknown', 'networkErrors'],
  ['no body in time', say.terminated(slowBody), 'answered', 'networkErrors'],
  ['not HTTP', undici('HTTPParserError', 'HPE_INVALID_CONSTANT', 'Expected HTTP/'), 'unknown', 'no'],
  ['not HTTP, said without a code', say.fetchFailed(say.named('HTTPParserError', 'Expected HTTP/')), 'unknown', 'no'],
  ['two lengths', undici('HTTPParserError', 'HPE_UNEXPECTED_CONTENT_LENGTH', "Content-Length can't be present"), 'unknown', 'no'],
  ['two lengths, since Node 22', undici('ResponseContentLengthMismatchError', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', ''), 'unknown', 'no'],
  ['a bad chunk', say.terminated(say.named('HTTPParserError', '', { code: 'HPE_INVALID_CHUNK_SIZE' })), 'answered', 'no'],
  ['a bad chunk, said without a code', say.terminated(say.named('HTTPParserError', 'Invalid character in chunk size')), 'answered', 'no'],
  ['bad gzip', say.terminated(say.plain('incorrect header check', { errno: -3, code: 'Z_DATA_ERROR' })), 'answered', 'no'],
  ['endless headers', undici('HeadersOverflowError', 'UND_ERR_HEADERS_OVERFLOW', 'Headers Overflow Error'), 'unknown', 'no'],
  ['endless redirects', withoutCode('redirect count exceeded'), 'unknown', 'no', hasAnswered],
  ['a redirect that is an error', withoutCode('unexpected redirect'), 'unknown', 'no', hasAnswered],
  ['self-signed', say.fetchFailed(say.selfSigned()), 'not-sent', 'no'],
  ['unknown issuer', say.fetchFailed(say.plain('', { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })), 'not-sent', 'no'],
  ['expired', say.fetchFailed(say.plain('certificate has expired', { code: 'CERT_HAS_EXPIRED' })), 'not-sent', 'no'],
  ['wrong host', say.fetchFailed(say.plain('', { code: 'ERR_TLS_CERT_ALTNAME_INVALID', host: 'localhost' })), 'not-sent', 'no'],
  ['https to http', say.fetchFailed(say.plain('', { library: 'SSL routines', code: 'ERR_SSL_WRONG_VERSION_NUMBER' })), 'not-sent', 'no'],
  ['a blocked port', withoutCode('bad port'), 'unknown', 'no', neverSent],
  ['an unknown scheme', withoutCode('unknown scheme'), 'unknown', 'no', neverSent],
  ['a bad URL', say.type('Failed to parse URL from http://[bad', { cause: say.badUrl() }), 'not-sent', 'no'],
  ['the body given is broken', withoutCode('the file is gone'), 'unknown', 'no'],
  ['307 and a stream', withoutCode(''), 'unknown', 'no', hasAnswered],
  ['abort', say.aborted(), 'unknown', 'aborted'],
  ['time is up', say.timedOut(), 'unknown', 'networkErrors'],
);

const bunSays = (code: string, message = '') => say.type(message, { code, errno: 0, path: 'http://localhost:8080/' });

const bun = say.failuresOf(
  'fetch of Bun',
  ['refused', bunSays('ECONNREFUSED', 'Unable to connect. Is the computer able to access the url?'), 'not-sent', 'networkErrors'],
  ['no answer to connect', bunSays('ETIMEDOUT'), 'unknown', 'networkErrors', neverSent], // no syscall proves it
  ['no route', bunSays('ENETUNREACH'), 'unknown', 'networkErrors', neverSent],
  ['the name is unknown', bunSays('ENOTFOUND'), 'not-sent', 'unknownHosts'],
  ['no resolver', bunSays('EAI_AGAIN'), 'not-sent', 'networkErrors'],
  ['reset or closed, wherever', bunSays('ECONNRESET', 'The socket connection was closed unexpectedly.'), 'unknown', 'networkErrors'],
  ['not HTTP', bunSays('Malformed_HTTP_Response'), 'unknown', 'no'],
  ['two lengths', bunSays('InvalidContentLength'), 'unknown', 'no'],
  ['a bad chunk', bunSays('InvalidHTTPResponse'), 'unknown', 'no', hasAnswered],
  ['bad gzip', bunSays('ZlibError'), 'unknown', 'no', hasAnswered],
  ['endless redirects', bunSays('TooManyRedirects'), 'unknown', 'no', hasAnswered],
  ['a redirect that is an error', bunSays('UnexpectedRedirect'), 'unknown', 'no', hasAnswered],
  ['self-signed', bunSays('DEPTH_ZERO_SELF_SIGNED_CERT'), 'not-sent', 'no'],
  ['https to http', bunSays('EPROTO'), 'unknown', 'no', neverSent],
  ['an unknown scheme', bunSays('ERR_INVALID_ARG_VALUE'), 'unknown', 'no', neverSent],
  ['a bad URL', bunSays('ERR_INVALID_URL'), 'not-sent', 'no'],
  ['307 and a stream', say.type('Cannot redirect a stream'), 'unknown', 'no', hasAnswered],
  ['abort', say.aborted(), 'unknown', 'aborted'],
  ['time is up', say.timedOut(), 'unknown', 'networkErrors'],
  ['not reached, in Bun 1.2', say.plain('Unable to connect.', { code: 'ConnectionRefused', errno: 0 }), 'not-sent', 'networkErrors'],
  ['closed, in Bun 1.1', say.plain('', { code: 'ConnectionClosed', errno: 0 }), 'unknown', 'networkErrors'],
  ['abort, in Bun 1.1', say.named('AbortError', 'The operation was aborted.', { code: 'ABORT_ERR' }), 'unknown', 'aborted'],
);

/** Behind `fetch failed`, or as the text of the error itself, as Deno did it before. */
const denoText = (fault: string) => `error sending request for url (http://localhost:8080/): client error ${fault}`;
const denoSays = (fault: string) => say.fetchFailed(say.plain(denoText(fault)));

const noAddress = '(Connect): dns error: failed to lookup address information:';

const deno = say.failuresOf(
  'fetch of Deno',
  ['refused', denoSays('(Connect): tcp connect error: Connection refused (os error 111)'), 'not-sent', 'networkErrors'],
  ['no answer to connect', denoSays('(Connect): tcp connect error: Connection timed out (os error 110)'), 'not-sent', 'networkErrors'],
  ['no route', denoSays('(Connect): tcp connect error: Network is unreachable (os error 101)'), 'not-sent', 'networkErrors'],
  ['the name is unknown', denoSays(`${noAddress} Name or service not known`), 'not-sent', 'unknownHosts'],
  ['no resolver', denoSays(`${noAddress} Temporary failure in name resolution`), 'not-sent', 'networkErrors'],
  ['reset', denoSays('(SendRequest): connection error: Connection reset by peer (os error 104)'), 'unknown', 'networkErrors'],
  ['closed', denoSays('(SendRequest): connection closed before message completed'), 'unknown', 'networkErrors'],
  ['reset in the handshake', denoSays('(Connect): Connection reset by peer (os error 104)'), 'not-sent', 'networkErrors'],
  ['cut in the body', say.type('error reading a body from connection'), 'answered', 'networkErrors'],
  ['not HTTP', denoSays('(SendRequest): invalid HTTP version parsed'), 'unknown', 'no'],
  ['two lengths', denoSays('(SendRequest): invalid content-length parsed'), 'unknown', 'no'],
  ['bad gzip', say.type('Invalid gzip header'), 'unknown', 'no', hasAnswered],
  ['endless redirects', say.type('Fetch failed: Maximum number of redirects (20) reached'), 'unknown', 'no', hasAnswered],
  ['unknown issuer', denoSays('(Connect): invalid peer certificate: UnknownIssuer'), 'not-sent', 'no'],
  ['wrong host', denoSays('(Connect): invalid peer certificate: certificate not valid for name "localhost"'), 'not-sent', 'no'],
  ['https to http', denoSays('(Connect): received corrupt message of type InvalidContentType'), 'not-sent', 'no'],
  ['a blocked port', say.type('Fetch failed: Requests to port 1 are blocked'), 'unknown', 'no', neverSent],
  ['an unknown scheme', say.type("Url scheme 'foo' not supported"), 'unknown', 'no', neverSent],
  ['a bad URL', say.type("Invalid URL: 'http://[bad'"), 'unknown', 'no', neverSent],
  ['307 and a stream', say.type('Fetch failed: Can not redeliver a streaming request body'), 'unknown', 'no', hasAnswered],
  ['abort', say.aborted(), 'unknown', 'aborted'],
  [
    'refused, in Deno 2.5',
    say.type(denoText('(Connect): tcp connect error: Connection refused (os error 111)')),
    'not-sent',
    'networkErrors',
  ],
  ['a bad certificate, in Deno 2.5', say.type(denoText('(Connect): invalid peer certificate: UnknownIssuer')), 'not-sent', 'no'],
);

const browsers = say.failuresOf(
  'fetch of Chromium',
  ['anything before the answer', say.type('Failed to fetch'), 'unknown', 'networkErrors'],
  ['the same, told by an error tracker', say.type('Failed to fetch (api.example.com)'), 'unknown', 'networkErrors'],
  ['a cut, in a reader', say.type('network error'), 'answered', 'networkErrors', { orStage: 'unknown' }],
  ['a module that is not there', say.type('Failed to fetch dynamically imported module: http://localhost/a.js'), 'unknown', 'no'],
  ['a bad URL', say.type("Failed to execute 'fetch' on 'Window': Failed to parse URL from http://[bad"), 'unknown', 'no', neverSent],
  ['abort', say.aborted(), 'unknown', 'aborted'],
);

const workerd = say.failuresOf(
  'fetch of workerd',
  ['lost', say.plain('Network connection lost.', { retryable: true }), 'unknown', 'networkErrors'],
  ['an unknown name, or a bad certificate', say.plain('internal error; reference = k3jh2', { retryable: true }), 'unknown', 'no'],
  ['endless redirects', say.type('Too many redirects.'), 'unknown', 'no', hasAnswered],
  ['abort', say.aborted({ retryable: true }), 'unknown', 'aborted'],
  ['time is up', say.timedOut({ retryable: true }), 'unknown', 'networkErrors'],
);

/** Two addresses were tried. */
function both(first: Error, second: Error): AggregateError {
  return Object.assign(new AggregateError([first, second], ''), { code: 'ECONNREFUSED' });
}

/** What `fetch` fails with, in each runtime. */
export const runtimes = [...node, ...bun, ...deno, ...browsers, ...workerd];
