import { runtimes } from './runtimes.js';
import { sdks } from './sdks.js';
import type { Failure } from './thrown.js';
import * as say from './thrown.js';

/** Headers that answer `get`, as those of a Response do, and show their names as properties too. */
class Bag {
  constructor(headers: Readonly<Record<string, string>>) {
    Object.assign(this, headers);
  }
  get(name: string): unknown {
    return (this as unknown as Record<string, string>)[name.toLowerCase()];
  }
}

const inTwoSeconds = { 'retry-after': '2' };
const hint = { retryAfterMs: 2_000 };
const isAxiosError = true;

const axiosStatus = (code: string, status: number) =>
  say.named('AxiosError', `Request failed with status code ${status}`, {
    ...{ isAxiosError, code, status, response: { status, headers: new Bag(inTwoSeconds), data: '' } },
  });
const axiosSystem = (cause: say.Coded) => say.ofClass('AxiosError', cause.message, { isAxiosError, code: cause.code, cause });
const axiosNetwork = (cause: Error) => say.named('AxiosError', 'Network Error', { isAxiosError, code: 'ERR_NETWORK', cause });
const canceled = (message: string) => say.named('CanceledError', message, { isAxiosError, code: 'ERR_CANCELED', __CANCEL__: true });
const late = (code: string) => say.named('AxiosError', 'timeout of 150ms exceeded', { isAxiosError, code });
const inAxios = (error: Error) => say.ofClass('AxiosError', error.message, { name: error.name, isAxiosError, cause: error });

const axios = say.failuresOf(
  'axios over http',
  ['503', axiosStatus('ERR_BAD_RESPONSE', 503), 'answered', 'httpErrors', hint],
  ['404', axiosStatus('ERR_BAD_REQUEST', 404), 'answered', 'no'],
  ['refused', axiosSystem(say.refused()), 'not-sent', 'networkErrors'],
  ['the name is unknown', axiosSystem(say.noSuchHost()), 'not-sent', 'unknownHosts'],
  ['self-signed', axiosSystem(say.selfSigned()), 'not-sent', 'no'],
  ['a bad URL', say.badUrl(), 'not-sent', 'no'],
  ['reset', axiosSystem(say.reset()), 'unknown', 'networkErrors'],
  ['closed', axiosSystem(say.hungUp()), 'unknown', 'networkErrors'],
  [
    'closed in the body',
    say.named('AxiosError', 'stream has been aborted', {
      ...{ isAxiosError, code: 'ERR_BAD_RESPONSE', status: 200, response: { status: 200, headers: new Bag({}) } },
    }),
    'answered',
    'networkErrors',
  ],
  ['its own timeout', late('ECONNABORTED'), 'unknown', 'networkErrors'],
  ['abort', canceled('canceled'), 'unknown', 'aborted'],
);

const axiosOverFetch = say.failuresOf(
  'axios over fetch',
  ['503', axiosStatus('ERR_BAD_RESPONSE', 503), 'answered', 'httpErrors', hint],
  ['refused', axiosNetwork(say.refused()), 'not-sent', 'networkErrors'],
  ['the name is unknown', axiosNetwork(say.noSuchHost()), 'not-sent', 'unknownHosts'],
  ['self-signed', axiosNetwork(say.selfSigned()), 'not-sent', 'no'],
  ['a bad URL', inAxios(say.type('Failed to parse URL from http://[bad', { cause: say.badUrl() })), 'not-sent', 'no'],
  ['reset', axiosNetwork(say.reset()), 'unknown', 'networkErrors'],
  ['closed', axiosNetwork(say.closed()), 'unknown', 'networkErrors'],
  ['reset in the body', inAxios(say.terminated(say.reset())), 'answered', 'networkErrors'],
  ['its own timeout', late('ETIMEDOUT'), 'unknown', 'networkErrors'],
  ['abort', canceled('This operation was aborted'), 'unknown', 'aborted'],
);

const gotSays = (name: string, cause: say.Coded, more: object = {}) =>
  say.named(name, cause.message, { input: undefined, response: undefined, code: cause.code, cause, ...more });
const gotStatus = (statusCode: number) =>
  say.named('HTTPError', `Request failed with status code ${statusCode}`, {
    ...{ cause: {}, code: 'ERR_NON_2XX_3XX_RESPONSE', response: { statusCode, headers: inTwoSeconds } },
  });
const itsTime = say.named('TimeoutError', "Timeout awaiting 'request' for 150ms", { event: 'request', code: 'ETIMEDOUT' });
const noError = { name: 'Error', message: 'The server aborted pending request', code: 'ECONNRESET' };
const cut = { response: { statusCode: 200, headers: {} } };

const got = say.failuresOf(
  'got',
  ['503', gotStatus(503), 'answered', 'httpErrors', hint],
  ['404', gotStatus(404), 'answered', 'no'],
  ['refused', gotSays('RequestError', say.refused()), 'not-sent', 'networkErrors'],
  ['the name is unknown', gotSays('RequestError', say.noSuchHost()), 'not-sent', 'unknownHosts'],
  ['self-signed', gotSays('RequestError', say.selfSigned()), 'not-sent', 'no'],
  ['a bad URL', gotSays('RequestError', say.badUrl()), 'not-sent', 'no'],
  ['reset', gotSays('RequestError', say.reset()), 'unknown', 'networkErrors'],
  ['closed', gotSays('RequestError', say.hungUp()), 'unknown', 'networkErrors'],
  ['reset in the body', gotSays('RequestError', say.reset(), cut), 'answered', 'networkErrors'],
  ['closed in the body', gotSays('ReadError', noError, cut), 'answered', 'networkErrors'],
  ['its own timeout', gotSays('TimeoutError', itsTime, { event: 'request' }), 'unknown', 'networkErrors'],
  ['abort', say.named('AbortError', 'This operation was aborted.', { code: 'ERR_ABORTED', cause: {} }), 'unknown', 'aborted'],
);

const answer = (status: number) => new Response('busy', { status, headers: inTwoSeconds });

const ky = say.failuresOf(
  'ky',
  ['503', say.named('HTTPError', 'Request failed with status code 503', { response: answer(503) }), 'answered', 'httpErrors', hint],
  ['404', say.named('HTTPError', 'Request failed with status code 404', { response: answer(404) }), 'answered', 'no'],
  ['its own timeout', say.named('TimeoutError', 'Request timed out: GET http://localhost/', { request: {} }), 'unknown', 'networkErrors'],
);

const ofetchSays = (cause: unknown) =>
  say.named('FetchError', '[GET] "http://localhost/": <no response>', {
    ...{ cause, data: undefined, response: undefined, status: undefined, statusCode: undefined },
  });
const ofetchStatus = (status: number) =>
  say.named('FetchError', `[GET] "http://localhost/": ${status}`, { data: 'busy', response: answer(status), status, statusCode: status });

const ofetch = say.failuresOf(
  'ofetch',
  ['503', ofetchStatus(503), 'answered', 'httpErrors', hint],
  ['404', ofetchStatus(404), 'answered', 'no'],
  ['refused', ofetchSays(say.fetchFailed(say.refused())), 'not-sent', 'networkErrors'],
  ['the name is unknown', ofetchSays(say.fetchFailed(say.noSuchHost())), 'not-sent', 'unknownHosts'],
  ['self-signed', ofetchSays(say.fetchFailed(say.selfSigned())), 'not-sent', 'no'],
  ['closed', ofetchSays(say.fetchFailed(say.closed())), 'unknown', 'networkErrors'],
  ['its own timeout', ofetchSays(say.named('TimeoutError', '[TimeoutError]: too late', { code: 23 })), 'unknown', 'networkErrors'],
  ['abort', ofetchSays(say.aborted()), 'unknown', 'aborted'],
);

/** Every failure that was seen, whoever threw it. */
export const failures: readonly Failure[] = [...runtimes, ...axios, ...axiosOverFetch, ...got, ...ky, ...ofetch, ...sdks];
