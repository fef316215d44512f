import { DeadLetterError, type Decision } from 'retry-policy';
import { type FailureStage, failureStage } from 'retry-policy/classifiers';
import { describe, expect, it } from 'vitest';
import { rememberAttempts } from '../../src/classifiers/attempts.js';
import { hostiles } from './hostile.js';
import * as say from './thrown.js';

const coded = (code: string, syscall?: string) => say.plain('', syscall === undefined ? { code } : { code, syscall });
const answered = { status: 503, headers: {} };

describe('a failed request', () => {
  it.each<[string, unknown, FailureStage]>([
    ['refused', say.refused(), 'not-sent'],
    ['with a name that is unknown', say.noSuchHost(), 'not-sent'],
    ['late while it connected', coded('ETIMEDOUT', 'connect'), 'not-sent'],
    ['late, nobody knows when', coded('ETIMEDOUT'), 'unknown'],
    ['late while it read', coded('ETIMEDOUT', 'read'), 'unknown'],
    ['out of reach while it connected', coded('EHOSTUNREACH', 'connect'), 'not-sent'],
    ['out of reach, nobody knows when', coded('EHOSTUNREACH'), 'unknown'],
    ['reset', coded('ECONNRESET', 'read'), 'unknown'],
    ['on a broken pipe', coded('EPIPE', 'write'), 'unknown'],
    ['cut off by a time limit', say.timedOut(), 'unknown'],
    ['aborted', say.aborted(), 'unknown'],
    ['in Chromium', say.type('Failed to fetch'), 'unknown'],
    ['with an answer', answered, 'answered'],
    ['with an answer of success', { status: 200, headers: {} }, 'answered'],
    ['with a Response', new Response(null, { status: 404 }), 'answered'],
    ['with a status alone', { status: 503 }, 'answered'],
    ['with a status alone, over what really failed', { status: 500, cause: say.refused() }, 'not-sent'],
    ['with a status alone, over what nobody knows', { status: 500, cause: new Error('x') }, 'unknown'],
    ['with no answer', { response: undefined, status: undefined }, 'unknown'],
    ['in a way that says nothing', new Error('x'), 'unknown'],
  ])('%s is at its stage', (_, error, stage) => {
    expect(failureStage(error)).toBe(stage);
  });

  it.each([
    ...[
      'CERT_HAS_EXPIRED',
      'CERT_NOT_YET_VALID',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER'],
    ...['ERR_INVALID_URL', 'UND_ERR_CONNECT_TIMEOUT', 'CONNECT_TIMEOUT', 'ER_CONNECTION_TIMEOUT'],
  ])('with the code %s never left', (code) => {
    expect(failureStage(coded(code))).toBe('not-sent');
    expect(failureStage(say.fetchFailed(coded(code)))).toBe('not-sent');
  });

  it.each([
    ...[
      'EPROTO',
      'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
      'ERR_SSL_WRONG_VERSION_NUMBER_',
      'ERR_INVALID_URL_SCHEME',
      'X_CERT_HAS_EXPIRED',
    ],
    ...[
      'UNABLE_TO_SAY',
      'UND_ERR_HEADERS_TIMEOUT',
      'UND_ERR_BODY_TIMEOUT',
      'UND_ERR_SOCKET',
      'PROTOCOL_CONNECTION_LOST',
      'CONNECTION_CLOSED',
    ],
    ...['XCONNECT_TIMEOUT', 'CONNECT_TIMEOUTS', 'ER_CONNECTION_TIMEOUTS', 'ER_GET_CONNECTION_TIMEOUT', 'ERR_TLS_HANDSHAKE_TIMEOUT'],
  ])('with the code %s may have left', (code) => {
    expect(failureStage(coded(code))).toBe('unknown');
  });

  it.each([
    ...['bad port', 'unknown scheme', "Url scheme 'foo' not supported", 'Fetch failed: Requests to port 1 are blocked', "Invalid URL: 'x'"],
    ...['Failed to parse URL from http://[bad', "Failed to execute 'fetch' on 'Window': Failed to parse URL from x"],
    ...['timeout expired', 'timeout exceeded when trying to connect'],
  ])('of which is said "%s" never left', (message) => {
    expect(failureStage(say.type(message))).toBe('not-sent');
    expect(failureStage(say.type('fetch failed', { cause: new Error(message) }))).toBe('not-sent');
  });

  it.each([
    ...['a bad port', 'an unknown scheme', 'no Url scheme', 'Requests to port 1 are blocked', 'an invalid URL', 'Failed to parse URLs'],
    ...['the timeout expired', 'timeout expired.', 'timeout exceeded when trying to connect again', 'Query read timeout', ''],
    ...[
      'the command was terminated',
      'terminated by you',
      'no error reading a body from',
      'indirection',
      'Invalid URLs',
      'no redirect',
      'the redirect count exceeded',
    ],
  ])('of which is said "%s" may be anywhere', (message) => {
    expect(failureStage(new Error(message))).toBe('unknown');
  });

  it.each([
    ...['terminated', 'error reading a body from connection', 'redirect count exceeded', 'unexpected redirect', 'Too many redirects.'],
    ...[
      'Fetch failed: Maximum number of redirects (20) reached',
      'Fetch failed: Encountered redirect while it is an error',
      'fetch failed: too many redirects',
    ],
  ])('of which is said "%s" was answered', (message) => {
    expect(failureStage(say.type(message))).toBe('answered');
  });

  it.each([99, 100, 199, 143, 600, 0, -1, 43, Number.NaN, Infinity, '503', null, [503], 5n, Object(503)])(
    'with the status %s has no answer',
    (status) => {
      expect(failureStage({ status, headers: {} })).toBe('unknown');
      expect(failureStage({ response: { status, headers: {} } })).toBe('unknown');
      expect(failureStage({ $metadata: { httpStatusCode: status } })).toBe('unknown');
    },
  );

  it.each([200, 204, 399, 404, 599])('with the status %d has one', (status) => {
    expect(failureStage({ status, headers: {} })).toBe('answered');
    expect(failureStage({ statusCode: status })).toBe('answered');
    expect(failureStage({ response: { status } })).toBe('answered');
    expect(failureStage({ response: { statusCode: status } })).toBe('answered');
    expect(failureStage({ $metadata: { httpStatusCode: status } })).toBe('answered');
  });

  it('was answered, whatever broke its answer off', () => {
    expect(failureStage(say.terminated(say.refused()))).toBe('answered');
    expect(failureStage(Object.assign(say.reset(), { response: { status: 200, headers: {} } }))).toBe('answered');
    expect(failureStage(Object.assign(say.refused(), { response: { status: 200, headers: {} } }))).toBe('answered');
  });
});

describe('a name or a path that sounds like another failure', () => {
  const unknownName = say.plain('getaddrinfo ENOTFOUND redirect.example.com', { code: 'ENOTFOUND', syscall: 'getaddrinfo' });
  const cut = say.plain('request to http://localhost/redirect failed, reason: socket hang up', { code: 'ECONNRESET' });
  const path = 'error sending request for url (http://localhost/redirect): client error';

  it.each<[string, unknown, FailureStage]>([
    ['an unknown name', unknownName, 'not-sent'],
    ['a reset', cut, 'unknown'],
    ['a refused connection of Deno', say.plain(`${path} (Connect): tcp connect error: Connection refused (os error 111)`), 'not-sent'],
    ['a cut of Deno', say.plain(`${path} (SendRequest): connection closed before message completed`), 'unknown'],
  ])('does not matter to %s', (_, error, stage) => {
    expect(failureStage(error)).toBe(stage);
    expect(failureStage(say.fetchFailed(error))).toBe(stage);
  });
});

describe('several failed requests', () => {
  it.each<[string, unknown[], FailureStage]>([
    ['all refused', [say.refused(), say.refused()], 'not-sent'],
    ['one refused, one reset', [say.refused(), say.reset()], 'unknown'],
    ['one refused, one that says nothing', [say.refused(), new Error('x')], 'unknown'],
    ['one refused, one answered', [say.refused(), answered], 'answered'],
    ['one reset, one answered', [say.reset(), answered], 'answered'],
    ['all answered', [answered, { status: 200 }], 'answered'],
    ['one answered, one aborted', [answered, say.aborted()], 'unknown'],
    ['one refused, one aborted', [say.refused(), say.aborted()], 'unknown'],
    ['one refused, one that is no error', [say.refused(), 'refused'], 'unknown'],
    ['none', [], 'unknown'],
  ])('%s are at one stage', (_, errors, stage) => {
    expect(failureStage(new AggregateError(errors))).toBe(stage);
    expect(failureStage(new AggregateError(errors.reverse()))).toBe(stage);
    expect(failureStage(say.fetchFailed(new AggregateError(errors)))).toBe(stage);
  });

  it('below an answer do not undo it', () => {
    const mixed = new AggregateError([say.refused(), say.reset()]);
    expect(failureStage(Object.assign(new Error('503', { cause: mixed }), { response: answered }))).toBe('answered');
    expect(failureStage(Object.assign(say.refused(), { cause: mixed }))).toBe('not-sent');
  });

  it('of no list are judged by what they say together', () => {
    expect(failureStage(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe('not-sent');
    expect(failureStage(Object.assign(new AggregateError([say.refused(), say.reset()]), { code: 'ECONNREFUSED' }))).toBe('unknown');
  });
});

it('a dead letter and an abort say nothing, whatever stands on them or below them', () => {
  const deadLetter = new DeadLetterError({ error: say.refused(), reason: 'attempts-exhausted', log: [], attempts: 4 });
  for (const error of [deadLetter, Object.assign(say.aborted(), { status: 500 }), say.named('AbortError', '', { cause: say.refused() })]) {
    expect(failureStage(error)).toBe('unknown');
    expect(failureStage(new Error('outer', { cause: error }))).toBe('unknown');
    expect(failureStage({ ...answered, cause: error })).toBe('unknown');
  }
});

it('what a retrying fetch threw after several attempts is at no stage, since it tells but of the last', () => {
  const [once, twice] = [say.refused(), say.refused()];
  const decisions = (length: number) => Array.from({ length }, () => ({}) as Decision);
  rememberAttempts(once, decisions(1));
  rememberAttempts(twice, decisions(2));
  expect(failureStage(once)).toBe('not-sent');
  expect(failureStage(twice)).toBe('unknown');
  expect(failureStage(new Error('outer', { cause: twice }))).toBe('unknown');
  expect(failureStage(Object.assign(say.refused(), { cause: twice }))).toBe('unknown');
});

it.each(hostiles().filter(([name]) => !/^(headers|a document)/.test(name)))('%s is at no stage that is known', (_, thrown) => {
  expect(failureStage(thrown)).toBe('unknown');
});
