import { type Decision, isRetryHookError } from 'retry-policy';
import { type RetryingFetchOptions, retryingFetch } from 'retry-policy/fetch';
import { fixedRandom, frozenClock, virtualClock } from 'retry-policy/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as say from '../classifiers/thrown.js';
import { endingOf, thrownBy } from './ending.js';
import { type Answer, answer, hangs, type Step, scriptedFetch } from './scripted-fetch.js';

const url = 'https://example.com/';
const run = { clock: frozenClock(0), random: fixedRandom(0) };
const boom = new Error('boom');
const throws = () => {
  throw boom;
};
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const post: RequestInit = { method: 'POST', body: 'x' };

const retrying = (steps: readonly Step[], options: RetryingFetchOptions = {}) => {
  const fetch = scriptedFetch(...steps);
  return { fetch, call: retryingFetch({ fetch, run, ...options }) };
};
const cancelled = (answers: readonly Answer[]) => answers.map(({ isCancelled }) => isCancelled);

const unhandled = vi.fn();
beforeEach(() => void process.on('unhandledRejection', unhandled));
afterEach(async () => {
  await turn();
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

describe('a response that a retry replaces', () => {
  it('is shown to onDiscard, told to onDecision, then let go of, before the wait', async () => {
    const events: string[] = [];
    const { sleep, ...clock } = run.clock;
    const first = answer(503, { onCancel: () => events.push('cancel') });
    const { call } = retrying([first, 200], {
      run: {
        ...run,
        clock: {
          ...clock,
          sleep: (...wait) => {
            events.push('wait');
            return sleep(...wait);
          },
        },
        async onDecision({ action }) {
          events.push(`onDecision ${action}`);
          await turn();
          events.push('told');
        },
      },
      async onDiscard({ status }, { action }) {
        events.push(`onDiscard ${status} ${action}`);
        await turn();
        events.push('shown');
      },
    });
    await call(url);
    expect(events).toEqual(['onDiscard 503 retry', 'shown', 'onDecision retry', 'told', 'cancel', 'wait', 'onDecision succeed', 'told']);
  });

  it('is given to onDiscard once, with its decision', async () => {
    const onDiscard = vi.fn();
    const decisions: Decision[] = [];
    const { fetch, call } = retrying([503, { error: say.fetchFailed(say.reset()) }, 429, 200], {
      onDiscard,
      run: { ...run, onDecision: (decision) => void decisions.push(decision) },
    });
    await call(url);
    const [first, third] = fetch.answers;
    expect(onDiscard.mock.calls).toEqual([
      [first?.response, decisions[0]],
      [third?.response, decisions[2]],
    ]);
    expect(onDiscard.mock.calls[1]?.[1]).toBe(decisions[2]);
  });

  it('is not so the last one, whatever it says, nor a network error', async () => {
    const onDiscard = vi.fn();
    for (const step of [200, 404, { error: say.fetchFailed(say.reset()) }]) await endingOf(retrying([step], { onDiscard }).call(url));
    await endingOf(retrying([503], { onDiscard }).call(url, post));
    await endingOf(retrying([503], { onDiscard, policy: { maxAttempts: 1 } }).call(url));
    expect(onDiscard).not.toHaveBeenCalled();
  });

  it('may be read by onDiscard and by onDecision', async () => {
    const read: string[] = [];
    const { fetch, call } = retrying([503, answer(429, { text: 'slow down' }), 200], {
      onDiscard: async (response) => void (response.status === 503 && read.push(await response.text())),
      run: {
        ...run,
        async onDecision(decision) {
          if (decision.action === 'retry' && decision.attempt === 2) read.push(await (decision.error as Response).text());
        },
      },
    });
    await call(url);
    expect(read).toEqual(['answered 503', 'slow down']);
    expect(cancelled(fetch.answers)).toEqual([false, false, false]);
  });

  it('may be left with a reader', async () => {
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    const first = answer(503);
    const { call } = retrying([first, 200], {
      onDiscard: ({ body }) => {
        reader = body?.getReader();
      },
    });
    await call(url);
    expect(first.isCancelled).toBe(false);
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('answered 503');
  });

  it.each<[string, (response: Response) => void | Promise<void>]>([
    ['throws', throws],
    ['rejects', () => Promise.reject(boom)],
    ['rejects later', () => turn().then(throws)],
    ['reads, and what it read is no JSON', async (response) => void (await response.json())],
    ['answers nonsense', () => 'nonsense' as never],
  ])('is replaced as well where onDiscard %s', async (_, onDiscard) => {
    const told = vi.fn();
    const { fetch, call } = retrying([503, 200], { onDiscard, run: { ...run, onDecision: told } });
    const { end, log } = await endingOf(call(url));
    expect([end, log.length, told.mock.calls.length, fetch.asked.length]).toEqual(['succeed', 2, 2, 2]);
  });

  it('need not have a body', async () => {
    const onDiscard = vi.fn();
    const { call } = retrying([answer(503, { text: null }), 200], { onDiscard });
    expect((await call(url)).status).toBe(200);
    expect(onDiscard).toHaveBeenCalledTimes(1);
  });

  it('is not waited for: a body may never be done with its cancellation', async () => {
    const stuck = new Response(new ReadableStream({ cancel: hangs }), { status: 503 });
    const failing = new Response(new ReadableStream({ cancel: throws }), { status: 503 });
    const { call } = retrying([() => stuck, () => failing, 200]);
    expect((await call(url)).status).toBe(200);
  });

  it('is let go of though nobody listens', async () => {
    const { fetch, call } = retrying([503, 503, 200]);
    await call(url);
    expect(cancelled(fetch.answers)).toEqual([true, true, false]);
  });

  it('may be the same one for each attempt of a mock', async () => {
    const onDiscard = vi.fn();
    const shared = answer(503, { text: null });
    const { call } = retrying([shared], { onDiscard });
    expect(await call(url)).toBe(shared.response);
    expect(onDiscard.mock.calls.map(([, decision]) => decision.attempt)).toEqual([1, 2, 3]);
  });
});

describe('a hook that fails has the response let go of', () => {
  it.each<[string, RetryingFetchOptions, number]>([
    ['onDecision that throws, at a retry', { run: { ...run, onDecision: throws } }, 503],
    ['onDecision that rejects, at a retry', { run: { ...run, onDecision: () => Promise.reject(boom) } }, 503],
    ['onDecision at a success', { run: { ...run, onDecision: throws } }, 200],
    ['onDecision at the end', { run: { ...run, onDecision: throws }, policy: { maxAttempts: 1 } }, 503],
    ['classifyValue', { policy: { classifyValue: throws } }, 200],
    ['classifyValue that answers nonsense', { policy: { classifyValue: () => 'retry' as never } }, 200],
    ['classifyValue that answers null', { policy: { classifyValue: () => null as never } }, 200],
    ['classifyValue that answers a promise', { policy: { classifyValue: (async () => 'transient') as never } }, 200],
    ['delay', { policy: { delay: throws } }, 503],
    ['random', { run: { ...run, random: () => Number.NaN } }, 503],
    ['a clock that cannot sleep', { run: { ...run, clock: { ...run.clock, sleep: throws } } }, 503],
  ])('%s', async (_, options, status) => {
    const { fetch, call } = retrying([status], options);
    expect(isRetryHookError(await thrownBy(call(url)))).toBe(true);
    expect(cancelled(fetch.answers)).toEqual([true]);
  });

  it('classify, of an error', async () => {
    const error = say.fetchFailed(say.reset());
    const fault = await thrownBy(retrying([{ error }], { policy: { classify: throws } }).call(url));
    expect(fault).toMatchObject({ hook: 'classify', cause: boom, error });
  });
});

describe('a response that comes too late is let go of', () => {
  const late = () => {
    const come: ((response: Response) => void)[] = [];
    const step = () => new Promise<Response>((resolve) => void come.push(resolve));
    return { come, step };
  };

  it('in the next attempt', async () => {
    const { come, step } = late();
    const clock = virtualClock({ autoAdvance: false });
    const onDiscard = vi.fn();
    const { fetch, call } = retrying([step], { run: { ...run, clock }, policy: { attemptTimeoutMs: 10, maxAttempts: 2 }, onDiscard });
    const promise = call(url);
    await clock.advance(10);
    await clock.advance(0);
    expect(fetch.asked).toHaveLength(2);
    const [first, second] = [answer(503), answer(200)];
    come[0]?.(first.response);
    await turn();
    expect(first.isCancelled).toBe(true);
    come[1]?.(second.response);
    expect(await promise).toBe(second.response);
    expect(second.isCancelled).toBe(false);
    expect(onDiscard).not.toHaveBeenCalled();
  });

  it.each([200, 503])('in the wait (%i)', async (status) => {
    const { come, step } = late();
    const clock = virtualClock({ autoAdvance: false });
    const { call } = retrying([step, 200], { run: { clock, random: fixedRandom(100) }, policy: { attemptTimeoutMs: 10 } });
    const promise = call(url);
    await clock.advance(10);
    const first = answer(status);
    come[0]?.(first.response);
    await turn();
    expect(first.isCancelled).toBe(true);
    await clock.advance(100);
    expect((await promise).status).toBe(200);
  });

  it.each<[string, RetryingFetchOptions]>([
    ['without limits', {}],
    ['with limits', { policy: { attemptTimeoutMs: 1_000 } }],
  ])('after an abort, %s', async (_, options) => {
    const { come, step } = late();
    const controller = new AbortController();
    const { call } = retrying([step], options);
    const promise = thrownBy(call(url, { signal: controller.signal }));
    await turn();
    controller.abort(boom);
    expect(await promise).toBe(boom);
    const first = answer(200);
    come[0]?.(first.response);
    await turn();
    expect(first.isCancelled).toBe(true);
  });

  it('after the end of the budget', async () => {
    const { come, step } = late();
    const { call } = retrying([step], { run: { ...run, clock: virtualClock() }, policy: { totalBudgetMs: 10 } });
    expect(await thrownBy(call(url))).toMatchObject({ limit: 'budget' });
    const first = answer(200);
    come[0]?.(first.response);
    await turn();
    expect(first.isCancelled).toBe(true);
  });

  it('and an error that comes too late is dropped', async () => {
    const fail: ((error: unknown) => void)[] = [];
    const step = () => new Promise<Response>((_, reject) => void fail.push(reject));
    const { call } = retrying([step, 200], { run: { ...run, clock: virtualClock() }, policy: { attemptTimeoutMs: 10 } });
    expect((await call(url)).status).toBe(200);
    fail[0]?.(boom);
  });
});
