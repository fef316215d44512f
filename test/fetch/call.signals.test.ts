import { getEventListeners } from 'node:events';
import { AttemptTimeout, isTransient, type RetryPolicy } from 'retry-policy';
import { attemptsOf, type RetryingFetchOptions, retryingFetch } from 'retry-policy/fetch';
import { assertNoLeaks, fixedRandom, frozenClock, type VirtualClock, virtualClock } from 'retry-policy/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as say from '../classifiers/thrown.js';
import { countedSignal } from '../counted-signal.js';
import { endingOf, thrownBy } from './ending.js';
import { collectedUntil, collectGarbage } from './garbage.js';
import { type Asked, answer, followsItsSignal, hangs, type Step, scriptedFetch } from './scripted-fetch.js';

const url = 'https://example.com/';
const reason = new Error('the user left');
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const unlimited: RetryPolicy<Response> = {};
const limited: RetryPolicy<Response> = { attemptTimeoutMs: 60_000 };
const policies: [string, RetryPolicy<Response>][] = [
  ['without limits', unlimited],
  ['with limits', limited],
];

let clock: VirtualClock;
let own: AbortController;
let shared: AbortController;
beforeEach(() => {
  clock = virtualClock({ autoAdvance: false });
  own = new AbortController();
  shared = new AbortController();
});
afterEach(() => assertNoLeaks(clock));

const retrying = (steps: readonly Step[], policy: RetryPolicy<Response> = {}, { run, ...options }: RetryingFetchOptions = {}) => {
  const fetch = scriptedFetch(...steps);
  return { fetch, call: retryingFetch({ fetch, run: { clock, random: fixedRandom(100), ...run }, policy, ...options }) };
};
const signalOf = ({ asked }: { asked: readonly Asked[] }, at = 0) => asked[at]?.signal as AbortSignal;

/** The ways in which a caller can give a signal. */
const ways: [string, () => { init: RequestInit; input?: Request; run?: { signal: AbortSignal }; abort: (reason?: unknown) => void }][] = [
  ['of the call', () => ({ init: { signal: own.signal }, abort: (why) => own.abort(why) })],
  ['of all calls', () => ({ init: {}, run: { signal: shared.signal }, abort: (why) => shared.abort(why) })],
  [
    'of the call, where all have one',
    () => ({ init: { signal: own.signal }, run: { signal: shared.signal }, abort: (why) => own.abort(why) }),
  ],
  [
    'of all calls, where this has one',
    () => ({ init: { signal: own.signal }, run: { signal: shared.signal }, abort: (why) => shared.abort(why) }),
  ],
  ['of a Request', () => ({ init: {}, input: new Request(url, { signal: own.signal }), abort: (why) => own.abort(why) })],
  [
    'of a Request, beside undefined',
    () => ({ init: { signal: undefined as never }, input: new Request(url, { signal: own.signal }), abort: (why) => own.abort(why) }),
  ],
  [
    'of a call, beside that of the Request',
    () => ({ init: { signal: own.signal }, input: new Request(url, { signal: shared.signal }), abort: (why) => own.abort(why) }),
  ],
  ['of a Request given as init', () => ({ init: new Request(url, { signal: own.signal }) as RequestInit, abort: (why) => own.abort(why) })],
  ['of both, which are one', () => ({ init: { signal: own.signal }, run: { signal: own.signal }, abort: (why) => own.abort(why) })],
];

describe.each(policies)('the signal, %s,', (_, policy) => {
  describe.each(ways)('%s', (_, way) => {
    const begin = (steps: readonly Step[], options: RetryingFetchOptions = {}) => {
      const { init, input = url, run, abort } = way();
      const { fetch, call } = retrying(steps, policy, { ...options, run: { ...options.run, ...run } });
      return { fetch, abort, call: () => call(input, init) };
    };

    it('that has aborted before means that nothing is sent', async () => {
      const { fetch, call, abort } = begin([200]);
      abort(reason);
      const error = await thrownBy(call());
      expect(error).toBe(reason);
      expect(attemptsOf(error)).toEqual([]);
      expect(fetch.asked).toEqual([]);
    });

    it.each<[string, Step]>([
      ['follows it', followsItsSignal],
      ['ignores it', hangs],
    ])('ends a call under way, also where fetch %s', async (_, step) => {
      const { fetch, call, abort } = begin([step]);
      const ending = endingOf(call());
      await turn();
      abort(reason);
      const { error, end, log } = await ending;
      expect(error).toBe(reason);
      expect([end, log.length, fetch.asked.length]).toEqual(['aborted', 1, 1]);
      expect([signalOf(fetch).aborted, signalOf(fetch).reason]).toEqual([true, reason]);
    });

    it('ends the wait, and the body of the answer before it was let go of', async () => {
      const { fetch, call, abort } = begin([503]);
      const ending = endingOf(call());
      await clock.advance(50);
      abort(reason);
      expect(await ending).toMatchObject({ error: reason, end: 'aborted', log: [{ action: 'retry' }, { action: 'dead-letter' }] });
      expect([fetch.asked.length, fetch.answers[0]?.isCancelled]).toEqual([1, true]);
    });

    it('goes on working while the body is read', async () => {
      const { fetch, call, abort } = begin([answer(200, { text: undefined })]);
      const response = await call();
      await clock.advance(100_000);
      expect(signalOf(fetch).aborted).toBe(false);
      abort(reason);
      expect([signalOf(fetch).aborted, signalOf(fetch).reason]).toEqual([true, reason]);
      expect(response.bodyUsed).toBe(false);
    });

    it('goes on working in the last of several attempts', async () => {
      const { fetch, call, abort } = begin([503, answer(200, { text: undefined })]);
      const promise = call();
      await clock.advance(0);
      await clock.advance(100);
      await promise;
      abort(reason);
      expect(signalOf(fetch, 1).reason).toBe(reason);
    });

    it('goes on working after a collection, while nothing but the body is held', async () => {
      const { call, abort, fetch } = begin([answer(200, { text: undefined })]);
      const signal = await (async () => {
        const response = await call();
        return { body: response.body, given: signalOf(fetch) };
      })();
      fetch.asked.length = 0;
      fetch.answers.length = 0;
      await collectGarbage();
      abort(reason);
      expect([signal.body?.locked, signal.given.reason]).toEqual([false, reason]);
    });

    it('that aborts in onDecision of a retry ends the call before the wait', async () => {
      const { fetch, call, abort } = begin([503], { run: { onDecision: ({ action }) => void (action === 'retry' && abort(reason)) } });
      expect(await endingOf(call())).toMatchObject({ error: reason, end: 'aborted' });
      expect(fetch.answers[0]?.isCancelled).toBe(true);
    });

    it('that aborts in onDiscard ends the call before the wait, and the end is told last', async () => {
      const told = vi.fn();
      const { fetch, call, abort } = begin([503], {
        onDiscard: () => abort(reason),
        run: { onDecision: ({ action }) => void told(action) },
      });
      expect(await endingOf(call())).toMatchObject({ error: reason, end: 'aborted' });
      await turn();
      expect(fetch.answers[0]?.isCancelled).toBe(true);
      expect(told).toHaveBeenLastCalledWith('dead-letter');
    });

    it('that aborts while onDiscard is pending has nothing told after the end', async () => {
      const told = vi.fn();
      let goOn = () => {};
      const onDiscard = () =>
        new Promise<void>((resolve) => {
          goOn = resolve;
        });
      const { call, abort } = begin([503], { onDiscard, run: { onDecision: ({ action }) => void told(action) } });
      const promise = thrownBy(call());
      await turn();
      abort(reason);
      await promise;
      goOn();
      await turn();
      expect(told).toHaveBeenLastCalledWith('dead-letter');
    });

    it.each<[string, RetryingFetchOptions]>([
      ['onDecision', { run: { onDecision: hangs } }],
      ['onDiscard', { onDiscard: hangs }],
    ])('ends a call whose %s is pending, and the body is let go of', async (_, options) => {
      const { fetch, call, abort } = begin([503], options);
      const promise = thrownBy(call());
      await turn();
      expect(fetch.answers[0]?.isCancelled).toBe(false);
      abort(reason);
      expect(await promise).toBe(reason);
      expect(fetch.answers[0]?.isCancelled).toBe(true);
    });

    it('that aborts in classifyValue ends the call, and the body is let go of', async () => {
      const { init, input = url, run, abort } = way();
      const classifyValue = () => {
        abort(reason);
        return 'transient' as const;
      };
      const { fetch, call } = retrying([503], { ...policy, classifyValue }, { run });
      expect(await endingOf(call(input, init))).toMatchObject({ error: reason, end: 'aborted' });
      expect(fetch.answers[0]?.isCancelled).toBe(true);
    });

    it('that aborts while a success is told leaves it one', async () => {
      const { call, abort, fetch } = begin([200], { run: { onDecision: () => abort(reason) } });
      expect((await call()).status).toBe(200);
      expect(signalOf(fetch).reason).toBe(reason);
    });

    it.each<[string, unknown]>([
      ['a text', 'stop'],
      ['null', null],
      ['an error with a mark', Object.assign(new Error(), { [Symbol.for('retry-policy.transient')]: true })],
    ])('hands on its reason as it is: %s', async (_, why) => {
      for (const step of [followsItsSignal, hangs, 503]) {
        const { call, abort, fetch } = begin([step]);
        const promise = thrownBy(call());
        await clock.advance(0);
        abort(why);
        expect(await promise).toBe(why);
        expect(fetch.asked).toHaveLength(1);
        own = new AbortController();
        shared = new AbortController();
      }
    });

    it('without a reason has the AbortError of the platform thrown', async () => {
      const { call, abort, fetch } = begin([followsItsSignal]);
      const promise = thrownBy(call());
      await turn();
      abort();
      const error = await promise;
      expect(error).toBeInstanceOf(DOMException);
      expect(error).toBe(signalOf(fetch).reason);
    });
  });
});

describe('the signal that fetch is given', () => {
  it.each<[string, () => RequestInit, boolean]>([
    ['of the call', () => ({ signal: own.signal }), false],
    ['of all calls', () => ({}), true],
  ])("is the caller's own, %s, where there are no limits", async (_, init, ofAll) => {
    const { fetch, call } = retrying([200], unlimited, ofAll ? { run: { signal: own.signal } } : {});
    await call(url, init());
    expect(signalOf(fetch)).toBe(own.signal);
  });

  it('is that of the Request, where there are no limits', async () => {
    const request = new Request(url, { signal: own.signal });
    const { fetch, call } = retrying([200]);
    await call(request);
    expect(signalOf(fetch)).toBe(request.signal);
  });

  it.each(policies)('is not that of the Request where the init says null, %s', async (_, policy) => {
    const request = new Request(url, { signal: own.signal });
    const { fetch, call } = retrying([answer(200, { text: undefined })], policy);
    own.abort(reason);
    await call(request, { signal: null });
    expect([signalOf(fetch)?.aborted ?? false, fetch.asked[0]?.init?.signal === null]).toEqual([false, policy === unlimited]);
  });

  it('is that of all calls where the init says null', async () => {
    const request = new Request(url, { signal: own.signal });
    const { fetch, call } = retrying([200], {}, { run: { signal: shared.signal } });
    own.abort(reason);
    await call(request, { signal: null });
    expect(signalOf(fetch)).toBe(shared.signal);
  });

  it('is one for each attempt, where there are limits', async () => {
    const { fetch, call } = retrying([503, 200], limited, { run: { clock: frozenClock(0) } });
    await call(url, { signal: own.signal });
    expect(new Set(fetch.asked.map(({ signal }) => signal)).size).toBe(2);
  });

  it("aborts with the time limit, beside the caller's own", async () => {
    clock = virtualClock();
    const { fetch, call } = retrying([followsItsSignal, 200], limited);
    expect((await call(url, { signal: own.signal })).status).toBe(200);
    expect(signalOf(fetch).reason).toMatchObject({ limit: 'attempt' });
    expect(own.signal.aborted).toBe(false);
  });
});

describe('no listener is left on a long-lived signal', () => {
  const noBody = () => new Response(null, { status: 204 });
  const failed = { error: say.fetchFailed(say.reset()) };
  const cases: [string, readonly Step[]][] = [
    ['an answer without a body', [noBody]],
    ['an answer without a body, after others', [503, failed, noBody]],
    ['an error', [failed]],
    ['an error after answers', [503, 503, 503, failed]],
    ['a failure that is permanent', [{ error: new Error('of my own') }]],
  ];

  describe.each(policies)('%s', (_, policy) => {
    it.each(cases)('after %s', async (_, steps) => {
      const run = { clock: frozenClock(0) };
      for (const signals of [{ ofCall: true }, { ofAll: true }, { ofCall: true, ofAll: true }]) {
        const [call, all] = [countedSignal(), countedSignal()];
        let most = 0;
        const looks = steps.map(
          (step): Step =>
            (asked) => {
              most = Math.max(most, call.counts.listeners.length, all.counts.listeners.length);
              return scriptedFetch(step)(asked.input, asked.init);
            },
        );
        const retries = retrying(looks, policy, { run: { ...run, ...('ofAll' in signals && { signal: all.signal }) } });
        await endingOf(retries.call(url, 'ofCall' in signals ? { signal: call.signal } : {}));
        expect([most, call.counts.listeners.length, all.counts.listeners.length]).toEqual([1, 0, 0]);
      }
    });

    it('after a hook has failed', async () => {
      const { counts, signal } = countedSignal();
      const onDecision = () => {
        throw reason;
      };
      await thrownBy(retrying([503], policy, { run: { onDecision } }).call(url, { signal }));
      expect(counts.listeners).toHaveLength(0);
    });

    it('after the other has aborted', async () => {
      const { counts, signal } = countedSignal();
      const { call } = retrying([followsItsSignal], policy, { run: { signal } });
      const promise = thrownBy(call(url, { signal: own.signal }));
      await turn();
      own.abort(reason);
      await promise;
      expect(counts.listeners).toHaveLength(0);
    });

    it('after a call that did not begin', async () => {
      const { counts, signal } = countedSignal();
      await thrownBy(retrying([200], policy, { run: { signal } }).call(url, { signal: AbortSignal.abort() }));
      expect(counts.listeners).toHaveLength(0);
    });

    it('after an attempt that goes on for ever', async () => {
      const { counts, signal } = countedSignal();
      const { call } = retrying([hangs], policy, { run: { signal } });
      const promise = thrownBy(call(url, { signal: own.signal }));
      await turn();
      own.abort(reason);
      await promise;
      expect(counts.listeners).toHaveLength(0);
    });

    it('after an answer that came too late', async () => {
      const { counts, signal } = countedSignal();
      let come: (response: Response) => void = () => {};
      const step = () =>
        new Promise<Response>((resolve) => {
          come = resolve;
        });
      const promise = thrownBy(retrying([step], policy, { run: { signal } }).call(url, { signal: own.signal }));
      await turn();
      own.abort(reason);
      await promise;
      come(answer(200).response);
      await turn();
      expect(counts.listeners).toHaveLength(0);
    });

    it("of the platform's own", async () => {
      const { call } = retrying([noBody], policy, { run: { signal: shared.signal } });
      await call(url, { signal: own.signal });
      expect([own, shared].map(({ signal }) => getEventListeners(signal, 'abort').length)).toEqual([0, 0]);
    });
  });

  it('after attempts that were cut off and go on for ever', async () => {
    const { counts, signal } = countedSignal();
    const call = retryingFetch({
      fetch: scriptedFetch(hangs),
      run: { clock: virtualClock(), random: fixedRandom(0), signal },
      policy: limited,
    });
    await thrownBy(call(url));
    expect(counts.listeners).toHaveLength(0);
  });

  it('but one for all bodies that are read, where there are limits', async () => {
    const { counts, signal } = countedSignal();
    const { call } = retrying([200], limited, { run: { signal } });
    const responses = await Promise.all(Array.from({ length: 20 }, () => call(url)));
    expect([counts.listeners.length, responses.length]).toEqual([1, 20]);
  });

  it('when the bodies are collected', async () => {
    const { counts, signal } = countedSignal();
    const calls = async () => {
      const call = retryingFetch({ fetch: async () => answer(200).response, run: { clock, signal }, policy: limited });
      for (let i = 0; i < 20; i++) await call(url);
    };
    await calls();
    expect(await collectedUntil(() => counts.listeners.length === 0)).toBe(true);
  });

  it('where there are no limits, whatever becomes of the body', async () => {
    const { counts, signal } = countedSignal();
    const response = await retrying([200], unlimited, { run: { signal } }).call(url);
    expect([counts.listeners.length, response.bodyUsed]).toEqual([0, false]);
  });
});

it('a response that came before the abort was heard of is not lost', async () => {
  const { counts, signal } = countedSignal();
  const abortsUnheard = () => {
    counts.aborted = true;
    return new Response('done');
  };
  const { call } = retrying([abortsUnheard], {}, { run: { signal } });
  expect(await (await call(url)).text()).toBe('done');
});

it.each(policies)('a reason that is the time limit of somebody else stays transient, %s', async (_, policy) => {
  const limit = new AttemptTimeout('attempt', 5);
  const promise = thrownBy(retrying([hangs], policy).call(url, { signal: own.signal }));
  await turn();
  own.abort(limit);
  expect([(await promise) === limit, isTransient(limit)]).toEqual([true, true]);
});

it('an abort is told to onDecision with what the attempt failed with', async () => {
  const told = vi.fn();
  const { call } = retrying([followsItsSignal], {}, { run: { onDecision: told } });
  const promise = thrownBy(call(url, { signal: own.signal }));
  await turn();
  own.abort(reason);
  await promise;
  expect(told.mock.calls).toMatchObject([[{ action: 'dead-letter', reason: 'aborted', attempt: 1, error: reason }]]);
});
