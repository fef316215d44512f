import nodeFetch from 'node-fetch';
import type { Decision } from 'retry-policy';
import { retryingFetch } from 'retry-policy/fetch';
import { describe, expect, it } from 'vitest';
import { answers, type Behaviour, cutsBody, streams } from './behaviours.js';
import { endOf, failureOf, quick, useServer } from './use-server.js';

const use = useServer();
const many = retryingFetch({ policy: { ...quick, maxAttempts: 21 } });
const times = (count: number, behaviour: Behaviour): Behaviour[] => Array.from({ length: count }, () => behaviour);

const bodies: readonly [string, Behaviour, made: number][] = [
  ['no body', answers(503), 3],
  ['a small body', answers(503, { body: 'busy' }), 3],
  ['a body of 1 MB', answers(503, { body: 'x'.repeat(1_000_000) }), 23],
  ['an unfinished body', cutsBody('silence', { status: 503 }), 23],
  ['an unfinished body in chunks', cutsBody('silence', { status: 503, chunked: true }), 23],
];

describe.each(bodies)('20 discarded answers with %s', (_, busy, made) => {
  it('leave few connections behind a success', async () => {
    use.server.script('/', ...times(20, busy), answers(200, { body: 'done' }));
    const response = await many(use.server.url('/'));
    expect([endOf(response), await response.text()]).toEqual([['succeed', 21], 'done']);
    expect(use.server.connections.made).toBeLessThanOrEqual(made);
    await use.server.until(() => use.server.connections.open <= 2);
  });

  it('in a call that fails leave none but the last', async () => {
    use.server.script('/', busy);
    const response = await many(use.server.url('/'));
    expect(endOf(response)).toEqual(['attempts-exhausted', 21]);
    await use.server.until(() => use.server.connections.open <= 3);
    await response.body?.cancel();
    await use.server.until(() => use.server.connections.open <= 2);
  });

  it('in a call that is aborted leave few', async () => {
    use.server.script('/', busy);
    const controller = new AbortController();
    const onDecision = ({ attempt }: Decision) => {
      if (attempt === 20) controller.abort();
    };
    const send = retryingFetch({ policy: { ...quick, maxAttempts: 30 }, run: { onDecision } });
    await failureOf(send(use.server.url('/'), { signal: controller.signal }));
    await use.server.until(() => use.server.connections.open <= 2);
  });
});

it.each(bodies.slice(2))('the streams of Node that node-fetch answers with are let go of: %s', async (_, busy) => {
  use.server.script('/', ...times(10, busy), answers(200, { body: 'done' }));
  const send = retryingFetch({ policy: { ...quick, maxAttempts: 11 }, fetch: nodeFetch as unknown as typeof fetch });
  expect(await (await send(use.server.url('/'))).text()).toBe('done');
  await use.server.until(() => use.server.connections.open <= 2);
});

describe('an unfinished body is let go of', () => {
  const one = { ...quick, maxAttempts: 2 };
  const closes = () => use.server.until(() => use.server.requests.length > 0 && use.server.tally().underWay === 0);

  it('when the call is aborted in the wait', async () => {
    use.server.script('/', cutsBody('silence', { status: 503 }));
    const controller = new AbortController();
    const send = retryingFetch({ policy: { backoff: { baseMs: 60_000 }, jitter: 'none' } });
    const sent = send(use.server.url('/'), { signal: controller.signal });
    sent.catch(() => {});
    await closes(); // before the wait, and not after it
    controller.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    expect(use.server.requests).toHaveLength(1);
  });

  it('when a function of the caller throws', async () => {
    use.server.script('/', cutsBody('silence', { status: 503 }));
    const onDecision = () => Promise.reject(new Error('my own'));
    await failureOf(retryingFetch({ policy: one, run: { onDecision } })(use.server.url('/')));
    await closes();
  });

  it('when classifyValue throws', async () => {
    use.server.script('/', cutsBody('silence'));
    const classifyValue = () => {
      throw new Error('my own');
    };
    await failureOf(retryingFetch({ policy: { ...one, classifyValue } })(use.server.url('/')));
    await closes();
  });

  it('when the answer came after the attempt was given up, though its fetch took no notice', async () => {
    use.server.script('/', cutsBody('silence'));
    const deaf: typeof fetch = async (input, init) => {
      const response = await fetch(input, { ...init, signal: null });
      await new Promise((resolve) => setTimeout(resolve, 60));
      return response;
    };
    const send = retryingFetch({ fetch: deaf, policy: { ...one, attemptTimeoutMs: 40 } });
    await failureOf(send(use.server.url('/')));
    await closes();
  });

  it('when it is endless', async () => {
    use.server.script('/', streams());
    const classifyValue = ({ status }: Response) => (status === 200 ? ('transient' as const) : undefined);
    const response = await retryingFetch({ policy: { ...one, classifyValue } })(use.server.url('/'));
    await use.server.until(() => use.server.tally().underWay === 1 && use.server.requests.length === 2);
    await response.body?.cancel();
    await closes();
  });
});

describe('onDiscard', () => {
  it('may read each response that a retry replaces, before the wait', async () => {
    const busy = (body: string) => answers(503, { body });
    use.server.script('/', busy('one'), busy('two'), answers(200, { body: 'done' }));
    const read: unknown[] = [];
    const onDiscard = async (response: Response, { action, attempt }: Decision) => {
      read.push([action, attempt, await response.text()]);
    };
    const response = await retryingFetch({ policy: quick, onDiscard })(use.server.url('/'));
    expect(read).toEqual([
      ['retry', 1, 'one'],
      ['retry', 2, 'two'],
    ]);
    expect(await response.text()).toBe('done');
    expect(use.server.connections.made).toBeLessThanOrEqual(2);
  });

  it('is not called for the last response, nor for what was no response', async () => {
    use.server.script('/', ({ socket }) => void socket.destroy(), answers(503, { body: 'busy' }));
    const read: string[] = [];
    const onDiscard = (response: Response) => {
      read.push(`${response.status}`);
    };
    const response = await retryingFetch({ policy: { ...quick, maxAttempts: 3 }, onDiscard })(use.server.url('/'));
    expect(await response.text()).toBe('busy');
    expect(read).toEqual(['503']);
  });

  it('cannot fail the call, and a body that it holds is let go of later', async () => {
    use.server.script('/', answers(503, { body: 'busy' }), answers(200));
    const onDiscard = (response: Response) => {
      response.body?.getReader();
      throw new Error('my own');
    };
    expect(endOf(await retryingFetch({ policy: quick, onDiscard })(use.server.url('/')))).toEqual(['succeed', 2]);
  });
});
