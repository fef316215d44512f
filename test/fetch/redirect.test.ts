import type { RetryingFetchOptions } from 'retry-policy/fetch';
import { retryingFetch } from 'retry-policy/fetch';
import { fixedRandom, frozenClock, virtualClock } from 'retry-policy/testing';
import { describe, expect, it } from 'vitest';
import * as say from '../classifiers/thrown.js';
import { endingOf } from './ending.js';
import { answer, followsItsSignal, headersOf, type Step, scriptedFetch, textOf } from './scripted-fetch.js';

const url = 'https://example.com/orders';
const run = { clock: frozenClock(0), random: fixedRandom(0) };
const refused = () => ({ error: say.fetchFailed(say.refused()) });
const leads = (status: number, location: string, from = url) => answer(status, { url: from, headers: { location } });

const retrying = (steps: readonly Step[], options: RetryingFetchOptions = {}) => {
  const fetch = scriptedFetch(...steps);
  return { fetch, call: retryingFetch({ fetch, run, ...options }) };
};
const content = {
  'content-type': 'text/plain',
  'content-language': 'en',
  'content-encoding': 'identity',
  'content-location': '/here',
  'content-length': '7',
};

describe('the redirect of a request that may not be repeated', () => {
  // The Fetch standard, HTTP-redirect fetch: 303 has everything but GET and HEAD become GET, 301 and 302 only POST.
  it.each<[number, string, string, string | null]>([
    [301, 'POST', 'GET', null],
    [302, 'POST', 'GET', null],
    [303, 'POST', 'GET', null],
    [307, 'POST', 'POST', 'order 7'],
    [308, 'POST', 'POST', 'order 7'],
    [301, 'PATCH', 'PATCH', 'order 7'],
    [302, 'PATCH', 'PATCH', 'order 7'],
    [303, 'PATCH', 'GET', null],
    [307, 'PATCH', 'PATCH', 'order 7'],
    [308, 'PATCH', 'PATCH', 'order 7'],
    [302, 'PUT', 'PUT', 'order 7'],
    [303, 'PUT', 'GET', null],
    [303, 'DELETE', 'GET', null],
    [303, 'GET', 'GET', null],
    [301, 'GET', 'GET', null],
    [303, 'HEAD', 'HEAD', null],
    [307, 'HEAD', 'HEAD', null],
    [302, 'post', 'GET', null],
  ])('%i of a %s is followed by a %s', async (status, method, then, body) => {
    const { fetch, call } = retrying([leads(status, '/next?a=1'), answer(200)], { methods: [] });
    const given = /GET|HEAD/.test(method) ? {} : { body: 'order 7', headers: { ...content, 'x-trace': '1' } };
    const response = await call(url, { method, ...given });
    expect([response.status, response.redirected]).toEqual([200, true]);
    const [first, second] = fetch.asked;
    expect([first?.redirect, second?.redirect]).toEqual(['manual', 'follow']);
    expect([second?.url, second?.method, await textOf(second as never)]).toEqual(['https://example.com/next?a=1', then, body]);
    if ('headers' in given) {
      const expected = then === 'GET' ? { 'x-trace': '1' } : { ...content, 'x-trace': '1' };
      expect(headersOf(second)).toEqual(expected);
      expect(headersOf(first)).toEqual({ ...content, 'x-trace': '1' });
    }
  });

  const secrets = { authorization: 'Basic eA==', 'proxy-authorization': 'Basic eA==', cookie: 'a=1', host: 'example.com', accept: '*/*' };
  it.each<[string, string, string[]]>([
    ['the same origin', 'https://example.com/next', Object.keys(secrets)],
    ['another host', 'https://other.example/', ['accept']],
    ['another port', 'https://example.com:8443/', ['accept']],
    ['another scheme', 'http://example.com/', ['accept']],
    ['another host without a scheme', '//other.example/', ['accept']],
  ])('to %s takes along the headers that it may', async (_, location, expected) => {
    const { fetch, call } = retrying([leads(307, location), answer(200)]);
    await call(url, { method: 'POST', body: 'x', headers: secrets });
    const names = Object.keys(headersOf(fetch.asked[1])).filter((name) => name !== 'content-type');
    expect(names.sort()).toEqual([...expected].sort());
    expect(await textOf(fetch.asked[1] as never)).toBe('x');
  });

  it('is followed from where the answer came', async () => {
    const { fetch, call } = retrying([leads(307, 'next', 'https://example.com/a/b'), answer(200)]);
    await call(url, { method: 'POST' });
    expect(fetch.asked[1]?.url).toBe('https://example.com/a/next');
  });

  it.each<[string, () => Parameters<typeof fetch>[0]]>([
    ['a text', () => `${url}/`],
    ['a URL', () => new URL(`${url}/`)],
    ['a Request', () => new Request(`${url}/`, { method: 'POST' })],
  ])('is followed from what was asked for, %s, where the answer does not say where it came from', async (_, input) => {
    const { fetch, call } = retrying([answer(307, { headers: { location: 'next' } }), answer(200)]);
    await call(input(), { method: 'POST' });
    expect(fetch.asked[1]?.url).toBe(`${url}/next`);
  });

  it.each([303, 307])('%i takes along the body and the headers of a Request', async (status) => {
    const request = new Request(url, { method: 'POST', body: 'order 7', headers: { 'x-trace': '1' } });
    const { fetch, call } = retrying([leads(status, '/next'), answer(200)]);
    await call(request);
    const [, second] = fetch.asked;
    expect(await textOf(second as never)).toBe(status === 307 ? 'order 7' : null);
    expect([second?.headers.get('x-trace'), second?.headers.get('content-type')]).toEqual([
      '1',
      status === 307 ? 'text/plain;charset=UTF-8' : null,
    ]);
    expect(request.bodyUsed).toBe(true);
  });

  it("takes along the body of the init in place of the Request's, and what else was asked for", async () => {
    const request = new Request(url, { method: 'POST', body: 'old' });
    const { fetch, call } = retrying([leads(308, '/next'), answer(200)]);
    await call(request, { body: 'new', cache: 'no-store' });
    expect(await textOf(fetch.asked[1] as never)).toBe('new');
    expect(fetch.asked[1]?.init?.cache).toBe('no-store');
  });

  it('lets go of the answer that led on', async () => {
    const first = leads(307, '/next');
    const { call } = retrying([first, answer(200)]);
    await call(url, { method: 'POST' });
    expect(first.isCancelled).toBe(true);
  });

  it.each([301, 302, 303, 307, 308])('%i without a Location is the answer', async (status) => {
    const { fetch, call } = retrying([answer(status)]);
    const { response, end } = await endingOf(call(url, { method: 'POST' }));
    expect([response?.status, response?.redirected, end, fetch.asked.length]).toEqual([status, false, 'succeed', 1]);
    expect(await response?.text()).toBe(`answered ${status}`);
  });

  it.each([200, 201, 300, 304])('%i with a Location is the answer', async (status) => {
    const { fetch, call } = retrying([answer(status, { headers: { location: '/next' }, text: null })]);
    expect((await call(url, { method: 'POST' })).status).toBe(status);
    expect(fetch.asked).toHaveLength(1);
  });

  it.each([
    'https://[bad',
    'ftp://example.com/',
    'data:text/plain,x',
    'file:///etc/hosts',
    'about:blank',
    'xhttp://example.com/',
    'httpsx://example.com/',
  ])('to %s fails, and is not repeated', async (location) => {
    const first = leads(307, location);
    const { fetch, call } = retrying([first]);
    const { error, end } = await endingOf(call(url, { method: 'POST' }));
    expect(error).toBeInstanceOf(TypeError);
    expect([end, fetch.asked.length, first.isCancelled]).toEqual(['committed', 1, true]);
  });

  it('names the scheme that it does not follow', async () => {
    const { error } = await endingOf(retrying([leads(307, 'ftp://example.com/')]).call(url, { method: 'POST' }));
    expect(`${(error as Error).message} ${(error as Error).cause}`).toContain('redirected to ftp:');
  });

  it('to a host that refuses is not repeated: the first server may have done the work', async () => {
    for (const step of [refused(), { error: say.fetchFailed(say.reset()) }, 503]) {
      const { fetch, call } = retrying([leads(307, 'https://other.example/'), step]);
      expect((await endingOf(call(url, { method: 'POST' }))).end).toBe('committed');
      expect(fetch.asked).toHaveLength(2);
    }
  });

  it('is committed though it leads to a status that says that nothing was done', async () => {
    const { fetch, call } = retrying([leads(307, '/next'), 503], { notDoneStatuses: [503] });
    expect((await endingOf(call(url, { method: 'POST' }))).end).toBe('committed');
    expect(fetch.asked).toHaveLength(2);
  });

  it('is committed though its own status says that nothing was done', async () => {
    const { fetch, call } = retrying([leads(307, '/next'), 503, 200], { notDoneStatuses: [307] });
    expect((await endingOf(call(url, { method: 'POST' }))).end).toBe('committed');
    expect(fetch.asked).toHaveLength(2);
  });

  it('comes after a retry of what was not sent', async () => {
    const { fetch, call } = retrying([refused(), leads(303, '/done'), answer(200)]);
    expect((await call(url, { method: 'POST', body: 'x' })).redirected).toBe(true);
    expect(fetch.asked.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET']);
  });

  it('is followed under the same signal', async () => {
    const { signal } = new AbortController();
    const { fetch, call } = retrying([leads(307, '/next'), answer(200)]);
    await call(url, { method: 'POST', signal });
    expect(fetch.asked.map((one) => one.signal)).toEqual([signal, signal]);
  });

  it('is followed without a signal where none is given', async () => {
    const request = new Request(url, { method: 'POST', signal: AbortSignal.abort() });
    const { fetch, call } = retrying([leads(307, '/next'), answer(200)]);
    await call(request, { signal: null });
    expect(fetch.asked.map((one) => one.signal)).toEqual([undefined, undefined]);
  });

  it('is cut off by the time limit', async () => {
    const { fetch, call } = retrying([leads(307, '/next'), followsItsSignal], {
      run: { clock: virtualClock() },
      policy: { attemptTimeoutMs: 10 },
    });
    const { error, end } = await endingOf(call(url, { method: 'POST' }));
    expect([end, fetch.asked.length, fetch.asked[1]?.signal?.reason === error]).toEqual(['committed', 2, true]);
  });
});

describe('the redirect of any other request is left to fetch', () => {
  it.each<[string, RequestInit, RetryingFetchOptions, RequestRedirect]>([
    ['an idempotent method', {}, {}, 'follow'],
    ['a given key', { method: 'POST', headers: { 'idempotency-key': 'k1' } }, {}, 'follow'],
    ['a key that is added', { method: 'POST' }, { idempotencyKeyHeader: true }, 'follow'],
    ['redirects that are errors', { method: 'POST', redirect: 'error' }, {}, 'error'],
    ['redirects that are answers', { method: 'POST', redirect: 'manual' }, {}, 'manual'],
  ])('%s', async (_, init, options, redirect) => {
    const { fetch, call } = retrying([leads(307, '/next')], options);
    expect((await call(url, init)).status).toBe(307);
    expect(fetch.asked.map((one) => one.redirect)).toEqual([redirect]);
  });

  it.each(['error', 'manual'] as const)('so that redirect: %s proves what was not sent', async (redirect) => {
    const { fetch, call } = retrying([refused(), 200]);
    expect((await call(new Request(url, { method: 'POST', redirect }))).status).toBe(200);
    expect(fetch.asked.map((one) => one.redirect)).toEqual([redirect, redirect]);
  });

  it('answers of theirs cost a request that may not be repeated its proof', async () => {
    const { fetch, call } = retrying([leads(307, '/next'), 200], { statuses: [307] });
    expect((await endingOf(call(url, { method: 'POST', redirect: 'manual' }))).end).toBe('committed');
    expect(fetch.asked).toHaveLength(1);
  });
});
