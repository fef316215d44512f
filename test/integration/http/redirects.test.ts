import { retryingFetch } from 'retry-policy/fetch';
import { describe, expect, it } from 'vitest';
import { answers, type Behaviour, echoes, redirects } from './behaviours.js';
import { refusedPort } from './ports.js';
import { failureOf, quick, shapeOf, useServer } from './use-server.js';

const use = useServer();

/** Leads to another address under the same id. */
const leadsTo =
  (status: number, to: () => string): Behaviour =>
  (exchange) => {
    const { search } = new URL(exchange.request.url ?? '/', 'http://localhost');
    return answers(status, { headers: { location: `${to()}${search}` } })(exchange);
  };

/** Two clients, whose names are as long. */
const [first, second] = ['client-1', 'client-2'];

/** All that a caller and the servers see of a call. */
async function story(send: typeof fetch, id: string, init: RequestInit, asRequest = false): Promise<unknown> {
  const url = use.server.url('/', id);
  const response = await (asRequest ? send(new Request(url, init)) : send(url, init));
  const text = await response.text();
  const told = ({ method, path, headers, body }: (typeof use.server.requests)[number]) => ({
    method,
    path,
    headers,
    body: body?.toString(),
  });
  return {
    url: response.url.replace(id, 'id'),
    redirected: response.redirected,
    status: response.status,
    headers: headersOf(response, id),
    text: text.replaceAll(id, 'id'),
    here: use.server.tally(id).requests.map(told),
    there: use.other.tally(id).requests.map(told),
  };
}

function headersOf({ headers }: Response, id: string): unknown {
  const said: Record<string, string> = {};
  headers.forEach((value, name) => {
    if (name !== 'date') said[name] = value.replaceAll(id, 'id');
  });
  return said;
}

async function sameStory(init: RequestInit, asRequest?: boolean): Promise<void> {
  const plain = await story(fetch, first, init, asRequest);
  expect(await story(retryingFetch({ policy: quick }), second, init, asRequest)).toEqual(plain);
}

const headers = { authorization: 'Bearer me', cookie: 'a=1', 'content-type': 'text/x', 'content-language': 'en', 'x-mine': 'yes' };

describe.each([301, 302, 303, 307, 308])('%i is followed as fetch does', (status) => {
  describe.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('by a %s', (method) => {
    const init = { method, headers, ...(method === 'GET' ? {} : { body: 'order' }) };

    it.each([false, true])('within the origin, as a Request: %s', async (asRequest) => {
      use.server
        .script(
          '/',
          leadsTo(status, () => '/next'),
        )
        .script('/next', echoes);
      await sameStory(init, asRequest);
    });

    it.each([false, true])('to another origin, as a Request: %s', async (asRequest) => {
      use.server.script(
        '/',
        leadsTo(status, () => `${use.other.origin}/next`),
      );
      use.other.script('/next', echoes);
      await sameStory(init, asRequest);
    });

    it('to another origin and back', async () => {
      use.server
        .script(
          '/',
          leadsTo(status, () => `${use.other.origin}/next`),
        )
        .script('/last', echoes);
      use.other.script(
        '/next',
        leadsTo(307, () => `${use.server.origin}/last`),
      );
      await sameStory(init);
    });
  });

  it.each<[string, NonNullable<RequestInit['body']> | null]>([
    ['a string, with no type given', 'order'],
    ['parameters', new URLSearchParams({ a: '1' })],
    ['a Blob with a type', new Blob(['order'], { type: 'text/y' })],
    ['a Blob without', new Blob(['order'])],
    ['nothing', null],
  ])('with %s', async (_, body) => {
    use.server.script(
      '/',
      leadsTo(status, () => `${use.other.origin}/next`),
    );
    use.other.script('/next', echoes);
    await sameStory({ method: 'POST', body });
    await sameStory({ method: 'POST', body }, true);
  });
});

it.each([307, 308])('bytes are sent on after a %i, which some versions of Node cannot', async (status) => {
  use.server.script('/', redirects(status, use.other.url('/next')));
  const body = new Uint8Array([1, 2, 250, 0]);
  for (const sent of [body, body.buffer, Buffer.from(body)]) {
    const response = await retryingFetch({ policy: quick })(use.server.url('/'), { method: 'POST', body: sent });
    expect(response.status).toBe(200);
  }
  expect(use.other.requests.map(({ body: came }) => came && [...came])).toEqual([[...body], [...body], [...body]]);
});

it.each([307, 308])('the body of a Request goes along over several redirects: %i', async (status) => {
  use.server.script('/', redirects(status, '/next')).script('/next', redirects(status, '/last'));
  const request = new Request(use.server.url('/'), { method: 'POST', body: 'order' });
  expect((await retryingFetch({ policy: quick })(request)).status).toBe(200);
  expect(use.server.requests.map(({ body }) => String(body))).toEqual(['order', 'order', 'order']);
});

describe('a redirect that a POST is not to follow', () => {
  it.each(['manual', 'error'] as const)('is seen as fetch shows it: %s', async (redirect) => {
    use.server.script(
      '/',
      leadsTo(307, () => '/next'),
    );
    const outcome = (send: typeof fetch, id: string) =>
      send(use.server.url('/', id), { method: 'POST', body: 'order', redirect }).then(
        ({ status, type, redirected, headers: answered }) => [status, type, redirected, answered.has('location')],
        shapeOf,
      );
    expect(await outcome(retryingFetch({ policy: quick }), 'retry')).toEqual(await outcome(fetch, 'plain'));
    expect(use.server.tally('retry').works).toBe(1);
  });
});

describe('what leads nowhere fails as with fetch, and is done once', () => {
  it.each<[string, Behaviour]>([
    ['no location', answers(307)],
    ['a status that is no redirect', answers(300, { headers: { location: '/next' } })],
    ['not modified', answers(304)],
    ['another scheme', answers(307, { headers: { location: 'ftp://localhost/' } })],
    ['data', answers(303, { headers: { location: 'data:text/plain,hello' } })],
    ['no address', answers(307, { headers: { location: 'http://[bad' } })],
    ['a name and a password', answers(307, { headers: { location: 'http://me:secret@localhost:1/' } })],
  ])('%s', async (_, behaviour) => {
    use.server.script('/', behaviour);
    const outcome = (send: typeof fetch, id: string) =>
      send(use.server.url('/', id), { method: 'POST', body: 'order' }).then(
        ({ status, redirected, url }) => [status, redirected, url.replace(id, 'id')],
        (error) => (error as Error).name,
      );
    const plain = await outcome(fetch, 'plain');
    expect(await outcome(retryingFetch({ policy: quick }), 'retry')).toEqual(plain);
    const asked = (id: string) => use.server.tally(id).requests.map(({ method, path }) => `${method} ${path}`);
    expect(asked('retry')).toEqual(asked('plain'));
  });

  it('a stream cannot be sent on', async () => {
    use.server.script(
      '/',
      leadsTo(307, () => '/next'),
    );
    const init = () => ({ method: 'POST', body: new Blob(['order']).stream(), duplex: 'half' }) as RequestInit;
    const plain = shapeOf(await failureOf(fetch(use.server.url('/', 'plain'), init())));
    expect(shapeOf(await failureOf(retryingFetch({ policy: quick })(use.server.url('/', 'retry'), init())))).toEqual(plain);
    expect(use.server.tally('retry').works).toBe(1);
  });

  it('a stream that was answered 303 is', async () => {
    use.server
      .script(
        '/',
        leadsTo(303, () => '/next'),
      )
      .script('/next', echoes);
    const init = () => ({ method: 'POST', body: new Blob(['order']).stream(), duplex: 'half' }) as RequestInit;
    const plain = await story(fetch, first, init());
    expect(await story(retryingFetch({ policy: quick }), second, init())).toEqual(plain);
  });
});

describe('the signal holds after a redirect', () => {
  it.each([false, true])('given in a Request: %s', async (asRequest) => {
    use.server
      .script(
        '/',
        leadsTo(307, () => '/next'),
      )
      .script('/next', () => {});
    const reason = new Error('enough');
    const controller = new AbortController();
    const init = { method: 'POST', body: 'order', signal: controller.signal };
    const send = retryingFetch({ policy: quick });
    const sent = asRequest ? send(new Request(use.server.url('/'), init)) : send(use.server.url('/'), init);
    await use.server.until(() => use.server.requests.length === 2);
    controller.abort(reason);
    expect(await failureOf(sent)).toBe(reason);
  });
});

it('a GET that is led to a host that refuses goes again from the start', async () => {
  const port = await refusedPort();
  use.server.script('/', answers(302, { headers: { location: `http://127.0.0.1:${port}/` } }), answers(200, { body: 'well' }));
  const response = await retryingFetch({ policy: quick })(use.server.url('/'));
  expect(await response.text()).toBe('well');
});
