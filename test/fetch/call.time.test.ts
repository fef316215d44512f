import { AttemptTimeout, isTransient, type RetryPolicy } from 'retry-policy';
import { attemptsOf, type RetryingFetchOptions, retryingFetch } from 'retry-policy/fetch';
import { assertNoLeaks, fixedRandom, type VirtualClock, virtualClock } from 'retry-policy/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as say from '../classifiers/thrown.js';
import { endingOf, thrownBy } from './ending.js';
import { answer, followsItsSignal, hangs, type Step, scriptedFetch } from './scripted-fetch.js';

const url = 'https://example.com/';
let clock: VirtualClock;
beforeEach(() => {
  clock = virtualClock();
});
afterEach(() => assertNoLeaks(clock));

const retrying = (steps: readonly Step[], policy: RetryPolicy<Response>, options: RetryingFetchOptions = {}) => {
  const fetch = scriptedFetch(...steps);
  return { fetch, call: retryingFetch({ fetch, run: { clock, random: fixedRandom(0) }, policy, ...options }) };
};
/** An answer that comes after a time. */
const late =
  (ms: number, status: number): Step =>
  async () => {
    await clock.sleep(ms);
    return answer(status).response;
  };

describe('the limit of an attempt', () => {
  it.each<[string, Step]>([
    ['follows its signal', followsItsSignal],
    ['ignores its signal', hangs],
  ])('has a GET sent again, where fetch %s', async (_, step) => {
    const { fetch, call } = retrying([step, 200], { attemptTimeoutMs: 10 });
    const response = await call(url);
    expect(attemptsOf(response)).toMatchObject([
      { action: 'retry', durationMs: 10, judgedBy: 'mark', error: { limit: 'attempt', timeoutMs: 10 } },
      { action: 'succeed', attempt: 2 },
    ]);
    expect(fetch.asked.map((one) => one.signal?.aborted)).toEqual([true, false]);
    expect(fetch.asked[0]?.signal?.reason).toBeInstanceOf(AttemptTimeout);
  });

  it('is thrown when no attempt is left', async () => {
    const { call } = retrying([hangs], { attemptTimeoutMs: 10, maxAttempts: 2 });
    const { error, end, log } = await endingOf(call(url));
    expect(error).toBeInstanceOf(AttemptTimeout);
    expect(error).toMatchObject({ limit: 'attempt', timeoutMs: 10 });
    expect([end, log.length]).toEqual(['attempts-exhausted', 2]);
    expect(log[1]).toMatchObject({ error });
  });

  it.each<[string, Step]>([
    ['follows its signal', followsItsSignal],
    ['ignores its signal', hangs],
  ])('ends a POST, which may have been done, where fetch %s', async (_, step) => {
    const { fetch, call } = retrying([step], { attemptTimeoutMs: 10 });
    const { error, end } = await endingOf(call(url, { method: 'POST' }));
    expect(error).toBeInstanceOf(AttemptTimeout);
    expect([end, fetch.asked.length]).toEqual(['committed', 1]);
  });

  it('has a POST with a key sent again', async () => {
    const { fetch, call } = retrying([hangs, 200], { attemptTimeoutMs: 10 }, { idempotencyKeyHeader: true });
    expect((await call(url, { method: 'POST' })).status).toBe(200);
    expect(fetch.asked).toHaveLength(2);
  });

  it('has a POST sent again that was not sent in time', async () => {
    const refused = async () => {
      await clock.sleep(5);
      throw say.fetchFailed(say.refused());
    };
    const { fetch, call } = retrying([refused, late(9, 200)], { attemptTimeoutMs: 10 });
    expect((await call(url, { method: 'POST' })).status).toBe(200);
    expect(fetch.asked).toHaveLength(2);
  });

  it('is one for each attempt', async () => {
    const { call } = retrying([late(9, 503), late(9, 503), late(9, 200)], { attemptTimeoutMs: 10 });
    expect((await call(url)).status).toBe(200);
    expect(clock.monotonicNow()).toBe(27);
  });

  it.each<RetryPolicy<Response>>([{ attemptTimeoutMs: 10 }, { totalBudgetMs: 10 }])(
    'ends at the headers: a body may take longer (%j)',
    async (policy) => {
      const { fetch, call } = retrying([answer(200)], policy);
      const response = await call(url);
      expect(clock.pending).toEqual([]);
      await clock.advance(1_000);
      expect(fetch.asked[0]?.signal?.aborted).toBe(false);
      expect(await response.text()).toBe('answered 200');
    },
  );

  it('of nothing leaves fetch without a signal', async () => {
    const { fetch, call } = retrying([200], {});
    await call(url);
    expect(fetch.asked[0]?.init).toEqual({});
  });
});

describe('the budget', () => {
  it('cuts off what is under way at its end', async () => {
    const { fetch, call } = retrying([late(20, 503), followsItsSignal], { totalBudgetMs: 30 });
    const { error, end } = await endingOf(call(url));
    expect(error).toMatchObject({ limit: 'budget', timeoutMs: 10, cause: { status: 503 } });
    expect([end, fetch.asked.length, clock.monotonicNow()]).toEqual(['budget-exhausted', 2, 30]);
  });

  it('commits a POST that it cuts off', async () => {
    const { call } = retrying([hangs], { totalBudgetMs: 30 });
    const { error, end } = await endingOf(call(url, { method: 'POST' }));
    expect(error).toMatchObject({ limit: 'budget', timeoutMs: 30 });
    expect(end).toBe('committed');
  });

  it('that has no room for another attempt has the last response returned, its body readable', async () => {
    const { call } = retrying([late(20, 503)], { totalBudgetMs: 30, attemptTimeoutMs: 25 });
    const { response, end } = await endingOf(call(url));
    expect(end).toBe('budget-exhausted');
    expect(await response?.text()).toBe('answered 503');
  });

  it('that has no room for another attempt has the network error thrown', async () => {
    const error = say.fetchFailed(say.reset());
    const { call } = retrying([{ error }], { totalBudgetMs: 30, attemptTimeoutMs: 31 });
    expect(await endingOf(call(url))).toMatchObject({ error, end: 'budget-exhausted' });
  });

  describe('that ends in the wait', () => {
    const overslept = async (step: Step, init?: RequestInit) => {
      clock = virtualClock({ autoAdvance: false });
      const { fetch, call } = retrying([step], { totalBudgetMs: 10_000, jitter: 'none', backoff: { baseMs: 1_000 } });
      const ending = endingOf(call(url, init));
      await clock.advance(0);
      await clock.suspend(20_000);
      return { ...(await ending), fetch };
    };

    it('has an AttemptTimeout thrown, since the response was let go of', async () => {
      const first = answer(503);
      const { error, end, log, fetch } = await overslept(first);
      expect(error).toBeInstanceOf(AttemptTimeout);
      expect(error).toMatchObject({ limit: 'budget', timeoutMs: 10_000, cause: first.response });
      expect([first.isCancelled, end, log.length, fetch.asked.length]).toEqual([true, 'budget-exhausted', 2, 1]);
      expect(isTransient(error)).toBe(false);
    });

    it('has the network error thrown as it was', async () => {
      const failed = say.fetchFailed(say.reset());
      const { error, end, log } = await overslept({ error: failed });
      expect(error).toBe(failed);
      expect([end, log.map(({ action }) => action)]).toEqual(['budget-exhausted', ['retry', 'dead-letter']]);
    });
  });

  it('has the last network error thrown, not an answer before it', async () => {
    const failed = say.fetchFailed(say.reset());
    clock = virtualClock({ autoAdvance: false });
    const { call } = retrying([503, { error: failed }], { totalBudgetMs: 10_000, jitter: 'none', backoff: { baseMs: 1_000 } });
    const promise = thrownBy(call(url));
    await clock.advance(0);
    await clock.advance(1_000);
    await clock.suspend(20_000);
    expect(await promise).toBe(failed);
  });
});

it('a time limit that a call throws is no failure that passes, for anybody outside', async () => {
  const { call } = retrying([hangs], { attemptTimeoutMs: 10, maxAttempts: 1 });
  const error = await thrownBy(call(url));
  expect(isTransient(error)).toBe(false);
  expect(Object.keys(error as object).sort()).toEqual(['limit', 'timeoutMs']);
  expect(attemptsOf(error)).toHaveLength(1);
});
