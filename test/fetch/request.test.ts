import { Readable } from 'node:stream';
import { type RetryingFetchOptions, retryingFetch } from 'retry-policy/fetch';
import { fixedRandom, frozenClock } from 'retry-policy/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as say from '../classifiers/thrown.js';
import { endingOf, thrownBy } from './ending.js';
import { headersOf, type Step, scriptedFetch, textOf } from './scripted-fetch.js';

const url = 'https://example.com/orders';
const run = { clock: frozenClock(0), random: fixedRandom(0) };
const refused = () => ({ error: say.fetchFailed(say.refused()) });
const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';

const retrying = (steps: readonly Step[], options: RetryingFetchOptions = {}) => {
  const fetch = scriptedFetch(...steps);
  return { fetch, call: retryingFetch({ fetch, run, ...options }) };
};
const textStream = (text: string) => new Blob([text]).stream();
const streamed = (body: unknown) => ({ method: 'PUT', body, duplex: 'half' }) as RequestInit;
const form = () => {
  const data = new FormData();
  data.set('item', 'seven');
  return data;
};
const bytes = new Uint8Array([0, 159, 146, 150]);

afterEach(() => vi.unstubAllGlobals());

describe('a body is sent again', () => {
  it.each<[string, () => BodyInit | null | undefined, string | null]>([
    ['a string', () => 'order 7', 'order 7'],
    ['an empty string', () => '', ''],
    ['bytes', () => new TextEncoder().encode('order 7'), 'order 7'],
    ['a buffer', () => new TextEncoder().encode('order 7').buffer, 'order 7'],
    ['a Blob', () => new Blob(['order 7']), 'order 7'],
    ['URLSearchParams', () => new URLSearchParams({ item: '7' }), 'item=7'],
    ['none', () => undefined, null],
    ['null', () => null, null],
  ])('%s', async (_, body, expected) => {
    const { fetch, call } = retrying([503, refused(), 200]);
    await call(url, { method: 'PUT', body: body() as BodyInit });
    expect(await Promise.all(fetch.asked.map(textOf))).toEqual([expected, expected, expected]);
  });

  it('byte by byte', async () => {
    const { fetch, call } = retrying([503, 200]);
    await call(url, { method: 'PUT', body: bytes });
    expect(await Promise.all(fetch.asked.map((one) => one.bytes))).toEqual([bytes, bytes]);
  });

  it('FormData', async () => {
    const { fetch, call } = retrying([503, 200]);
    await call(url, { method: 'PUT', body: form() });
    for (const one of fetch.asked) expect(await textOf(one)).toContain('name="item"\r\n\r\nseven\r\n');
  });

  it.each<[string, () => BodyInit, RegExp]>([
    ['a string', () => 'order 7', /^order 7$/],
    ['bytes', () => new TextEncoder().encode('order 7'), /^order 7$/],
    ['a stream', () => textStream('order 7'), /^order 7$/],
    ['FormData', form, /name="item"\r\n\r\nseven\r\n/],
  ])('of a Request, made of %s, of which every attempt gets its own', async (_, body, expected) => {
    const request = new Request(url, { ...streamed(body()), headers: { 'x-trace': '1' } });
    const { fetch, call } = retrying([503, refused(), 200]);
    await call(request);
    for (const one of fetch.asked) {
      expect(await textOf(one)).toMatch(expected);
      expect([one.method, one.headers.get('x-trace'), one.headers.get('content-type')]).toEqual([
        'PUT',
        '1',
        request.headers.get('content-type'),
      ]);
    }
    expect(new Set(fetch.asked.map(({ input }) => input)).size).toBe(3);
  });
});

describe('a one-shot body', () => {
  async function* pieces() {
    yield 'order 7';
  }

  it.each<[string, () => unknown]>([
    ['a stream', () => textStream('order 7')],
    ['an async iterable', pieces],
    ['a stream of Node', () => Readable.from([Buffer.from('order 7')])],
  ])('%s, is sent once; a failure is final then, and said so in the log', async (_, body) => {
    for (const step of [503, refused(), { error: say.fetchFailed(say.reset()) }]) {
      const { fetch, call } = retrying([step]);
      const { end, response } = await endingOf(call(url, streamed(body())));
      expect([fetch.asked.length, end]).toEqual([1, 'committed']);
      expect(response?.status).toBe(step === 503 ? 503 : undefined);
      expect(await textOf(fetch.asked[0] as never)).toBe('order 7');
    }
  });

  it('is sent once though a key is given or the server has done nothing', async () => {
    for (const headers of [{ 'idempotency-key': 'k1' }, {}]) {
      const { fetch, call } = retrying([503], { notDoneStatuses: [503] });
      const { end } = await endingOf(call(url, { ...streamed(textStream('x')), method: 'POST', headers }));
      expect([fetch.asked.length, end]).toEqual([1, 'committed']);
    }
  });

  it('that only can be piped, as streams of old can, is one', async () => {
    const { fetch, call } = retrying([503]);
    const old = { pipe: () => {}, toString: () => 'order 7' };
    const { end } = await endingOf(call(url, { method: 'PUT', body: old as never }));
    expect([fetch.asked.length, end]).toEqual([1, 'committed']);
  });

  it('takes its redirects as they come', async () => {
    const { fetch, call } = retrying([200]);
    await call(url, { ...streamed(textStream('x')), method: 'POST' });
    expect(fetch.asked[0]?.redirect).toBe('follow');
  });
});

describe('a key', () => {
  it('is added under its name to what is no idempotent method, the same for all attempts of a call, fresh for each call', async () => {
    const { fetch, call } = retrying([503, 503, 200, 503, 200], { idempotencyKeyHeader: true });
    await call(url, { method: 'POST', body: 'x', headers: { 'x-trace': '1' } });
    await call(url, { method: 'PATCH', body: 'x' });
    const sent = fetch.asked.map(({ headers }) => headers.get('Idempotency-Key'));
    expect(sent[0]).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(sent).toEqual([sent[0], sent[0], sent[0], sent[3], sent[3]]);
    expect(sent[3]).not.toBe(sent[0]);
    expect(fetch.asked[1]?.headers.get('x-trace')).toBe('1');
  });

  it('goes under the name that is given', async () => {
    const { fetch, call } = retrying([200], { idempotencyKeyHeader: 'X-Request-Key' });
    await call(url, { method: 'POST' });
    expect(Object.keys(headersOf(fetch.asked[0]))).toEqual(['x-request-key']);
  });

  it.each(['GET', 'PUT', 'DELETE'])('is not added to %s', async (method) => {
    const { fetch, call } = retrying([200], { idempotencyKeyHeader: true });
    await call(url, { method });
    expect(Object.keys(headersOf(fetch.asked[0]))).toEqual([]);
  });

  it.each([
    ['Idempotency-Key', true],
    ['Idempotency-Key', 'X-Request-Key'],
    ['X-Request-Key', 'X-Request-Key'],
  ] as const)('that is given as %s stays, and is the only one', async (name, idempotencyKeyHeader) => {
    const { fetch, call } = retrying([503, 200], { idempotencyKeyHeader });
    await call(url, { method: 'POST', headers: { [name]: 'mine' } });
    expect(fetch.asked.map(headersOf)).toEqual(Array(2).fill({ [name.toLowerCase()]: 'mine' }));
  });

  it("of the caller's own header counts beside an empty one", async () => {
    const { fetch, call } = retrying([503, 200], { idempotencyKeyHeader: 'X-Request-Key' });
    await call(url, { method: 'POST', headers: { 'Idempotency-Key': '', 'X-Request-Key': 'mine' } });
    expect(fetch.asked.map(headersOf)).toEqual(Array(2).fill({ 'idempotency-key': '', 'x-request-key': 'mine' }));
  });

  it('joins the headers of a Request, and leaves those of the caller as they are', async () => {
    const request = new Request(url, { method: 'POST', body: 'x', headers: { 'x-trace': '1' } });
    const headers = new Headers({ 'x-trace': '2' });
    const { fetch, call } = retrying([503, 200], { idempotencyKeyHeader: true });
    await call(request);
    await call(url, { method: 'POST', headers });
    expect(fetch.asked.map((one) => [one.headers.get('x-trace'), one.headers.has('idempotency-key')])).toEqual([
      ['1', true],
      ['1', true],
      ['2', true],
    ]);
    expect([request.headers.has('idempotency-key'), headers.has('idempotency-key')]).toEqual([false, false]);
  });

  it('of a Request counts as a given one', async () => {
    const request = new Request(url, { method: 'POST', body: 'x', headers: { 'idempotency-key': 'mine' } });
    const { fetch, call } = retrying([503, 200]);
    expect((await call(request)).status).toBe(200);
    expect(fetch.asked.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['mine', 'mine']);
  });

  it("of the init counts in place of the Request's headers", async () => {
    const request = new Request(url, { method: 'POST', headers: { 'idempotency-key': 'mine' } });
    const { fetch, call } = retrying([503]);
    expect((await endingOf(call(request, { headers: { 'x-trace': '1' } }))).end).toBe('committed');
    expect(fetch.asked).toHaveLength(1);
  });
});

describe('what is asked for', () => {
  it('is handed on as it is', async () => {
    const { fetch, call } = retrying([503, 200]);
    const init: RequestInit = { method: 'PUT', body: 'x', redirect: 'error', cache: 'no-store', headers: { 'x-trace': '1' } };
    await call(new URL(url), init);
    for (const one of fetch.asked) {
      expect(one.input).toEqual(new URL(url));
      expect(one.init).toEqual(init);
    }
  });

  it('may come without an init, or with null for one', async () => {
    const { fetch, call } = retrying([200]);
    await call(url);
    await call(url, undefined);
    await call(url, null as never);
    expect(fetch.asked.map((one) => [one.input, one.method])).toEqual(Array(3).fill([url, 'GET']));
  });

  it('may be a Request, whose init has the last word', async () => {
    const request = new Request(url, { method: 'DELETE', headers: { 'x-trace': '1' } });
    const { fetch, call } = retrying([503, 200]);
    await call(request, { method: 'PUT', body: 'x', headers: { 'x-trace': '2' } });
    for (const one of fetch.asked) {
      expect([one.method, await textOf(one), one.headers.get('x-trace')]).toEqual(['PUT', 'x', '2']);
    }
  });

  it('may be a Request given as the init', async () => {
    const init = new Request('https://example.com/elsewhere', { method: 'DELETE', headers: { 'x-trace': '1' } });
    const { fetch, call } = retrying([503, 200]);
    await call(url, init as RequestInit);
    expect(fetch.asked.map((one) => [one.url, one.method, headersOf(one)])).toEqual(Array(2).fill([url, 'DELETE', { 'x-trace': '1' }]));
  });

  it('may be a Request given as the init, whose body is sent whole', async () => {
    const init = new Request('https://example.com/elsewhere', { method: 'POST', body: 'order 7', headers: { 'x-trace': '1' } });
    const { fetch, call } = retrying([200]);
    await call(url, init as RequestInit);
    expect([fetch.asked[0]?.url, fetch.asked[0]?.method, await textOf(fetch.asked[0] as never)]).toEqual([url, 'POST', 'order 7']);
    expect(fetch.asked[0]?.headers.get('x-trace')).toBe('1');
  });

  it('may be inherited by the init, or made by its getters', async () => {
    const { fetch, call } = retrying([503, 200]);
    await call(url, Object.create({ method: 'PUT', body: 'order 7' }));
    await call(url, {
      method: 'PUT',
      get body() {
        return 'order 8';
      },
    });
    expect(await Promise.all(fetch.asked.map(async (one) => [one.method, await textOf(one)]))).toEqual([
      ['PUT', 'order 7'],
      ['PUT', 'order 7'],
      ['PUT', 'order 8'],
    ]);
  });

  it('a Request without a body is handed on itself', async () => {
    const request = new Request(url);
    const { fetch, call } = retrying([503, 200]);
    await call(request);
    expect(fetch.asked.map(({ input }) => input)).toEqual([request, request]);
  });

  it('the method of the init outranks that of a Request', async () => {
    const { fetch, call } = retrying([503, 503, 200]);
    expect((await endingOf(call(new Request(url, { method: 'PUT' }), { method: 'POST' }))).end).toBe('committed');
    expect((await call(new Request(url, { method: 'POST' }), { method: 'PUT' })).status).toBe(200);
    expect(fetch.asked.map(({ method }) => method)).toEqual(['POST', 'PUT', 'PUT']);
  });

  it('the method of a Request says whether it may be repeated', async () => {
    const { fetch, call } = retrying([503]);
    const { end } = await endingOf(call(new Request(url, { method: 'POST' })));
    expect([fetch.asked.length, end]).toEqual([1, 'committed']);
  });
});

describe('the body of a Request', () => {
  const withBody = (onCancel: () => void) => {
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('order 7'));
      },
      cancel: onCancel,
    });
    return new Request(url, streamed(body));
  };
  /** It takes no interest in the body of its copy. */
  const unread = (end: () => Promise<Response>) =>
    retryingFetch({
      run,
      fetch: (input) => {
        (input as Request).body?.cancel().catch(() => {});
        return end();
      },
    });

  it.each<[string, () => Promise<Response>]>([
    ['was answered', async () => new Response()],
    ['failed', () => Promise.reject(new Error('of my own'))],
  ])('is let go of when the call %s', async (_, end) => {
    const onCancel = vi.fn();
    const request = withBody(onCancel);
    await endingOf(unread(end)(request));
    expect(onCancel).toHaveBeenCalledTimes(1);
    expect(request.bodyUsed).toBe(true);
  });

  it('is let go of when the call was aborted before it began', async () => {
    const onCancel = vi.fn();
    const { fetch, call } = retrying([200]);
    await thrownBy(call(withBody(onCancel), { signal: AbortSignal.abort() }));
    expect(fetch.asked).toEqual([]);
    expect(onCancel).toHaveBeenCalledTimes(1);
  });

  it('is left alone where another one is given', async () => {
    const onCancel = vi.fn();
    const { call } = retrying([200]);
    await call(withBody(onCancel), { body: 'another' });
    expect(onCancel).not.toHaveBeenCalled();
  });

  it("that was read before is an error of the caller's, told as a rejection", async () => {
    const request = new Request(url, { method: 'PUT', body: 'x' });
    await request.text();
    const { fetch, call } = retrying([200]);
    const { end, error } = await endingOf(call(request));
    expect([fetch.asked.length, end]).toEqual([0, 'permanent']);
    expect(error).toBeInstanceOf(TypeError);
  });
});

describe('in a browser', () => {
  it.each(['follow', 'manual', 'error'] as const)('what was not sent cannot be told (redirect: %s)', async (redirect) => {
    vi.stubGlobal('navigator', { userAgent: browser });
    const { fetch, call } = retrying([refused()]);
    expect((await endingOf(call(url, { method: 'POST', redirect }))).end).toBe('committed');
    expect(fetch.asked).toHaveLength(1);
  });

  it('redirects are followed by the browser', async () => {
    vi.stubGlobal('navigator', { userAgent: browser });
    const { fetch, call } = retrying([200]);
    await call(url, { method: 'POST' });
    expect(fetch.asked[0]?.init).toEqual({ method: 'POST' });
  });

  it('idempotent requests are repeated as everywhere', async () => {
    vi.stubGlobal('navigator', { userAgent: browser });
    const { fetch, call } = retrying([{ error: say.type('Failed to fetch') }, 503, 200]);
    expect((await call(url)).status).toBe(200);
    expect(fetch.asked).toHaveLength(3);
  });

  it.each(['Node.js/22', 'Deno/2.9.6', 'Bun/1.4.5', 'Cloudflare-Workers', undefined])(
    'is not where the platform calls itself %s',
    async (userAgent) => {
      vi.stubGlobal('navigator', { userAgent });
      const { fetch, call } = retrying([refused()]);
      await endingOf(call(url, { method: 'POST' }));
      expect(fetch.asked).toHaveLength(4);
    },
  );

  it('is not where there is no navigator', async () => {
    vi.stubGlobal('navigator', undefined);
    const { fetch, call } = retrying([refused()]);
    await endingOf(call(url, { method: 'POST' }));
    expect(fetch.asked).toHaveLength(4);
  });
});
