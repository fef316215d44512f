import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { retryingFetch } from 'retry-policy/fetch';
import { describe, expect, it } from 'vitest';
import { answers, cutsAfter } from './behaviours.js';
import { refusedPort } from './ports.js';
import { endOf, failureOf, quick, useServer } from './use-server.js';

const use = useServer();
const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => i % 251);

function form(): FormData {
  const data = new FormData();
  data.append('text', 'ä€😀');
  data.append('file', new Blob([bytes], { type: 'application/x' }), 'a.bin');
  return data;
}

const bodies: readonly [string, () => RequestInit['body']][] = [
  ['a string', () => 'ä€😀 order'],
  ['an empty string', () => ''],
  ['an ArrayBuffer', () => bytes.slice().buffer],
  ['a view of some bytes', () => bytes.subarray(1_000, 60_000)],
  ['a view of words', () => new Uint16Array(bytes.buffer, 2, 500)],
  ['a DataView', () => new DataView(bytes.buffer, 3, 501)],
  ['a Buffer', () => Buffer.from('order')],
  ['a Blob', () => new Blob(['one', bytes], { type: 'text/x' })],
  ['parameters', () => new URLSearchParams({ a: 'ä', b: '1 2' })],
  ['a form', form],
];

/** What came, with the boundary of a form, which is drawn anew each time, taken out. */
function came(id: string): unknown[] {
  return use.server.tally(id).requests.map(({ headers: { 'content-type': type, 'content-length': length }, body }) => {
    const text = body?.toString('latin1') ?? '';
    const boundary = /^--([\w-]+)\r\n/.exec(text)?.[1] ?? 'no form';
    return {
      type: type?.replace(boundary, '*'),
      length,
      digest: createHash('sha256').update(text.replaceAll(boundary, '*')).digest('hex'),
    };
  });
}

describe.each(bodies)('%s is sent again byte for byte', (_, make) => {
  const send = retryingFetch({ policy: quick });
  const body = () => make() ?? null;

  it.each<[string, (url: string) => Parameters<typeof fetch>]>([
    ['from an init', (url) => [url, { method: 'PUT', body: body() }]],
    ['from a Request', (url) => [new Request(url, { method: 'PUT', body: body() })]],
    [
      'from an init that outranks a Request',
      (url) => [new Request(url, { method: 'POST', body: 'not this' }), { method: 'PUT', body: body() }],
    ],
    ['from a Request whose method an init changes', (url) => [new Request(url, { method: 'POST', body: body() }), { method: 'PUT' }]],
    [
      'from a Request whose headers an init replaces',
      (url) => [new Request(url, { method: 'PUT', body: body() }), { headers: { 'x-a': '1' } }],
    ],
  ])('%s', async (_, args) => {
    use.server.script('/', answers(503), cutsAfter('request'), answers(200));
    expect(endOf(await send(...args(use.server.url('/', 'me'))))).toEqual(['succeed', 3]);
    await fetch(...args(use.server.url('/plain', 'plain')));
    const [plain] = came('plain');
    expect(came('me')).toEqual([plain, plain, plain]);
  });
});

it('a Request may be used by the caller as after fetch: its body is spent', async () => {
  const used = async (send: typeof fetch) => {
    const request = new Request(use.server.url('/'), { method: 'PUT', body: 'order' });
    await send(request);
    return request.bodyUsed;
  };
  expect(await used(retryingFetch({ policy: quick }))).toBe(await used(fetch));
});

it('a Request that is spent already fails as with fetch', async () => {
  const spent = new Request(use.server.url('/'), { method: 'PUT', body: 'order' });
  await spent.text();
  expect(await failureOf(retryingFetch({ policy: quick })(spent))).toBeInstanceOf(TypeError);
  expect(use.server.requests).toEqual([]);
});

async function* pieces() {
  yield new TextEncoder().encode('one ');
  yield new TextEncoder().encode('two');
}
const once = { duplex: 'half' } as RequestInit;
const streams: readonly [string, () => unknown][] = [
  ['a ReadableStream', () => new Blob(['one ', 'two']).stream()],
  ['an async iterable', pieces],
  ['a Readable of Node', () => Readable.from(pieces())],
];

describe.each(streams)('%s is sent once', (_, make) => {
  const init = (method = 'PUT') => ({ ...once, method, body: make() }) as RequestInit;
  const send = retryingFetch({ policy: quick });

  it.each(['PUT', 'POST'])('by a %s, and the answer of a busy server is returned', async (method) => {
    use.server.script('/', answers(503, { body: 'busy' }), answers(200));
    const response = await send(use.server.url('/'), init(method));
    expect([response.status, await response.text()]).toEqual([503, 'busy']);
    expect(endOf(response)).toEqual(['committed', 1]);
    expect(use.server.tally().texts).toEqual(['one two']);
  });

  it.each(['PUT', 'POST'])('by a %s that is cut off', async (method) => {
    use.server.script('/', cutsAfter('request'), answers(200));
    expect(endOf(await failureOf(send(use.server.url('/'), init(method))))).toEqual(['committed', 1]);
    expect(use.server.tally().requests).toHaveLength(1);
  });

  it('by a PUT that is refused: the stream is spent', async () => {
    const error = await failureOf(send(`http://127.0.0.1:${await refusedPort()}/`, init()));
    expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    expect(endOf(error)).toEqual(['committed', 1]);
  });

  it('with a key', async () => {
    use.server.script('/', answers(503), answers(200));
    const response = await send(use.server.url('/'), { ...init('POST'), headers: { 'idempotency-key': 'mine' } });
    expect(endOf(response)).toEqual(['committed', 1]);
  });

  it('and done, if nothing fails', async () => {
    expect(endOf(await send(use.server.url('/'), init()))).toEqual(['succeed', 1]);
    expect(use.server.tally().texts).toEqual(['one two']);
  });
});

it('a Request of a stream is repeated byte for byte, or sent once', async () => {
  use.server.script('/', answers(503), answers(200));
  const request = new Request(use.server.url('/'), { ...once, method: 'PUT', body: new Blob(['one ', 'two']).stream() });
  const response = await retryingFetch({ policy: quick })(request);
  if (response.status === 200) expect(use.server.tally().texts).toEqual(['one two', 'one two']);
  else expect(endOf(response)).toEqual(['committed', 1]);
});
