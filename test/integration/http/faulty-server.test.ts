import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { after, answers, cutsAfter, cutsBody, cutsHeaders, dripsHeaders, echoes, hangs, redirects, streams } from './behaviours.js';
import { FaultyServer } from './faulty-server.js';
import { refusedPort } from './ports.js';

let server: FaultyServer;

beforeEach(async () => {
  server = await FaultyServer.start();
});

afterEach(() => server.close());

/** What the caller sees: the body, or the code of the fault. */
async function seen(path: string, init: RequestInit = {}): Promise<unknown> {
  try {
    const response = await fetch(server.url(path, 'me'), init);
    try {
      return await response.text();
    } catch (error) {
      return ['in the body', codeOf(error)];
    }
  } catch (error) {
    return codeOf(error);
  }
}

const codeOf = (error: unknown): unknown => {
  const { cause, name } = error as { cause?: { code?: unknown }; name: string };
  return cause?.code ?? name;
};

/** A connection goes back a moment after its body was read. */
const backInThePool = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('a client sees', () => {
  it.each([
    ['an answer', answers(200, { body: 'done' }), 'done', 1],
    ['an answer that comes late', after(30, answers(200, { body: 'done' })), 'done', 1],
    ['an error', answers(503, { body: 'busy' }), 'busy', 0],
    ['a reset after the headers', cutsAfter('headers'), 'ECONNRESET', 0],
    ['a reset after the request', cutsAfter('request'), 'ECONNRESET', 0],
    ['a reset after the work', cutsAfter('work'), 'ECONNRESET', 1],
    ['a close after the headers', cutsAfter('headers', 'close'), 'UND_ERR_SOCKET', 0],
    ['a close after the work', cutsAfter('work', 'close'), 'UND_ERR_SOCKET', 1],
    ['a reset in the headers', cutsHeaders('reset'), 'ECONNRESET', 1],
    ['a close in the headers', cutsHeaders('close'), 'UND_ERR_SOCKET', 1],
    ['a reset in the body', cutsBody('reset'), ['in the body', 'ECONNRESET'], 1],
    ['a close in the body', cutsBody('close'), ['in the body', 'UND_ERR_SOCKET'], 1],
    ['a close in a chunked body', cutsBody('close', { chunked: true }), ['in the body', 'UND_ERR_SOCKET'], 1],
    ['a body in pieces', streams({ pieces: 3, everyMs: 5 }), 'piece piece piece ', 1],
  ])('%s', async (_, behaviour, expected, works) => {
    server.script('/', behaviour);
    expect(await seen('/', { method: 'POST', body: 'do it' })).toEqual(expected);
    expect(server.tally('me').works).toBe(works);
    expect(server.tally().requests).toHaveLength(1);
  });

  it.each([
    ['nothing at all', hangs, 1],
    ['nothing, after part of the headers', cutsHeaders('silence'), 1],
    ['headers without end', dripsHeaders(5), 1],
  ])('%s, until it gives up', async (_, behaviour, complete) => {
    server.script('/', behaviour);
    expect(await seen('/', { signal: AbortSignal.timeout(100) })).toBe('TimeoutError');
    expect(server.tally('me').complete).toBe(complete);
    await server.until(() => server.tally().underWay === 0);
  });

  it.each([
    ['a body without end', streams()],
    ['silence in the body', cutsBody('silence')],
  ])('%s, until it gives up', async (_, behaviour) => {
    server.script('/', behaviour);
    expect(await seen('/', { signal: AbortSignal.timeout(100) })).toEqual(['in the body', 'TimeoutError']);
  });

  it('a redirect', async () => {
    server.script('/old', redirects(307, '/new'));
    expect(await seen('/old', { method: 'POST', body: 'do it' })).toBe('');
    expect(server.requests.map(({ path, body }) => [path, `${body}`])).toEqual([
      ['/old', 'do it'],
      ['/new', 'do it'],
    ]);
  });

  it('a connection that is reset as soon as it is made', async () => {
    server.connections.drops = 1;
    expect(await seen('/')).toBe('ECONNRESET');
    expect(await seen('/')).toBe('');
    expect(server.tally().connections).toBe(2);
    expect(server.requests).toHaveLength(1);
  });

  it('a kept connection that is closed when the next request comes', async () => {
    server.script('/', answers(200), cutsAfter('request', 'close'), answers(200));
    expect(await seen('/')).toBe('');
    await backInThePool();
    expect(await seen('/')).toBe('UND_ERR_SOCKET');
    expect(server.tally('me')).toMatchObject({ complete: 2, works: 1, connections: 1 });
  });

  it('refusal', async () => {
    await expect(fetch(`http://127.0.0.1:${await refusedPort()}`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });
});

it('counts bytes as they came', async () => {
  server.script('/', echoes);
  const body = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const echo = JSON.parse(`${await seen('/', { method: 'PUT', body, headers: { 'x-mine': 'yes' } })}`);
  expect(echo).toMatchObject({ method: 'PUT', headers: { 'x-mine': 'yes' } });
  expect(Buffer.from(echo.body, 'base64').equals(body)).toBe(true);
  expect(server.requests[0]?.body?.equals(body)).toBe(true);
});

it('tells clients apart, and gives each the script from its start', async () => {
  server.script('/', answers(503), answers(200));
  const statuses = async (id: string) => [
    (await fetch(server.url('/', id))).status,
    (await fetch(server.url('/', id))).status,
    (await fetch(server.url('/', id))).status,
  ];
  expect(await Promise.all([statuses('a'), statuses('b')])).toEqual([
    [503, 200, 200],
    [503, 200, 200],
  ]);
  expect(server.tally('a')).toMatchObject({ complete: 3, works: 2 });
  expect(server.tally()).toMatchObject({ complete: 6, works: 4 });
});

it('ends everything when it closes, and leaves nothing behind', async () => {
  const before = process.getActiveResourcesInfo().filter(isOurs).length;
  const other = await FaultyServer.start();
  other
    .script('/hang', hangs)
    .script('/drip', dripsHeaders(1_000_000))
    .script('/stream', streams({ everyMs: 1_000_000 }));
  const never = other.until(() => false);
  const asked = ['/hang', '/drip', '/stream'].map((path) => fetch(other.url(path)).then((response) => response.text()));
  await other.until(() => other.tally().complete === 3);
  await other.close();
  await expect(never).rejects.toThrow('never came');
  expect(await Promise.allSettled(asked)).toMatchObject(asked.map(() => ({ status: 'rejected' })));
  expect(other.connections.open).toBe(0);
  expect(process.getActiveResourcesInfo().filter(isOurs).length).toBeLessThanOrEqual(before);
});

const isOurs = (resource: string) => resource.startsWith('TCP') || resource === 'Timeout';

it('tells the fault of a script', async () => {
  const other = await FaultyServer.start();
  other.script('/', () => Promise.reject(new Error('not as planned')));
  const asked = fetch(other.url('/'), { signal: AbortSignal.timeout(50) });
  await expect(asked).rejects.toThrow();
  await expect(other.close()).rejects.toMatchObject({ errors: [{ message: 'not as planned' }] });
});
