import { runInNewContext } from 'node:vm';
import { transientStatuses } from 'retry-policy/classifiers';
import { describe, expect, it } from 'vitest';
import { answerOf, verdictOn } from '../../src/classifiers/answer.js';
import { hostiles, untouchable } from './hostile.js';
import * as say from './thrown.js';

const headers = { 'retry-after': '2' };
const status = 503;

describe('the transient statuses', () => {
  it('are those that are worth asking again for', () => {
    expect([...transientStatuses].sort()).toEqual([408, 425, 429, 500, 502, 503, 504, 521, 522, 523, 524]);
  });

  it('are for nobody to change', () => {
    expect(() => (transientStatuses as number[]).push(404)).toThrow(TypeError);
  });
});

describe('the answer', () => {
  it.each<[string, unknown, unknown]>([
    ['of an object with both', { status, headers }, headers],
    ['of one that says statusCode', { statusCode: status, headers }, headers],
    ['of one with both words', { status, statusCode: 404, headers }, headers],
    ['of one whose status is null', { status: null, statusCode: status, headers }, headers],
    ['of a status that stands alone', { status }, undefined],
    ['of a status that stands alone, and a cause of undefined', { status, cause: undefined }, undefined],
    ['of a status and headers beside a cause', { status, headers, cause: say.reset() }, headers],
    ['in a response', { response: { status, headers } }, headers],
    ['in a response that says statusCode', { response: { statusCode: status, headers } }, headers],
    ['in a response, beside another status', { status: 500, headers: {}, response: { status, headers } }, headers],
    ['in a response, beside a cause', { response: { status, headers }, cause: say.reset() }, headers],
    ['of a status beside a response that has none', { status, headers, response: { error: 'busy' } }, headers],
    ['of a status beside metadata without one', { status, headers, $metadata: {} }, headers],
    ['of a status that stands alone, and a cause of null', { status, cause: null }, undefined],
    ['in a response without headers', { response: { status } }, undefined],
    ['in a response of another realm', runInNewContext("({ response: { status: 503, headers: { 'retry-after': '2' } } })"), headers],
    ['in the metadata of AWS', { $metadata: { httpStatusCode: status }, $response: { headers } }, headers],
    ['in the metadata of AWS alone', { $metadata: { httpStatusCode: status }, headers: {} }, undefined],
    ['of what is found on a prototype', Object.create({ status, headers }), headers],
    ['of a function', Object.assign(() => {}, { status, headers }), headers],
  ])('%s is found', (_, node, its) => {
    expect(answerOf(node)).toEqual({ status, headers: its });
  });

  it.each<[string, unknown]>([
    ['in a status that stands beside a cause', { status, cause: say.reset() }],
    ['in one that stands beside a cause and headers that are none', { status, headers: 'none', cause: say.reset() }],
    ['in a response that lets nobody near', { response: untouchable() }],
    ['in an error without any', new Error('503')],
    ['in a status of text', { status: '503', headers }],
    ['in a status of nothing', { status: Number.NaN, headers }],
    ['in a status below 200', { status: 199, headers }],
    ['in a status of 0, as that of an opaque response', { status: 0, headers }],
    ['in a status above 599', { status: 600, headers }],
    ['in an endless status', { status: Infinity, headers }],
  ])('is not %s', (_, node) => {
    expect(answerOf(node)).toBeUndefined();
  });

  it.each(hostiles().filter(([name]) => !/^headers/.test(name)))('is not in %s', (_, thrown) => {
    expect(answerOf(thrown)).toBeUndefined();
  });
});

it('what follows from an answer needs the time only where it may pass', () => {
  const never = () => {
    throw new Error('nobody asked');
  };
  expect(verdictOn({ status: 404, headers }, [503], never)).toBe('no');
  expect(verdictOn({ status, headers: { 'x-should-retry': 'false' } }, [503], never)).toBe('permanent');
  expect(verdictOn({ status, headers }, [503], () => 0)).toEqual({ verdict: 'transient', retryAfterMs: 2_000 });
  expect(verdictOn({ status, headers: {} }, [503], () => Number.NaN)).toBe('transient');
});
