import { attemptsOf, retryingFetch } from 'retry-policy/fetch';
import { describe, expect, it } from 'vitest';
import { answers, cutsAfter, cutsBody, cutsHeaders, dripsHeaders, hangs, redirects } from './behaviours.js';
import { FaultyServer } from './faulty-server.js';
import { refusedPort } from './ports.js';
import { endOf, failureOf, quick, useServer } from './use-server.js';

const use = useServer();
const repetitions = 25;

const syscallOf = (error: unknown) => (error as { cause?: { syscall?: unknown } }).cause?.syscall;

const faults = [
  ['a reset after the headers', cutsAfter('headers'), 0],
  ['a reset after the request', cutsAfter('request'), 0],
  ['a reset after the work', cutsAfter('work'), 1],
  ['a close after the headers', cutsAfter('headers', 'close'), 0],
  ['a close after the request', cutsAfter('request', 'close'), 0],
  ['a close after the work', cutsAfter('work', 'close'), 1],
  ['a reset in the headers of the answer', cutsHeaders('reset'), 1],
  ['a close in the headers of the answer', cutsHeaders('close'), 1],
] as const;

describe('a POST without a key', () => {
  it.each(faults)('is sent once: %s', { timeout: 30_000 }, async (_, fault, works) => {
    use.server.script('/', fault, answers(200));
    const post = retryingFetch({ policy: quick });
    for (let i = 0; i < repetitions; i += 1) {
      const id = `${i}`;
      const error = await failureOf(post(use.server.url('/', id), { method: 'POST', body: `order ${id}` }));
      expect(endOf(error)).toEqual(['committed', 1]);
      expect(use.server.tally(id)).toMatchObject({ works, requests: [{ method: 'POST' }] });
    }
  });

  it('is sent once on a kept connection that closes when it comes, many times over', async () => {
    use.server.script('/warm', answers(200, { body: 'warm' })).script('/', cutsAfter('work', 'close'), answers(200));
    const post = retryingFetch({ policy: quick });
    let reused = 0;
    for (let i = 0; i < repetitions; i += 1) {
      const id = `${i}`;
      await (await fetch(use.server.url('/warm', id))).text();
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect(endOf(await failureOf(post(use.server.url('/', id), { method: 'POST', body: id })))).toEqual(['committed', 1]);
      const { requests, works, connections } = use.server.tally(id);
      expect([requests.length, works]).toEqual([2, 2]); // one is the warming's
      if (connections === 1) reused += 1;
    }
    expect(reused).toBeGreaterThan(repetitions / 2);
  });

  it.each([408, 425, 429, 500, 502, 503, 504])('is not repeated after a %i: the response is returned', async (status) => {
    use.server.script('/', answers(status, { body: 'busy', work: true }), answers(200));
    const response = await retryingFetch({ policy: quick })(use.server.url('/'), { method: 'POST', body: 'order' });
    expect(response.status).toBe(status);
    expect(await response.text()).toBe('busy');
    expect(endOf(response)).toEqual(['committed', 1]);
    expect(use.server.tally()).toMatchObject({ works: 1, complete: 1 });
  });

  it('goes again after an answer by which the server promises that nothing was done', async () => {
    use.server.script('/', answers(429, { headers: { 'retry-after': '0' } }), answers(429), answers(200, { body: 'done' }));
    const post = retryingFetch({ policy: quick, notDoneStatuses: [429] });
    const response = await post(use.server.url('/'), { method: 'POST', body: 'order' });
    expect(await response.text()).toBe('done');
    expect(endOf(response)).toEqual(['succeed', 3]);
    expect(use.server.tally()).toMatchObject({ works: 1, texts: ['order', 'order', 'order'] });
  });

  it('is repeated after a reset as soon as the connection is made only if the error tells that it was still connecting', async () => {
    const post = retryingFetch({ policy: quick });
    for (let i = 0; i < repetitions; i += 1) {
      use.server.connections.drops = 1;
      const outcome = await post(use.server.url('/', `${i}`), { method: 'POST', body: 'order' }).catch((error) => error);
      const wasConnecting = attemptsOf(outcome)?.some((decision) => 'error' in decision && syscallOf(decision.error) === 'connect');
      expect(endOf(outcome)).toEqual(wasConnecting ? ['succeed', 2] : ['committed', 1]);
      expect(use.server.tally(`${i}`).works).toBe(wasConnecting ? 1 : 0);
    }
  });

  it.each([
    ['hangs', hangs],
    ['drips its headers', dripsHeaders(5)],
  ])('is not repeated when the server %s and the time of the attempt is up', async (_, fault) => {
    use.server.script('/', fault, answers(200));
    const post = retryingFetch({ policy: { ...quick, attemptTimeoutMs: 60 } });
    const error = await failureOf(post(use.server.url('/'), { method: 'POST', body: 'order' }));
    expect(error).toMatchObject({ name: 'AttemptTimeout', limit: 'attempt' });
    expect(endOf(error)).toEqual(['committed', 1]);
    expect(use.server.requests.length).toBeLessThanOrEqual(1);
    await use.server.until(() => use.server.tally().underWay === 0);
  });

  it('is not repeated when the time of the attempt is up, and its fetch takes no notice', async () => {
    use.server.script('/', hangs, answers(200));
    const deaf: typeof fetch = (input, init) => fetch(input, { ...init, signal: null });
    const post = retryingFetch({ fetch: deaf, policy: { ...quick, attemptTimeoutMs: 60 } });
    const error = await failureOf(post(use.server.url('/'), { method: 'POST', body: 'order' }));
    expect(endOf(error)).toEqual(['committed', 1]);
    expect(use.server.requests.length).toBeLessThanOrEqual(1);
  });

  it('is sent, once, when the server that refused it comes up', async () => {
    const port = await refusedPort();
    let late: FaultyServer | undefined;
    const onDecision = async ({ action, attempt }: { action: string; attempt: number }) => {
      if (action === 'retry' && attempt === 2) late = await FaultyServer.start({ port });
    };
    const post = retryingFetch({ policy: quick, run: { onDecision } });
    const response = await post(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'order' });
    expect(endOf(response)).toEqual(['succeed', 3]);
    expect(late?.tally()).toMatchObject({ works: 1, texts: ['order'] });
    await late?.close();
  });

  it('is tried to the last attempt where everybody refuses', async () => {
    const url = `http://127.0.0.1:${await refusedPort()}/`;
    const error = await failureOf(retryingFetch({ policy: quick })(url, { method: 'POST', body: 'order' }));
    expect(endOf(error)).toEqual(['attempts-exhausted', 4]);
  });
});

describe('a POST with a key', () => {
  it.each(faults)('is repeated under the same key: %s', async (_, fault) => {
    use.server.script('/', fault, fault, answers(200));
    const post = retryingFetch({ policy: quick, idempotencyKeyHeader: true });
    for (const id of ['a', 'b']) {
      const response = await post(use.server.url('/', id), { method: 'POST', body: 'order' });
      expect(endOf(response)).toEqual(['succeed', 3]);
    }
    const keys = use.server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys.every((key) => typeof key === 'string' && key.length > 20)).toBe(true);
    const [first, , , second] = keys;
    expect(keys).toEqual([first, first, first, second, second, second]);
    expect(first).not.toBe(second);
  });

  it('keeps the key that it was given, and adds none to a GET', async () => {
    use.server.script('/', answers(503), answers(200));
    const send = retryingFetch({ policy: quick, idempotencyKeyHeader: 'x-key' });
    await send(use.server.url('/', 'post'), { method: 'POST', headers: { 'X-Key': 'mine' } });
    await send(use.server.url('/', 'get'));
    expect(use.server.tally('post').requests.map(({ headers }) => headers['x-key'])).toEqual(['mine', 'mine']);
    expect(use.server.tally('get').requests.map(({ headers }) => headers['x-key'])).toEqual([undefined, undefined]);
  });

  it('given as Idempotency-Key is repeated without any option', async () => {
    use.server.script('/', cutsAfter('work'), answers(200));
    const response = await retryingFetch({ policy: quick })(
      new Request(use.server.url('/'), { method: 'POST', body: 'order', headers: { 'idempotency-key': 'mine' } }),
    );
    expect(endOf(response)).toEqual(['succeed', 2]);
    expect(use.server.tally().texts).toEqual(['order', 'order']);
  });

  it('is repeated when the time of an attempt is up', async () => {
    use.server.script('/', hangs, answers(200));
    const post = retryingFetch({ policy: { ...quick, attemptTimeoutMs: 500 }, idempotencyKeyHeader: true });
    expect(endOf(await post(use.server.url('/'), { method: 'POST', body: 'order' }))).toEqual(['succeed', 2]);
  });
});

describe.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'QUERY'])('a %s', (method) => {
  it.each(faults)('is repeated: %s', async (_, fault) => {
    use.server.script('/', fault, answers(200));
    const response = await retryingFetch({ policy: quick })(use.server.url('/'), { method });
    expect(endOf(response)).toEqual(['succeed', 2]);
    expect(use.server.requests.map((request) => request.method)).toEqual([method, method]);
  });
});

describe.each(['PATCH', 'POST', 'MOVE'])('a %s', (method) => {
  it.each(faults)('is not repeated, unless the caller says so: %s', async (_, fault) => {
    use.server.script('/', fault, answers(200));
    expect(endOf(await failureOf(retryingFetch({ policy: quick })(use.server.url('/', 'a'), { method })))).toEqual(['committed', 1]);
    const bold = retryingFetch({ policy: quick, methods: [method] });
    expect(endOf(await bold(use.server.url('/', 'b'), { method }))).toEqual(['succeed', 2]);
  });
});

describe.each([301, 302, 303, 307, 308])('a POST that was answered %i', (status) => {
  const post = retryingFetch({ policy: quick });

  it('and sent on to a host that refuses was done, and is not done again', async () => {
    const refused = `http://127.0.0.1:${await refusedPort()}/next`;
    use.server.script('/', redirects(status, refused));
    for (let i = 0; i < 5; i += 1) {
      const error = await failureOf(post(use.server.url('/', `${i}`), { method: 'POST', body: 'order' }));
      expect(error).toMatchObject({ name: 'TypeError', message: 'fetch failed', cause: { code: 'ECONNREFUSED' } });
      expect(endOf(error)).toEqual(['committed', 1]);
      expect(use.server.tally(`${i}`)).toMatchObject({ works: 1, complete: 1 });
    }
  });

  it('and sent on to a server that is busy is not done again', async () => {
    use.server.script('/', redirects(status, use.other.url('/busy')));
    use.other.script('/busy', answers(503, { body: 'busy' }));
    const response = await post(use.server.url('/'), { method: 'POST', body: 'order' });
    expect([response.status, await response.text()]).toEqual([503, 'busy']);
    expect(endOf(response)).toEqual(['committed', 1]);
    expect(use.server.tally().works).toBe(1);
  });

  it('and sent on to a server that cuts the answer off is not done again', async () => {
    use.server.script('/', redirects(status, use.other.url('/cut')));
    use.other.script('/cut', cutsAfter('request'));
    const error = await failureOf(post(use.server.url('/'), { method: 'POST', body: 'order' }));
    expect(endOf(error)).toEqual(['committed', 1]);
    expect(use.server.tally().works).toBe(1);
    expect(use.other.tally().complete).toBe(1);
  });

  it('and sent on to a server that hangs is not done again when the time of the attempt is up', async () => {
    use.server.script('/', redirects(status, use.other.url('/hang')));
    use.other.script('/hang', hangs);
    const limited = retryingFetch({ policy: { ...quick, attemptTimeoutMs: 300 } });
    const error = await failureOf(limited(use.server.url('/'), { method: 'POST', body: 'order' }));
    expect([endOf(error), use.server.tally().works]).toEqual([['committed', 1], 1]);
    await use.other.until(() => use.other.tally().underWay === 0);
  });

  it('and sent on to a server that promises that nothing was done is not done again: the first has done it', async () => {
    use.server.script('/', redirects(status, use.other.url('/busy')));
    use.other.script('/busy', answers(429));
    const response = await retryingFetch({ policy: quick, notDoneStatuses: [429] })(use.server.url('/'), { method: 'POST', body: 'order' });
    expect(response.status).toBe(429);
    expect(use.server.tally().works).toBe(1);
  });
});

it('a body that breaks off is the reader’s: nothing is repeated', async () => {
  for (const cut of ['reset', 'close'] as const) {
    use.server.script('/', cutsBody(cut));
    const response = await retryingFetch({ policy: quick })(use.server.url('/', cut));
    expect(response.status).toBe(200);
    expect(await failureOf(response.text())).toMatchObject({ name: 'TypeError', message: 'terminated' });
    expect(endOf(response)).toEqual(['succeed', 1]);
    expect(use.server.tally(cut).complete).toBe(1);
  }
});
