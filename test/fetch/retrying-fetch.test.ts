import { AttemptTimeout, type Decision, type RetryPolicy, runWithRetry, TransientFailure } from 'retry-policy';
import { httpErrors, networkErrors, unknownHosts } from 'retry-policy/classifiers';
import { attemptsOf, type RetryingFetchOptions, retryingFetch } from 'retry-policy/fetch';
import { fixedRandom, frozenClock, virtualClock } from 'retry-policy/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as say from '../classifiers/thrown.js';
import { endingOf, thrownBy } from './ending.js';
import { answer, hangs, type Step, scriptedFetch } from './scripted-fetch.js';

const url = 'https://example.com/orders';
const run = { clock: frozenClock(0), random: fixedRandom(0) };
const refused = () => ({ error: say.fetchFailed(say.refused()) });
const reset = () => ({ error: say.fetchFailed(say.reset()) });
const post: RequestInit = { method: 'POST', body: 'order 7' };

const retrying = (steps: readonly Step[], options: RetryingFetchOptions = {}) => {
  const fetch = scriptedFetch(...steps);
  return { fetch, call: retryingFetch({ fetch, run, ...options }) };
};

afterEach(() => vi.unstubAllGlobals());

describe('which requests are repeated', () => {
  /** What follows from each failure, however often it comes: how many attempts, and what the end is called. */
  const repeated = { unsent: '4 attempts-exhausted', unknown: '4 attempts-exhausted', 503: '4 attempts-exhausted', 200: '1 succeed' };
  const onlyUnsent = { unsent: '4 attempts-exhausted', unknown: '1 committed', 503: '1 committed', 200: '1 succeed' };
  const failures: Record<keyof typeof repeated, Step> = { unsent: refused(), unknown: reset(), 503: 503, 200: 200 };

  const keys: Record<string, { options?: RetryingFetchOptions; headers?: Record<string, string> }> = {
    'no key': {},
    'a given key': { headers: { 'idempotency-key': 'k1' } },
    'a key that is added': { options: { idempotencyKeyHeader: true } },
    'a key that is added under another name': { options: { idempotencyKeyHeader: 'X-Request-Key' } },
    'a given key under the other name': { options: { idempotencyKeyHeader: 'X-Request-Key' }, headers: { 'x-request-key': 'k1' } },
    'a given key beside the other name': { options: { idempotencyKeyHeader: 'X-Request-Key' }, headers: { 'Idempotency-Key': 'k1' } },
    'a name that nobody said is a key': { headers: { 'x-request-key': 'k1' } },
    'keys that are switched off': { options: { idempotencyKeyHeader: false } },
    'an empty key': { headers: { 'idempotency-key': '' } },
    'an empty key where one is added': { options: { idempotencyKeyHeader: true }, headers: { 'idempotency-key': '' } },
  };
  const withoutKey = [
    'no key',
    'a name that nobody said is a key',
    'keys that are switched off',
    'an empty key',
    'an empty key where one is added',
  ];
  const safe = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY', 'get', 'put', 'query'];
  const unsafe = ['POST', 'PATCH', 'PURGE', 'post', 'patch'];

  const rows = [
    ...safe.flatMap((method) => Object.keys(keys).map((key) => ({ method, key, expected: repeated }))),
    ...unsafe.flatMap((method) =>
      Object.keys(keys).map((key) => ({ method, key, expected: withoutKey.includes(key) ? onlyUnsent : repeated })),
    ),
  ];
  it.each(rows)('$method with $key', async ({ method, key, expected }) => {
    const { options, headers } = keys[key] ?? {};
    for (const failure of ['unsent', 'unknown', 503, 200] as const) {
      const { fetch, call } = retrying([failures[failure]], options);
      const { end } = await endingOf(call(url, { method, ...(headers && { headers }) }));
      expect(`${failure}: ${fetch.asked.length} ${end}`).toBe(`${failure}: ${expected[failure]}`);
    }
  });

  it.each<[string, Step, string]>([
    ['refused on both addresses', { error: say.fetchFailed(both(say.refused(), say.refused())) }, 'attempts-exhausted'],
    ['no answer to connect', { error: say.fetchFailed(say.plain('', { code: 'UND_ERR_CONNECT_TIMEOUT' })) }, 'attempts-exhausted'],
    ['no route', { error: say.fetchFailed(say.system('ENETUNREACH', 'connect')) }, 'attempts-exhausted'],
    ['no resolver', { error: say.fetchFailed(say.system('EAI_AGAIN', 'getaddrinfo')) }, 'attempts-exhausted'],
    ['refused, in Bun', { error: say.type('Unable to connect.', { code: 'ECONNREFUSED', errno: 0 }) }, 'attempts-exhausted'],
    [
      'refused, in Deno',
      { error: say.fetchFailed(say.plain('client error (Connect): tcp connect error: refused (os error 111)')) },
      'attempts-exhausted',
    ],
    ['an unknown name: not sent, but no failure that passes', { error: say.fetchFailed(say.noSuchHost()) }, 'permanent'],
    ['refused, and reset on the other address', { error: say.fetchFailed(both(say.refused(), say.reset())) }, 'committed'],
    ['reset while sending', { error: say.fetchFailed(say.system('ECONNRESET', 'write')) }, 'committed'],
    ['timed out without a syscall', { error: say.type('', { code: 'ETIMEDOUT' }) }, 'committed'],
    ['a bad certificate', { error: say.fetchFailed(say.selfSigned()) }, 'committed'],
    ['failed to fetch, in Chromium', { error: say.type('Failed to fetch') }, 'committed'],
    ['an abort of its own', { error: say.aborted() }, 'committed'],
    ['a text', { error: 'refused' }, 'committed'],
    ['undefined', { error: undefined }, 'committed'],
  ])('a POST that failed with: %s', async (_, step, reason) => {
    const told: Decision[] = [];
    const { call } = retrying([step], { run: { ...run, onDecision: (decision) => void told.push(decision) } });
    await thrownBy(call(url, post));
    expect(told.at(-1)).toMatchObject({ action: 'dead-letter', reason });
  });

  function both(...errors: Error[]): AggregateError {
    return Object.assign(new AggregateError(errors, ''), { code: 'ECONNREFUSED' });
  }

  it('a POST that was not sent, then perhaps done, is not sent a third time', async () => {
    const { fetch, call } = retrying([refused(), reset(), 200]);
    const { end, log } = await endingOf(call(url, post));
    expect([fetch.asked.length, end, log.map(({ action }) => action)]).toEqual([2, 'committed', ['retry', 'dead-letter']]);
  });

  it("the list of methods is the caller's, in whatever case", async () => {
    const methods = ['post'];
    const { fetch, call } = retrying([503, 200, reset()], { methods });
    methods[0] = 'DELETE';
    expect((await call(url, post)).status).toBe(200);
    expect((await endingOf(call(url))).end).toBe('committed');
    expect(fetch.asked.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET']);
  });

  it.each<[number, readonly number[] | undefined, number]>([
    [503, [503], 4],
    [409, [409], 4],
    [503, [429], 1],
    [503, undefined, 1],
    [200, [200], 4],
  ])('a POST answered %i where %j mean that nothing was done: %i requests', async (status, notDoneStatuses, requests) => {
    const { fetch, call } = retrying([status], { notDoneStatuses });
    expect((await call(url, post)).status).toBe(status);
    expect(fetch.asked).toHaveLength(requests);
  });

  it('statuses that say that nothing was done are worth another try for any method', async () => {
    const { fetch, call } = retrying([409, 200], { notDoneStatuses: [409], statuses: [] });
    expect((await call(url)).status).toBe(200);
    expect(fetch.asked).toHaveLength(2);
  });

  it('the lists are read once, when the options are', async () => {
    const [statuses, notDoneStatuses] = [[418], [419]];
    const { fetch, call } = retrying([418, 419, 200], { statuses, notDoneStatuses });
    statuses.length = 0;
    notDoneStatuses.length = 0;
    expect((await call(url, { method: 'PUT' })).status).toBe(200);
    expect(fetch.asked).toHaveLength(3);
  });
});

describe('what an answer is judged by', () => {
  it.each<[string, Step, RetryingFetchOptions, number, string]>([
    ...[408, 425, 429, 500, 502, 503, 504, 521, 522, 523, 524].map((status): [string, Step, RetryingFetchOptions, number, string] => [
      `${status}`,
      status,
      {},
      4,
      'attempts-exhausted',
    ]),
    ...[200, 204, 301, 304, 400, 404, 409, 413, 501, 505].map((status): [string, Step, RetryingFetchOptions, number, string] => [
      `${status}`,
      status,
      {},
      1,
      'succeed',
    ]),
    ['statuses of its own', 418, { statuses: [418] }, 4, 'attempts-exhausted'],
    ['statuses of its own, and another', 503, { statuses: [418] }, 1, 'succeed'],
    ['413 that says when', answer(413, { text: null, headers: { 'retry-after': '1' } }), {}, 4, 'attempts-exhausted'],
    [
      '413 that says when, beside statuses of its own',
      answer(413, { text: null, headers: { 'retry-after': '1' } }),
      { statuses: [] },
      4,
      'attempts-exhausted',
    ],
    ['the server says no', answer(503, { text: null, headers: { 'x-should-retry': 'false' } }), {}, 1, 'permanent'],
    ['the server says yes', answer(400, { text: null, headers: { 'x-should-retry': 'true' } }), {}, 4, 'attempts-exhausted'],
    ['the server says nothing of use', answer(400, { text: null, headers: { 'x-should-retry': 'perhaps' } }), {}, 1, 'succeed'],
    ['a success that says to retry', answer(200, { text: null, headers: { 'x-should-retry': 'true' } }), {}, 1, 'succeed'],
    ['classifyValue says transient', 404, { policy: { classifyValue: () => 'transient' } }, 4, 'attempts-exhausted'],
    ['classifyValue says permanent', 503, { policy: { classifyValue: () => 'permanent' } }, 1, 'permanent'],
    ['classifyValue does not know', 503, { policy: { classifyValue: () => undefined } }, 4, 'attempts-exhausted'],
    ['classifyValue of a success', 200, { policy: { classifyValue: ({ ok }) => (ok ? 'transient' : undefined) } }, 4, 'attempts-exhausted'],
    [
      'classifyValue, though the server says no',
      answer(503, { text: null, headers: { 'x-should-retry': 'false' } }),
      { policy: { classifyValue: () => 'transient' } },
      4,
      'attempts-exhausted',
    ],
  ])('%s', async (_, step, options, requests, expected) => {
    const { fetch, call } = retrying([step], options);
    const { end, response } = await endingOf(call(url));
    expect([fetch.asked.length, end]).toEqual([requests, expected]);
    expect(response).toBeInstanceOf(Response);
  });

  it.each<[string, unknown, RetryPolicy<Response>['classify'], number, string]>([
    ['classify says transient', new Error('of my own'), () => 'transient', 4, 'attempts-exhausted'],
    ['one of several does', new Error('of my own'), [() => undefined, () => 'transient'], 4, 'attempts-exhausted'],
    ['classify says permanent', say.fetchFailed(say.refused()), () => 'permanent', 1, 'permanent'],
    ['classify does not know', say.fetchFailed(say.refused()), () => undefined, 4, 'attempts-exhausted'],
    ['nobody knows', new Error('of my own'), undefined, 1, 'permanent'],
    ['an unknown name', say.fetchFailed(say.noSuchHost()), undefined, 1, 'permanent'],
    ['an abort of its own', say.aborted(), undefined, 1, 'permanent'],
  ])('an error: %s', async (_, error, classify, requests, expected) => {
    const { fetch, call } = retrying([{ error }], { policy: { classify } });
    const ending = await endingOf(call(url));
    expect([fetch.asked.length, ending.end]).toEqual([requests, expected]);
    expect(ending.error).toBe(error);
  });

  it.each<[string, Step, RetryingFetchOptions]>([
    ['classify of an error', reset(), { policy: { classify: () => 'transient' } }],
    ['classifyValue of a failure', 503, { policy: { classifyValue: () => 'transient' } }],
    ['classifyValue of a success', 200, { policy: { classifyValue: () => 'transient' } }],
    ['statuses', 200, { statuses: [200] }],
    ['the server', answer(503, { text: null, headers: { 'x-should-retry': 'true' } }), {}],
    ['a hint', answer(503, { text: null, headers: { 'retry-after': '1' } }), {}],
    ['a 413 that says when', answer(413, { text: null, headers: { 'retry-after': '1' } }), {}],
  ])('%s cannot have a request repeated that must not be', async (_, step, options) => {
    const { fetch, call } = retrying([step], options);
    const { end } = await endingOf(call(url, post));
    expect([fetch.asked.length, end]).toEqual([1, 'committed']);
  });

  it('classify does not see responses, nor classifyValue errors', async () => {
    const classify = vi.fn(() => undefined);
    const classifyValue = vi.fn(() => undefined);
    const { call } = retrying([503, reset(), 200], { policy: { classify, classifyValue } });
    await call(url);
    expect(classify.mock.calls).toEqual([[expect.any(TypeError)]]);
    expect(classifyValue.mock.calls).toEqual([[expect.any(Response)], [expect.any(Response)]]);
  });
});

describe('a wait that the server asks for', () => {
  const waits = async (steps: readonly Step[], policy: RetryPolicy<Response>, clock = virtualClock()) => {
    const { call } = retrying([...steps, 200], { policy, run: { clock, random: fixedRandom(Infinity) } });
    const { log, end, response } = await endingOf(call(url));
    return {
      end,
      response,
      waits: log.flatMap((decision) => (decision.action === 'retry' ? decision.delayMs : [])),
      passed: clock.monotonicNow(),
    };
  };
  const busy = (headers: Record<string, string>) => answer(503, { headers });

  it('is a floor, with the backoff on top', async () => {
    expect(await waits([busy({ 'retry-after': '7' })], { jitter: 'full' })).toMatchObject({ waits: [9_000], passed: 9_000 });
    expect(await waits([busy({ 'retry-after-ms': '1500' })], { backoff: { baseMs: 0 } })).toMatchObject({ waits: [1_500] });
    expect(await waits([answer(413, { headers: { 'retry-after': '3' } })], { backoff: { baseMs: 0 } })).toMatchObject({ waits: [3_000] });
  });

  it('is measured by the clock of the run, as it stands then', async () => {
    const clock = virtualClock({ startAt: Date.UTC(2001, 0, 1) });
    const until = { 'retry-after': 'Mon, 01 Jan 2001 00:00:30 GMT' };
    expect(await waits([busy(until), busy(until)], { backoff: { baseMs: 5_000 }, jitter: 'none' }, clock)).toMatchObject({
      waits: [35_000, 10_000],
    });
  });

  it('is not asked for by a hint that is none', async () => {
    expect(await waits([busy({ 'retry-after': '5 s' })], {})).toMatchObject({ waits: [2_000] });
  });

  it('that is too long has the response returned at once', async () => {
    const long = busy({ 'retry-after': '61' });
    const ending = await waits([long], {});
    expect(ending).toMatchObject({ end: 'retry-after-too-long', waits: [], passed: 0, response: long.response });
    expect(long.isCancelled).toBe(false);
    expect(await ending.response?.text()).toBe('answered 503');
  });

  it('may be as long as the policy says', async () => {
    expect(await waits([busy({ 'retry-after': '60' })], { backoff: { baseMs: 0 } })).toMatchObject({ waits: [60_000] });
    expect(await waits([busy({ 'retry-after': '61' })], { maxRetryAfterMs: 61_000, backoff: { baseMs: 0 } })).toMatchObject({
      waits: [61_000],
    });
    expect(await waits([busy({ 'retry-after': '1' })], { maxRetryAfterMs: 0 })).toMatchObject({ end: 'retry-after-too-long' });
  });

  it("may come from a classifier of the caller's", async () => {
    const classifyValue = () => ({ verdict: 'transient', retryAfterMs: 123 }) as const;
    expect(await waits([busy({ 'retry-after': '7' })], { classifyValue, maxAttempts: 2, backoff: { baseMs: 0 } })).toMatchObject({
      waits: [123],
    });
  });
});

describe('after the last attempt', () => {
  it('the last response is returned, its body readable', async () => {
    const { fetch, call } = retrying([503], { policy: { maxAttempts: 3 } });
    const response = await call(url);
    expect(response).toBe(fetch.answers[2]?.response);
    expect(fetch.answers.map(({ isCancelled }) => isCancelled)).toEqual([true, true, false]);
    expect(await response.text()).toBe('answered 503');
  });

  it.each<[string, unknown]>([
    ['an error', say.fetchFailed(say.reset())],
    ['a frozen error', Object.freeze(say.fetchFailed(say.reset()))],
    ['a text', 'lost'],
    ['undefined', undefined],
    ['null', null],
  ])('%s is thrown as it was, and nothing is put on it', async (_, error) => {
    const before = Reflect.ownKeys(Object(error));
    const { call } = retrying([{ error }], { policy: { classify: () => 'transient' } });
    expect(await thrownBy(call(url))).toBe(error);
    expect(Reflect.ownKeys(Object(error))).toEqual(before);
  });

  it('what is thrown may be a Proxy whose traps throw', async () => {
    const refuse = () => {
      throw new Error('hands off');
    };
    const error = new Proxy({}, { get: refuse, has: refuse, set: refuse, defineProperty: refuse, getPrototypeOf: refuse });
    for (const init of [{}, post]) {
      const { call } = retrying([{ error }]);
      const isSame = await call(url, init).then(
        () => false,
        (thrown) => thrown === error,
      );
      expect(isSame).toBe(true);
    }
  });

  it('the log of a response or an error says what happened', async () => {
    const { call } = retrying([503, reset(), 200], { run: { clock: virtualClock({ startAt: 5 }), random: fixedRandom(10) } });
    const response = await call(url);
    expect(attemptsOf(response)).toMatchObject([
      { action: 'retry', attempt: 1, startedAt: 5, delayMs: 10, error: { status: 503 }, judgedBy: 'classifier' },
      { action: 'retry', attempt: 2, startedAt: 15, delayMs: 10, error: { message: 'fetch failed' }, judgedBy: 'classifier' },
      { action: 'succeed', attempt: 3, startedAt: 25 },
    ]);
    const failing = await endingOf(retrying([reset()]).call(url));
    expect(failing.log.map(({ action }) => action)).toEqual(['retry', 'retry', 'retry', 'dead-letter']);
  });

  it("the log is as long as the run's options say", async () => {
    const { call } = retrying([503], { run: { ...run, logLimit: 1 } });
    expect(attemptsOf(await call(url))).toMatchObject([{ action: 'dead-letter', attempt: 4 }]);
  });
});

describe('an outer run', () => {
  const repeated = async (call: () => Promise<unknown>) => {
    const classify = [networkErrors, httpErrors()];
    const result = await runWithRetry(call, { classify }, run);
    return { attempts: result.attempts, reason: result.ok ? 'ok' : result.reason };
  };

  it('does not multiply the attempts, whatever a client wraps the error in', async () => {
    const { fetch, call } = retrying([reset()]);
    expect(await repeated(() => call(url))).toEqual({ attempts: 1, reason: 'permanent' });
    expect(fetch.asked).toHaveLength(4);
    const wrapped = () => call(url).catch((cause) => Promise.reject(new TypeError('fetch failed', { cause })));
    expect(await repeated(wrapped)).toEqual({ attempts: 1, reason: 'permanent' });
  });

  it('does not multiply them for an error made of the last response', async () => {
    const { call } = retrying([503]);
    const rejected = async () => Promise.reject(Object.assign(new Error('503'), { response: await call(url) }));
    expect(await repeated(rejected)).toEqual({ attempts: 1, reason: 'permanent' });
    expect(await repeated(async () => Promise.reject(await call(url)))).toEqual({ attempts: 1, reason: 'permanent' });
  });

  it('does not repeat a call whose time ran out', async () => {
    const clock = virtualClock();
    const fetch = scriptedFetch(hangs);
    const call = retryingFetch({ fetch, run: { ...run, clock }, policy: { attemptTimeoutMs: 10, maxAttempts: 2 } });
    expect(await repeated(() => call(url))).toEqual({ attempts: 1, reason: 'permanent' });
    expect(fetch.asked).toHaveLength(2);
  });

  it.each<RetryPolicy<Response>>([{}, { attemptTimeoutMs: 1_000 }])(
    'repeats a call that its own time limit has ended (%j)',
    async (policy) => {
      const clock = virtualClock();
      const call = retryingFetch({ fetch: scriptedFetch(hangs), run: { ...run, clock }, policy });
      const result = await runWithRetry(({ signal }) => call(url, { signal }), { attemptTimeoutMs: 10 }, { ...run, clock });
      expect(result).toMatchObject({ attempts: 4, reason: 'attempts-exhausted', error: expect.any(AttemptTimeout) });
    },
  );
});

describe('calls', () => {
  it('that reject with one and the same error are each repeated', async () => {
    const { fetch, call } = retrying([reset()]);
    const errors = [await thrownBy(call(url)), await thrownBy(call(url))];
    expect(errors[0]).toBe(errors[1]);
    expect(fetch.asked).toHaveLength(8);
  });

  it.each<[string, unknown, RetryPolicy<Response>]>([
    ['classified by the built-in classifiers', say.fetchFailed(say.refused()), { classify: [networkErrors, unknownHosts, httpErrors()] }],
    ['classified by the built-in classifiers, as its name is unknown', say.fetchFailed(say.noSuchHost()), { classify: unknownHosts }],
    ['marked, as the time limit of somebody else is', new AttemptTimeout('attempt', 5), {}],
    ['marked and frozen', Object.freeze(new TransientFailure('busy')), {}],
  ])('that reject with one and the same error are each repeated where it is %s', async (_, error, policy) => {
    const { fetch, call } = retrying([{ error }], { policy });
    for (const requests of [4, 8, 12]) {
      expect(await thrownBy(call(url))).toBe(error);
      expect(fetch.asked).toHaveLength(requests);
    }
    expect(attemptsOf(error)).toHaveLength(4);
  });

  it('that answer with one and the same response are each repeated, and know their own attempts', async () => {
    const shared = answer(503, { text: null });
    const { fetch, call } = retrying([shared]);
    await call(url);
    await call(url);
    expect(fetch.asked).toHaveLength(8);
    expect(attemptsOf(shared.response)).toHaveLength(4);
  });

  it('share nothing, even at the same time', async () => {
    const clock = virtualClock();
    const fetch = scriptedFetch(503, 503, 503, 200, 200, 200);
    const call = retryingFetch({ fetch, run: { clock, random: fixedRandom(5) }, idempotencyKeyHeader: true });
    const ends = await Promise.all(['a', 'b', 'c'].map((name) => call(`${url}/${name}`, post)));
    expect(ends.map((response) => attemptsOf(response)?.map(({ action }) => action))).toEqual(Array(3).fill(['retry', 'succeed']));
    const keyOf = (name: string) =>
      new Set(fetch.asked.filter((one) => one.url.endsWith(name)).map(({ headers }) => headers.get('idempotency-key')));
    const keys = ['a', 'b', 'c'].map((name) => [...keyOf(name)]);
    expect(keys.map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(new Set(keys.flat()).size).toBe(3);
  });

  it('never throw but as a rejection', async () => {
    const { call } = retrying([200]);
    const wrong: [unknown, unknown?][] = [
      ['https://[bad'],
      [url, { method: 'POST', headers: { 'no name': 'x' } }],
      [url, { signal: {} }],
      [url, { method: Symbol('no text') }],
      [undefined],
    ];
    for (const [input, init] of wrong) {
      let promise: Promise<Response> | undefined;
      expect(() => {
        promise = call(input as string, init as RequestInit);
        promise.catch(() => {});
      }).not.toThrow();
      if (input !== undefined) await expect(promise).rejects.toThrow(TypeError);
    }
    const broken = retryingFetch({
      run,
      fetch: () => {
        throw new RangeError('at once');
      },
    });
    await expect(broken(url)).rejects.toThrow(new RangeError('at once'));
  });

  it('look up fetch at each call', async () => {
    const [first, second] = [vi.fn(async () => answer(200).response), vi.fn(async () => answer(200).response)];
    const call = retryingFetch({ run });
    vi.stubGlobal('fetch', first);
    await call(url);
    vi.stubGlobal('fetch', second);
    await call(url);
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1]);
  });

  it('may take the place of the global fetch, and send by the one that was there before', async () => {
    const before = vi.fn(async () => answer(200).response);
    vi.stubGlobal('fetch', before);
    vi.stubGlobal('fetch', retryingFetch({ run }));
    expect((await fetch(url)).status).toBe(200);
    expect(before).toHaveBeenCalledOnce();
  });

  it('take an answer of a mock that has a text for a body', async () => {
    const mock = async () => ({ status: 200, headers: new Headers(), body: 'text' }) as unknown as Response;
    const response = await retryingFetch({ fetch: mock, policy: { attemptTimeoutMs: 1_000 } })(url, {
      signal: new AbortController().signal,
    });
    expect(response.body).toBe('text');
  });

  it('are known by the headers that a client keeps of the last response', async () => {
    const { headers } = await retryingFetch({ fetch: async () => answer(503).response, run, policy: { maxAttempts: 1 } })(url);
    expect(httpErrors()({ status: 503, headers })).toBe('permanent');
    expect(httpErrors()({ status: 503, headers: new Headers(headers) })).toBe('transient');
  });

  it('give onDiscard as long to read as an attempt has, and go on', async () => {
    const clock = virtualClock();
    const signals: (AbortSignal | null | undefined)[] = [];
    const send = async (_: unknown, init?: RequestInit) => {
      signals.push(init?.signal);
      return answer(signals.length === 1 ? 503 : 200).response;
    };
    const reads = () => new Promise<void>((_, reject) => signals[0]?.addEventListener('abort', () => reject(signals[0]?.reason)));
    const policy = { attemptTimeoutMs: 1_000, backoff: { baseMs: 0 } };
    const response = await retryingFetch({ fetch: send, policy, run: { clock }, onDiscard: reads })(url);
    expect([response.status, clock.monotonicNow(), clock.pending]).toEqual([200, 1_000, []]);
  });

  it('tell each decision once, in order, and wait for whoever is told', async () => {
    const events: string[] = [];
    const { call } = retrying([503, reset(), 200], {
      run: {
        ...run,
        async onDecision({ action, attempt }) {
          await null;
          events.push(`${attempt} ${action}`);
        },
      },
    });
    await call(url);
    expect(events).toEqual(['1 retry', '2 retry', '3 succeed']);
  });
});
