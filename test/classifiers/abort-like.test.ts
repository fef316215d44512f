import { runInNewContext } from 'node:vm';
import { AttemptTimeout } from 'retry-policy';
import { failureStage, httpErrors, networkErrors, throughCause, unknownHosts } from 'retry-policy/classifiers';
import { describe, expect, it } from 'vitest';
import { isAbortLike } from '../../src/classifiers/abort-like.js';
import { hostiles } from './hostile.js';
import { named, ofClass, plain, refused } from './thrown.js';

const aborts: [string, unknown][] = [
  ['the abort of a signal', AbortSignal.abort().reason],
  ['an abort of another realm', runInNewContext("Object.assign(new Error('stop'), { name: 'AbortError' })")],
  ['an error that is called an AbortError', named('AbortError', 'stop')], // aws/aws-sdk-js-v3#4871: matched by a wrong name
  ['no error, only its name', { name: 'AbortError' }],
  ['the abort of Node', named('AbortError', 'The operation was aborted', { code: 'ABORT_ERR' })],
  ['the code of Node alone', { code: 'ABORT_ERR' }],
  ['the abort of got', plain('This operation was aborted.', { code: 'ERR_ABORTED' })],
  ['the abort of axios', named('CanceledError', 'canceled', { code: 'ERR_CANCELED' })],
  ['the abort of undici', plain('Request aborted', { code: 'UND_ERR_ABORTED' })],
  ['the abort of OpenAI, which has but a text', ofClass('APIUserAbortError', 'Request was aborted.')],
  ['the same without a full stop', plain('request was aborted')],
];

const others: [string, unknown][] = [
  ['a time limit', new DOMException('The operation was aborted due to timeout', 'TimeoutError')],
  ['a time limit of this library', new AttemptTimeout('attempt', 100)],
  ['the number of an AbortError', { code: 20 }],
  ['a code that begins alike', { code: 'ABORT_ERR_NOT' }],
  ['a name in small letters', { name: 'aborterror' }],
  ['a text that names it', new Error('AbortError')],
  ['a text that holds it', new Error('the import failed: Request was aborted.')],
  ['a connection that the other side gave up', plain('software caused connection abort', { code: 'ECONNABORTED' })],
  ['a body that was cut', plain('stream has been aborted', { code: 'ERR_BAD_RESPONSE' })],
];

it.each(aborts)('%s is abort-like', (_, error) => {
  expect(isAbortLike(error)).toBe(true);
});

it.each(others)('%s is not', (_, error) => {
  expect(isAbortLike(error)).toBe(false);
});

it.each(hostiles().filter(([name]) => name !== 'a Proxy that has everything'))('%s is not, and does no harm', (_, thrown) => {
  expect(isAbortLike(thrown)).toBe(false);
});

describe('an abort', () => {
  const classifiers = [networkErrors, unknownHosts, httpErrors(), httpErrors({ statuses: [] }), throughCause(() => 'transient')];
  const whereverItIs: [string, (abort: unknown) => unknown][] = [
    ['bare', (abort) => abort],
    ['under a refused connection', (cause) => Object.assign(refused(), { cause })],
    ['under an answer', (cause) => ({ status: 503, headers: { 'retry-after': '2' }, cause })],
    ['under a word of the server', (cause) => ({ status: 503, headers: { 'x-should-retry': 'true' }, cause })],
    ['under 98 causes', (abort) => Array.from({ length: 98 }).reduce((cause) => Object.assign(refused(), { cause }), abort)],
    ['among refused connections', (abort) => new AggregateError([refused(), abort, refused()])],
    ['deep in one of them', (cause) => new AggregateError([refused(), new AggregateError([Object.assign(refused(), { cause })])])],
    ['under an aggregate', (cause) => new AggregateError([refused()], '', { cause })],
    ['that has causes of its own', (abort) => Object.assign(Object(abort), { cause: refused() })],
  ];

  // softonic/axios-retry#273, unjs/ofetch#112: aborts were among what is repeated
  it.each(whereverItIs)('%s is permanent to each classifier, and no stage of a request', (_, put) => {
    for (const classify of classifiers) expect(classify(put(named('AbortError', 'stop')))).toBe('permanent');
    expect(failureStage(put(named('AbortError', 'stop')))).toBe('unknown');
  });

  it('is told from a time limit, by name and not by the text they share', () => {
    const text = 'The operation was aborted due to timeout';
    expect(networkErrors(new DOMException(text, 'TimeoutError'))).toBe('transient'); // jonbern/fetch-retry#52
    expect(networkErrors(new DOMException(text, 'AbortError'))).toBe('permanent'); // airplanedev/js-sdk#172
  });

  it('that was caused by a time limit is an abort still', () => {
    const cause = new DOMException('too late', 'TimeoutError');
    expect(networkErrors(named('AbortError', 'The operation was aborted', { cause }))).toBe('permanent');
    expect(networkErrors(named('TimeoutError', 'too late', { cause: named('AbortError', 'stop') }))).toBe('permanent');
  });
});
