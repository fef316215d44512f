import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { retryingFetch } from 'retry-policy/fetch';
import { describe, expect, it } from 'vitest';
import { after, answers, cutsBody, hangs, redirects, streams } from './behaviours.js';
import { endOf, failureOf, quick, shapeOf, useServer } from './use-server.js';

const use = useServer();
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Whatever nobody holds is gone, and finalizers have run. */
async function collected(): Promise<void> {
  for (let i = 0; i < 5; i += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** No request is under way: what was cut off has reached the server. */
const isQuiet = () => use.server.tally().underWay === 0;

const limits = { attemptTimeoutMs: 500, totalBudgetMs: 700 };
const policies = [
  ['without limits', quick],
  ['with limits', { ...quick, attemptTimeoutMs: 10_000 }],
  ['with a budget', { ...quick, totalBudgetMs: 10_000 }],
] as const;

const ways: readonly [string, (url: string, signal: AbortSignal) => Parameters<typeof fetch>][] = [
  ['in the init', (url, signal) => [url, { signal }]],
  ['in a Request', (url, signal) => [new Request(url, { signal })]],
];
const reasons = [
  ['an error', new Error('enough')],
  ['a string', 'enough'],
  ['null', null],
] as const;

describe.each(policies)('%s', (_, policy) => {
  const send = retryingFetch({ policy });

  describe.each(ways)('the signal %s', (way, args) => {
    it.each(reasons)('ends the call before the headers, with its own reason: %s', async (_, reason) => {
      use.server.script('/', hangs);
      const controller = new AbortController();
      const sent = send(...args(use.server.url('/'), controller.signal));
      await use.server.until(() => use.server.tally().complete === 1);
      controller.abort(reason);
      expect(await failureOf(sent)).toBe(reason);
      await use.server.until(isQuiet);
    });

    it.each(reasons)('ends the body after the headers, as with fetch: %s', async (_, reason) => {
      use.server.script('/', streams());
      const cutOff = async (send: typeof fetch) => {
        const controller = new AbortController();
        const response = await send(...args(use.server.url('/'), controller.signal));
        const reading = failureOf(response.text());
        controller.abort(reason);
        return reading;
      };
      const [error, plain] = [await cutOff(send), await cutOff(fetch)];
      if (reason === null)
        expect(shapeOf(error)).toEqual(shapeOf(plain)); // some versions of Node put an AbortError in its place
      else expect([error, plain]).toEqual([reason, reason]);
      await use.server.until(isQuiet);
    });

    it('ends the body after a retry', async () => {
      use.server.script('/', answers(503), streams());
      const controller = new AbortController();
      const response = await send(...args(use.server.url('/'), controller.signal));
      const reason = new Error('enough');
      const reading = failureOf(response.text());
      controller.abort(reason);
      expect(await reading).toBe(reason);
    });

    // Node's own fetch loses the signal of a Request with the Request; without limits the call is its own.
    if (policy !== quick || way !== 'in a Request')
      it('ends the body when the response, the call and the Request were collected', async () => {
        use.server.script('/', streams());
        const controller = new AbortController();
        const body = await (async () => (await send(...args(use.server.url('/'), controller.signal))).body)();
        const reader = body?.getReader();
        await reader?.read();
        await collected();
        const reason = new Error('enough');
        const reading = failureOf(
          (async () => {
            while (!(await reader?.read())?.done);
          })(),
        );
        controller.abort(reason);
        expect(await reading).toBe(reason);
        await use.server.until(isQuiet);
      });

    it('that has aborted before sends nothing', async () => {
      const reason = new Error('never');
      expect(await failureOf(send(...args(use.server.url('/'), AbortSignal.abort(reason))))).toBe(reason);
      expect(use.server.requests).toEqual([]);
    });
  });

  it('the signal of all calls ends the body, beside that of the call', async () => {
    use.server.script('/', streams());
    for (const which of [0, 1]) {
      const controllers = [new AbortController(), new AbortController()] as const;
      const both = retryingFetch({ policy, run: { signal: controllers[0].signal } });
      const response = await both(use.server.url('/'), { signal: controllers[1].signal });
      await collected();
      const reason = new Error(`enough ${which}`);
      const reading = failureOf(response.text());
      controllers[which]?.abort(reason);
      expect(await reading).toBe(reason);
    }
  });

  it.each(ways)('the signal %s ends the body of an answer that a POST was led to', async (_, args) => {
    use.server.script('/', redirects(303, use.other.url('/next')));
    use.other.script('/next', streams());
    const controller = new AbortController();
    const [request, init] = args(use.server.url('/'), controller.signal);
    const response = await send(request, { method: 'POST', body: 'order', ...init });
    const reading = failureOf(response.text());
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await reading).toBe(reason);
    await use.other.until(() => use.other.tally().underWay === 0);
  });

  it.each([0, 1])('either of both signals ends the wait: %i', async (which) => {
    use.server.script('/', answers(503, { headers: { 'retry-after': '50' } }));
    const patient = { ...policy, totalBudgetMs: undefined };
    const controllers = [new AbortController(), new AbortController()] as const;
    let sent: Promise<Response> | undefined;
    await new Promise<void>((resolve) => {
      const onDecision = () => void setTimeout(resolve, 5);
      const both = retryingFetch({ policy: patient, run: { signal: controllers[0].signal, onDecision } });
      sent = both(use.server.url('/'), { signal: controllers[1].signal });
    });
    const reason = new Error('enough');
    controllers[which]?.abort(reason);
    expect(await failureOf(Promise.resolve(sent))).toBe(reason);
    expect(use.server.requests).toHaveLength(1);
  });

  it('null in the init takes the signal of the Request away', async () => {
    use.server.script('/', streams({ pieces: 5, everyMs: 10 }));
    const controller = new AbortController();
    const response = await send(new Request(use.server.url('/'), { signal: controller.signal }), { signal: null });
    controller.abort();
    expect(await response.text()).toBe('piece '.repeat(5));
  });

  it('a signal aborted in the wait ends the call at once', async () => {
    use.server.script('/', cutsBody('silence', { status: 503 }));
    const controller = new AbortController();
    const slow = retryingFetch({
      policy: { ...policy, attemptTimeoutMs: undefined, totalBudgetMs: undefined, backoff: { baseMs: 60_000 }, jitter: 'none' },
    });
    const sent = slow(use.server.url('/'), { signal: controller.signal });
    await use.server.until(() => use.server.requests.length === 1 && isQuiet());
    const reason = new Error('enough');
    controller.abort(reason);
    const error = await failureOf(sent);
    expect(error).toBe(reason);
    expect(endOf(error)).toEqual(['aborted', 1]);
  });

  it('AbortSignal.timeout of the caller is an abort, and no attempt that failed', async () => {
    use.server.script('/', hangs);
    const error = await failureOf(send(use.server.url('/'), { signal: AbortSignal.timeout(50) }));
    expect(error).toMatchObject({ name: 'TimeoutError' });
    expect(use.server.requests.length).toBeLessThanOrEqual(1);
    await use.server.until(isQuiet);
  });
});

describe('no timer cuts off a body', () => {
  it.each([
    ['without a signal', {}],
    ['with one', { signal: new AbortController().signal }],
  ])('that takes longer than the limits: %s', async (_, init) => {
    use.server.script('/', streams({ pieces: 40, everyMs: 25 }));
    const response = await retryingFetch({ policy: { ...quick, ...limits } })(use.server.url('/'), init);
    await collected();
    expect(await response.text()).toBe('piece '.repeat(40));
  });

  it('after a retry either', async () => {
    use.server.script('/', hangs, streams({ pieces: 60, everyMs: 25 }));
    const response = await retryingFetch({ policy: { ...quick, attemptTimeoutMs: 400, totalBudgetMs: 1_200 } })(use.server.url('/'));
    expect(await response.text()).toBe('piece '.repeat(60));
    expect(endOf(response)).toEqual(['succeed', 2]);
  });
});

describe('a signal that lives long', () => {
  it.each(policies)('holds nothing of calls that have ended: %s', async (_, policy) => {
    const controller = new AbortController();
    const count = counted(controller.signal);
    const signals: WeakRef<object>[] = [];
    const seen: typeof fetch = (input, init) => {
      if (init?.signal && init.signal !== controller.signal) signals.push(new WeakRef(init.signal));
      return fetch(input, init);
    };
    const send = retryingFetch({ fetch: seen, policy });
    const bodies: WeakRef<object>[] = [];
    for (let i = 0; i < 50; i += 1) {
      const response = await send(use.server.url('/', `${i}`), { signal: controller.signal });
      if (response.body !== null) bodies.push(new WeakRef(response.body));
      await response.text();
    }
    await collected();
    await collected();
    const alive = (refs: readonly WeakRef<object>[]) => refs.filter((ref) => ref.deref() !== undefined).length;
    expect(alive(bodies)).toBeLessThanOrEqual(2);
    expect(signals).toHaveLength(policy === quick ? 0 : 50);
    expect(alive(signals)).toBeLessThanOrEqual(5);
    if (policy !== quick) expect(count()).toBeLessThanOrEqual(2);
  });

  it.each(policies.slice(1))('is listened to once by many calls at a time: %s', async (_, policy) => {
    use.server.script('/', answers(503), after(20, answers(200)));
    const controller = new AbortController();
    const count = counted(controller.signal);
    const send = retryingFetch({ policy });
    const calls = Array.from({ length: 60 }, (_, i) => send(use.server.url('/', `${i}`), { signal: controller.signal }));
    const most = [];
    for (let i = 0; i < 20; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      most.push(count());
    }
    await Promise.all(calls);
    expect(Math.max(...most)).toBeLessThanOrEqual(2);
  });
});

/** Counts the listeners that a signal has. */
function counted(signal: AbortSignal): () => number {
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = function (this: AbortSignal, ...args: Parameters<typeof addEventListener>) {
    listeners.add(args[1]);
    return addEventListener.apply(this, args);
  };
  signal.removeEventListener = function (this: AbortSignal, ...args: Parameters<typeof removeEventListener>) {
    listeners.delete(args[1]);
    return removeEventListener.apply(this, args);
  };
  return () => listeners.size;
}
