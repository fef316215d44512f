import { attemptsOf, retryingFetch } from 'retry-policy/fetch';
import { seededRandom } from 'retry-policy/testing';
import { describe, expect, it } from 'vitest';
import { answers, cutsAfter, cutsBody, cutsHeaders, dripsHeaders, hangs } from './behaviours.js';
import { refusedPort } from './ports.js';
import { endOf, failureOf, quick, shapeOf, useServer } from './use-server.js';

const use = useServer();
const get = retryingFetch({ policy: quick });

describe('the wait that a busy server asks for is kept', () => {
  it('in seconds', async () => {
    use.server.script('/', answers(503, { headers: { 'retry-after': '1' } }), answers(200));
    const startedAt = performance.now();
    const [retry] = attemptsOf(await get(use.server.url('/'))) ?? [];
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_000);
    expect(retry).toMatchObject({ action: 'retry', retryAfterMs: 1_000 });
  });

  it('as a date', async () => {
    const until = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 1_000);
    use.server.script('/', answers(503, { headers: { 'retry-after': until.toUTCString() } }), answers(200));
    const [retry] = attemptsOf(await get(use.server.url('/'))) ?? [];
    expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
    expect(retry).toMatchObject({ action: 'retry', retryAfterMs: expect.any(Number) });
  });

  it('in milliseconds, which outrank the seconds', async () => {
    use.server.script('/', answers(429, { headers: { 'retry-after-ms': '20.5', 'retry-after': '50' } }), answers(200));
    expect(attemptsOf(await get(use.server.url('/')))?.[0]).toMatchObject({ action: 'retry', retryAfterMs: 21 });
  });

  it.each([
    ['413, which counts only so', answers(413, { headers: { 'retry-after': '0' } }), ['succeed', 2]],
    ['413 without it', answers(413), ['succeed', 1]],
    ['a wait longer than the policy obeys', answers(503, { headers: { 'retry-after': '61' } }), ['retry-after-too-long', 1]],
    ['404, whatever it says', answers(404, { headers: { 'retry-after': '0' } }), ['succeed', 1]],
    ['a word that the server has against it', answers(503, { headers: { 'x-should-retry': 'false' } }), ['permanent', 1]],
  ])('%s', async (_, behaviour, end) => {
    use.server.script('/', behaviour, answers(200));
    expect(endOf(await get(use.server.url('/')))).toEqual(end);
  });
});

it('a storm of 429 passes: each of 100 clients is served once, and none comes sooner than it was told', { timeout: 20_000 }, async () => {
  const told = { headers: { 'retry-after-ms': '60' } };
  const cameAt = new Map<string, number[]>();
  const notes = answers(429, told);
  use.server.script(
    '/',
    ...[0, 1].map((): typeof notes => (exchange) => {
      const id = new URL(exchange.request.url ?? '/', 'http://localhost').searchParams.get('id') ?? '';
      cameAt.set(id, [...(cameAt.get(id) ?? []), performance.now()]);
      return notes(exchange);
    }),
    answers(200),
  );
  const random = seededRandom(7);
  const storm = retryingFetch({ policy: { backoff: { baseMs: 50, capMs: 200 } }, run: { random } });
  const clients = Array.from({ length: 100 }, (_, i) => `client ${i}`);
  const responses = await Promise.all(clients.map((id) => storm(use.server.url('/', id))));
  expect(responses.map(endOf)).toEqual(clients.map(() => ['succeed', 3]));
  expect(clients.map((id) => use.server.tally(id).works)).toEqual(clients.map(() => 1));
  expect(use.server.tally().complete).toBe(300);
  const gaps = [...cameAt.values()].map(([first = 0, second = 0]) => second - first);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(59);
  const waits = responses.flatMap(
    (response) => attemptsOf(response)?.map((decision) => ('delayMs' in decision ? decision.delayMs : 0)) ?? [],
  );
  expect(new Set(waits).size).toBeGreaterThan(50);
});

describe('a GET gets over', () => {
  it.each([
    ['a reset after the request', cutsAfter('request')],
    ['a reset in the headers', cutsHeaders('reset')],
    ['a close in the headers', cutsHeaders('close')],
    ['500', answers(500)],
    ['503 with a body without end', cutsBody('silence', { status: 503 })],
    ['503 with a body that is cut', cutsBody('reset', { status: 503 })],
  ])('%s', async (_, fault) => {
    use.server.script('/', fault, fault, answers(200, { body: 'done' }));
    const response = await get(use.server.url('/'));
    expect([endOf(response), await response.text()]).toEqual([['succeed', 3], 'done']);
  });

  it.each([
    ['a server that hangs', hangs],
    ['headers that come one byte at a time', dripsHeaders(5)],
    ['headers that stop', cutsHeaders('silence')],
  ])('%s, by the limit of an attempt', async (_, fault) => {
    use.server.script('/', fault, fault, answers(200, { body: 'done' }));
    const response = await retryingFetch({ policy: { ...quick, attemptTimeoutMs: 400 } })(use.server.url('/'));
    expect([endOf(response), await response.text()]).toEqual([['succeed', 3], 'done']);
    await use.server.until(() => use.server.tally().underWay === 0);
  });

  it('connections that are reset as soon as they are made', async () => {
    use.server.connections.drops = 2;
    expect(endOf(await get(use.server.url('/')))).toEqual(['succeed', 3]);
  });

  it('a kept connection that closes when the request comes', async () => {
    use.server.script('/', answers(200, { body: 'warm' }), cutsAfter('request', 'close'), answers(200, { body: 'done' }));
    await (await get(use.server.url('/'))).text();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const response = await get(use.server.url('/'));
    expect([endOf(response), await response.text()]).toEqual([['succeed', 2], 'done']);
    expect(use.server.tally().connections).toBe(2);
  });
});

describe('after the last attempt it does as fetch', () => {
  it('the last response is returned, and its body can be read', async () => {
    const busy = (body: string) => answers(503, { body, headers: { 'x-nth': body } });
    use.server.script('/', busy('first'), busy('second'), busy('third'));
    const response = await retryingFetch({ policy: { ...quick, maxAttempts: 3 } })(use.server.url('/'));
    expect([response.status, response.ok, response.headers.get('x-nth'), response.bodyUsed]).toEqual([503, false, 'third', false]);
    expect(await response.text()).toBe('third');
    expect(endOf(response)).toEqual(['attempts-exhausted', 3]);
  });

  it.each([
    ['reset', cutsAfter('request')],
    ['closed', cutsAfter('request', 'close')],
    ['not HTTP', ({ socket }: { socket: { end(text: string): void } }) => void socket.end('SSH-2.0-x\r\n\r\n')],
  ])('the error is that of fetch: %s', async (_, fault) => {
    use.server.script('/', fault);
    const plain = await failureOf(fetch(use.server.url('/', 'plain')));
    const error = await failureOf(get(use.server.url('/', 'retry')));
    expect(shapeOf(error)).toEqual(shapeOf(plain));
    expect(Object.getOwnPropertyNames(error)).toEqual(Object.getOwnPropertyNames(plain));
    expect(Object.getOwnPropertySymbols(error)).toEqual([]);
  });

  it('the error is that of fetch: refused', async () => {
    const url = `http://127.0.0.1:${await refusedPort()}/`;
    const error = await failureOf(get(url));
    expect(shapeOf(error)).toEqual(shapeOf(await failureOf(fetch(url))));
    expect(endOf(error)).toEqual(['attempts-exhausted', 4]);
    expect(attemptsOf(error)?.at(-1)).toMatchObject({ error });
  });

  it('the error is that of the limit, where time ran out', async () => {
    use.server.script('/', hangs);
    const limited = retryingFetch({ policy: { ...quick, maxAttempts: 2, attemptTimeoutMs: 40 } });
    expect(await failureOf(limited(use.server.url('/')))).toMatchObject({ name: 'AttemptTimeout', limit: 'attempt', timeoutMs: 40 });
    const hurried = retryingFetch({ policy: { ...quick, totalBudgetMs: 60 } });
    const error = await failureOf(hurried(use.server.url('/')));
    expect(error).toMatchObject({ name: 'AttemptTimeout', limit: 'budget' });
    expect(endOf(error)).toEqual(['budget-exhausted', 1]);
  });
});
