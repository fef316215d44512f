import { definePolicy, exponentialBackoff, type RunOptions } from 'retry-policy';
import { type RetryingFetchOptions, retryingFetch } from 'retry-policy/fetch';
import { fixedRandom, frozenClock, overrideDefaults, virtualClock } from 'retry-policy/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endingOf } from './ending.js';
import { answer, scriptedFetch } from './scripted-fetch.js';

const url = 'https://example.com/';
const run = { clock: frozenClock(0), random: fixedRandom(0) };

afterEach(() => vi.unstubAllGlobals());

describe('an option that is wrong is refused at once', () => {
  // What it must be is told in words; which, is not tested.
  it.each<[unknown, ErrorConstructor, string | RegExp]>([
    [null, TypeError, 'options must be an object, got null'],
    ['fast', TypeError, 'options must be an object, got "fast"'],
    [{ retries: 3 }, TypeError, 'unknown option retries'],
    [{ onDiscarded() {} }, TypeError, 'unknown option onDiscarded (did you mean onDiscard?)'],
    [{ maxAttempts: 3 }, TypeError, 'unknown option maxAttempts'],
    [{ policy: null }, TypeError, /\bpolicy must be .+, got null/],
    [{ policy: 3 }, TypeError, /\bpolicy must be .+, got 3/],
    [{ policy: { maxAttempts: 0 } }, RangeError, 'maxAttempts must be an integer >= 1 or Infinity, got 0'],
    [{ policy: { attempts: 3 } }, TypeError, 'unknown option attempts'],
    [{ policy: { classifyValue: 'transient' } }, TypeError, 'classifyValue must be a function, got "transient"'],
    [{ run: null }, TypeError, /\brun must be .+, got null/],
    [{ run: { clock: Date } }, TypeError, 'clock must be a Clock'],
    [{ run: { logLimit: -1 } }, RangeError, 'logLimit must be an integer >= 0, got -1'],
    [{ run: { signals: [] } }, TypeError, 'unknown option signals (did you mean signal?)'],
    [{ run: { idempotencyKey: 'k1' } }, TypeError, /\brun.* idempotencyKey|run\.idempotencyKey/],
    [{ fetch: null }, TypeError, 'fetch must be a function, got null'],
    [{ fetch: {} }, TypeError, 'fetch must be a function, got object'],
    [{ statuses: 503 }, TypeError, /\bstatuses must be an array of .+, got 503/],
    [{ statuses: new Set([503]) }, TypeError, /\bstatuses must be an array of .+, got object/],
    [{ statuses: null }, TypeError, /\bstatuses must be an array of .+, got null/],
    [{ statuses: ['503'] }, TypeError, /\bstatuses must be an array of .+, got object/],
    [{ statuses: [503, 99] }, TypeError, /\bstatuses must be an array of .+, got object/],
    [{ statuses: [600] }, TypeError, /\bstatuses must be an array of .+, got object/],
    [{ statuses: [503.5] }, TypeError, /\bstatuses must be an array of .+, got object/],
    [{ notDoneStatuses: [0] }, TypeError, /\bnotDoneStatuses must be an array of .+, got object/],
    [{ notDoneStatuses: '503' }, TypeError, /\bnotDoneStatuses must be an array of .+, got "503"/],
    [{ methods: 'POST' }, TypeError, 'methods must be an array of strings, got "POST"'],
    [{ methods: ['POST', 1] }, TypeError, 'methods must be an array of strings, got object'],
    [{ methods: null }, TypeError, 'methods must be an array of strings, got null'],
    [{ idempotencyKeyHeader: null }, TypeError, /\bidempotencyKeyHeader must be a boolean or .+, got null/],
    [{ idempotencyKeyHeader: 1 }, TypeError, /\bidempotencyKeyHeader must be a boolean or .+, got 1/],
    [{ idempotencyKeyHeader: '' }, RangeError, /\bidempotencyKeyHeader must be a boolean or .+, got ""/],
    [{ idempotencyKeyHeader: 'two words' }, RangeError, /\bidempotencyKeyHeader must be a boolean or .+, got "two words"/],
    [{ idempotencyKeyHeader: 'key:' }, RangeError, /\bidempotencyKeyHeader must be a boolean or .+, got "key:"/],
    [{ idempotencyKeyHeader: 'key\n' }, RangeError, /\bidempotencyKeyHeader must be a boolean or .+, got "key\\n"/],
    [{ onDiscard: true }, TypeError, 'onDiscard must be a function, got true'],
    [{ onDiscard: null }, TypeError, 'onDiscard must be a function, got null'],
  ])('%j: %s', (options, Fault, message) => {
    const attempt = () => retryingFetch(options as RetryingFetchOptions);
    expect(attempt).toThrow(Fault);
    expect(attempt).toThrow(message);
  });

  it('with all others, in one message', () => {
    const options = { statuses: 1, methods: 2, idempotencyKeyHeader: '', onDiscard: 3, notDoneStatuses: 4, fetch: 5, retries: 6 };
    let message = '';
    try {
      retryingFetch(options as never);
    } catch (error) {
      message = String(error);
    }
    expect(message).toMatch(/^TypeError: invalid retryingFetch options: /);
    for (const name of Object.keys(options)) expect(message).toContain(name);
  });
});

describe('options that are right', () => {
  it.each<RetryingFetchOptions | undefined>([
    undefined,
    {},
    ...['policy', 'run', 'fetch', 'statuses', 'methods', 'notDoneStatuses', 'idempotencyKeyHeader', 'onDiscard'].map((name) => ({
      [name]: undefined,
    })),
    { run: { idempotencyKey: undefined } },
    { statuses: [], methods: [], notDoneStatuses: [], idempotencyKeyHeader: false },
    { statuses: [100, 599] },
    { idempotencyKeyHeader: 'X-Request_Key-09az' },
  ])('are %j', async (options) => {
    const fetch = scriptedFetch(200);
    vi.stubGlobal('fetch', fetch);
    expect((await retryingFetch(options)(url)).status).toBe(200);
    expect(fetch.asked[0]).toMatchObject({ input: url, init: {} });
  });

  it('are left as they are, and may be frozen', async () => {
    const policy = Object.freeze({ classify: Object.freeze([]), maxAttempts: 2 });
    const options = Object.freeze({ policy, run: Object.freeze({ ...run }), methods: Object.freeze(['GET']), fetch: scriptedFetch(503) });
    const before = { ...options };
    await retryingFetch(options)(url);
    expect(options).toEqual(before);
    expect(options.fetch.asked).toHaveLength(2);
  });

  it('may bring a policy that is resolved, which stays as it is', async () => {
    const policy = definePolicy<Response>({ maxAttempts: 2 });
    const fetch = scriptedFetch(503);
    await retryingFetch({ policy, run, fetch })(url);
    expect(fetch.asked).toHaveLength(2);
    expect([policy.classify, policy.classifyValue]).toEqual([[], undefined]);
  });

  it('have the delays of the policy drawn from the random source of the run', async () => {
    const clock = virtualClock();
    const { log } = await endingOf(retryingFetch({ run: { clock, random: (_, max) => max }, fetch: scriptedFetch(503) })(url));
    expect(log.flatMap((decision) => (decision.action === 'retry' ? decision.delayMs : []))).toEqual(
      [1, 2, 3].map((attempt) => exponentialBackoff(attempt, { baseMs: 2_000, capMs: 60_000 })),
    );
  });

  it('are overridden by a test, after they were checked as well', async () => {
    const fetch = scriptedFetch(answer(503, { headers: { 'retry-after': 'Mon, 01 Jan 2001 00:00:30 GMT' }, text: null }), 200);
    const call = retryingFetch({ fetch });
    const override = overrideDefaults({ clock: virtualClock({ startAt: Date.UTC(2001, 0, 1) }), random: fixedRandom(0) });
    try {
      expect((await endingOf(call(url))).log).toMatchObject([{ retryAfterMs: 30_000, delayMs: 30_000 }, { action: 'succeed' }]);
    } finally {
      override.restore();
    }
  });

  it('take the options of the run for each call', async () => {
    const told: RunOptions['onDecision'] = vi.fn();
    const call = retryingFetch({ fetch: scriptedFetch(200), run: { ...run, onDecision: told } });
    await call(url);
    await call(url);
    expect(told).toHaveBeenCalledTimes(2);
  });
});
