// What the fetch that retries, and the classifiers, do on every runtime, against a server that fails as its paths say.
import { equal, realMs, seenUnhandled, settled, truthy } from './watch.mjs';

const startAt = Date.UTC(2026, 0, 15, 8);

const { Bun, Deno, navigator } = globalThis;
const runtime =
  (Deno && 'Deno') ||
  (Bun && 'Bun') ||
  (/^Mozilla\//.test(navigator?.userAgent) && 'Chromium') ||
  (navigator?.userAgent === 'Cloudflare-Workers' && 'workerd') ||
  'Node';

/**
 * How the plain fetch fails, and what `failureStage` and `networkErrors` make of the error. What is cut before the headers is cut on a
 * fresh connection: on one that was used before, Deno, Chromium and, for some methods, Bun send it again by themselves.
 */
const failures = {
  'a refused connection': [({ refused }) => fetch(refused), 'not-sent, transient'],
  'a reset after the request': [async ({ urlOfFresh }) => fetch(await urlOfFresh('/resets'), post('do it')), 'unknown, transient'],
  'a close after the request': [async ({ urlOfFresh }) => fetch(await urlOfFresh('/closes'), post('do it')), 'unknown, transient'],
  'a close in the headers': [({ url }) => fetch(url('/closes-in-headers')), 'unknown, transient'],
  'a reset in the body': [({ url }) => cutInBody(url, '/resets-in-body'), 'answered, transient'],
  'a close in the body': [({ url }) => cutInBody(url, '/closes-in-body'), 'answered, transient'],
  'TLS where there is none': [({ url }) => fetch(url('/echo').replace('http:', 'https:')), 'not-sent, undefined'],
  'a scheme that nobody knows': [() => fetch('nothing://127.0.0.1/'), 'not-sent, undefined'],
  'a URL that is none': [() => fetch('http://[bad'), 'not-sent, undefined'],
  'an abort': [({ url }) => fetch(url('/echo'), { signal: AbortSignal.abort() }), 'unknown, permanent'],
  'a signal that ran out': [({ url }) => fetch(url('/hangs'), { signal: AbortSignal.timeout(50) }), 'unknown, transient'],
};

/** Where a runtime is not like the others: what it does instead, and why. */
const differences = {
  'a refused connection': {
    Chromium: ['unknown, transient', 'it says "Failed to fetch" of whatever fails'],
    workerd: ['unknown, transient', 'it says "Network connection lost." of whatever fails'],
  },
  'a close in the headers': {
    Chromium: ['no failure', 'it takes what came of them for all'],
  },
  'a reset in the body': {
    Bun: ['unknown, transient', 'it gives the same error before and after the headers'],
    Chromium: ['unknown, transient', 'likewise'],
    workerd: ['unknown, transient', 'likewise'],
  },
  'a close in the body': {
    Bun: ['unknown, transient', 'likewise'],
    Chromium: ['unknown, transient', 'likewise'],
    workerd: ['unknown, transient', 'likewise'],
  },
  'TLS where there is none': {
    Bun: ['unknown, undefined', 'EPROTO, which may come later as well'],
    Chromium: ['unknown, transient', 'it says "Failed to fetch" of whatever fails'],
    workerd: ['unknown, undefined', 'it tells of an internal error only'],
  },
  'a scheme that nobody knows': {
    Bun: ['unknown, undefined', 'ERR_INVALID_ARG_VALUE, which is said of much else'],
    Chromium: ['unknown, transient', 'it says "Failed to fetch" of whatever fails'],
    workerd: ['unknown, undefined', 'its text is like that of no other'],
  },
  'a URL that is none': {
    workerd: [globalThis.MessageChannel ? 'not-sent, undefined' : 'unknown, undefined', 'as of 2024 it tells of an internal error only'],
  },
  'a POST to a port that opens later': {
    Chromium: [['committed'], 'nothing proves that it was not sent'],
    workerd: [['committed'], 'nothing proves that it was not sent'],
  },
  'a stream as a body': {
    Chromium: [[], 'it sends streams over HTTP/2 only'],
  },
  'the reason of a body that was aborted': {
    workerd: ['alike', 'its streams hand on a copy'],
  },
  'the headers of a body that a redirect has dropped': {
    workerd: ['kept', 'it does not follow the standard there; we do'],
  },
};

const expectedOf = (name, usual) => differences[name]?.[runtime]?.[0] ?? usual;

let clients = 0;

/** One client of the server, whom it tells from all others. */
function client({ fetching, classifiers, origin }) {
  const id = `client-${++clients}`;
  const told = async (path) => (await fetch(`${origin}${path}`)).json();
  const logOf = (of) => fetching.attemptsOf(of)?.map(({ action, reason }) => reason ?? action);
  return {
    url: (path) => `${origin}${path}?id=${id}`,
    told,
    /** What has reached the server, as soon as it is so much, or after a while. */
    async seen(isAll = () => true) {
      for (let turns = 0; ; turns++) {
        const seen = await told(`/seen?of=${id}`);
        if (isAll(seen) || turns === 500) return seen;
        await realMs(20);
      }
    },
    /** An address on a server that nobody has a connection to yet. */
    async urlOfFresh(path) {
      const { port } = await told('/refused-port');
      await told(`/open?port=${port}`);
      return `http://127.0.0.1:${port}${path}?id=${id}`;
    },
    refusedPort: async () => (await told('/refused-port')).port,
    retrying: ({ policy, ...options } = {}) => fetching.retryingFetch({ ...options, policy: { backoff: { baseMs: 0 }, ...policy } }),
    logOf,
    /** What a call ends in, and its log. */
    async ended(call) {
      const { value, reason } = await settled(call);
      return { status: value?.status ?? 'rejected', log: logOf(value ?? reason), response: value, error: reason };
    },
    verdictOf: (error) => `${classifiers.failureStage(error)}, ${classifiers.networkErrors(error)}`,
  };
}

/** The server waits to be told, so that the headers are not lost with the connection. */
async function cutInBody(url, path) {
  const response = await fetch(url(path));
  await textOf(fetch(url('/headers-have-come')));
  return response.text();
}

const textOf = async (response) => (await response).text();
const post = (body, others) => ({ method: 'POST', body, ...others });
const methodsOf = ({ requests }) => requests.map(({ method }) => method);

/** Bytes as the server writes them down. */
const allBytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const asLatin1 = (bytes) => String.fromCharCode(...bytes);

/** Makes the body, or the whole request, anew for each call. */
const bodies = {
  'a string': () => ({ body: 'grüße €' }),
  'no body': () => ({}),
  bytes: () => ({ body: allBytes }),
  'a part of a buffer': () => ({ body: new Uint8Array(allBytes.buffer, 200, 20) }),
  'an ArrayBuffer': () => ({ body: allBytes.slice().buffer }),
  'a Blob': () => ({ body: new Blob([allBytes], { type: 'image/png' }) }),
  'a form': () => ({ body: formOf({ name: 'grün', file: new Blob([allBytes]) }) }),
  'URL parameters': () => ({ body: new URLSearchParams({ a: '1 & 2', b: 'ü' }) }),
  'a Request': (url) => new Request(url, { method: 'PUT', body: allBytes }),
  'a Request with a form': (url) => new Request(url, { method: 'PUT', body: formOf({ name: 'grün' }) }),
};

function formOf(entries) {
  const form = new FormData();
  for (const [name, entry] of Object.entries(entries)) form.append(name, entry);
  return form;
}

/** A form has another boundary each time it is written out. */
function withoutBoundary({ body, headers }) {
  const type = headers['content-type'] ?? '';
  const [, boundary = 'none'] = /boundary="?([^";]+)/.exec(type) ?? [];
  return { type: type.replaceAll(boundary, 'boundary'), body: body.replaceAll(boundary, 'boundary') };
}

const behaviours = {
  async 'a 503 heals, and the log tells it'({ url, retrying, ended, seen }) {
    const { status, log, response } = await ended(() => retrying()(url('/busy-once')));
    equal([status, log, (await response.json()).method], [200, ['retry', 'succeed'], 'GET']);
    equal(methodsOf(await seen()), ['GET', 'GET']);
  },

  async 'a wait that the server asks for is obeyed, in seconds and as a date'({ url, retrying, testing, fetching }) {
    const run = { clock: testing.frozenClock(startAt), random: testing.fixedRandom(0) };
    for (const [path, waitMs] of [
      ['/busy-for-seconds', 7_000],
      ['/busy-until', 30_000],
    ]) {
      const response = await retrying({ run })(url(path));
      const [{ retryAfterMs, delayMs, retryAt }] = fetching.attemptsOf(response);
      equal([response.status, retryAfterMs, delayMs, retryAt], [200, waitMs, waitMs, startAt + waitMs]);
      await response.text();
    }
  },

  async 'a wait that is too long ends the call with the answer'({ url, retrying, ended }) {
    const { status, log, response } = await ended(() => retrying()(url('/busy-too-long')));
    equal([status, log, await response.text()], [503, ['retry-after-too-long'], '']);
  },

  async 'the last answer is returned, its body unread'({ url, retrying, ended, seen }) {
    const { status, log, response } = await ended(() => retrying({ policy: { maxAttempts: 3 } })(url('/busy')));
    equal([status, log, response.bodyUsed], [503, ['retry', 'retry', 'attempts-exhausted'], false]);
    equal(await response.text(), 'busy');
    equal((await seen()).requests.length, 3);
  },

  async 'an answer that a retry replaces may be read before'({ url, retrying }) {
    const read = [];
    const onDiscard = async (response) => read.push(await response.text());
    equal([(await textOf(retrying({ onDiscard })(url('/busy-once')))).length > 0, read], [true, ['busy']]);
  },

  async 'a POST without a key is sent once if it was answered'({ url, retrying, ended, seen }) {
    const { status, log, response } = await ended(() => retrying()(url('/busy-once'), post('do it')));
    equal([status, log, await response.text()], [503, ['committed'], 'busy']);
    equal((await seen()).requests.length, 1);
  },

  async 'a POST without a key is sent once if its connection is cut after the work'({ urlOfFresh, retrying, ended, seen }) {
    for (const [count, path] of ['/closes', '/resets'].entries()) {
      const address = await urlOfFresh(path);
      const { status, log } = await ended(() => retrying()(address, post('do it')));
      equal([path, status, log], [path, 'rejected', ['committed']]);
      const { works, requests } = await seen();
      equal([works, requests.length], [count + 1, count + 1]);
    }
  },

  async 'a POST with a key is repeated with the same key'(library) {
    for (const [headers, expected] of [
      [{}, /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/],
      [{ 'idempotency-key': 'mine' }, /^mine$/],
    ]) {
      const { url, retrying, ended, seen } = client(library);
      const call = () => retrying({ idempotencyKeyHeader: true })(url('/busy-once'), post('do it', { headers }));
      const { status, log, response } = await ended(call);
      equal([status, log], [200, ['retry', 'succeed']]);
      await response.text();
      const { requests } = await seen();
      const [first, second] = requests.map(({ headers }) => headers['idempotency-key']);
      equal([requests.map(({ body }) => body), first === second], [['do it', 'do it'], true]);
      truthy(expected.test(first), `the key is ${first}`);
    }
  },

  async 'a POST that was refused goes again where that proves it was not sent'({ url, told, refusedPort, retrying, ended, seen }) {
    const port = await refusedPort();
    const address = new URL(url('/echo'));
    address.port = port;
    const onDecision = ({ action }) => (action === 'retry' ? told(`/open?port=${port}`) : undefined);
    const { status, log } = await ended(() => retrying({ run: { onDecision } })(address, post('do it')));
    const expected = expectedOf('a POST to a port that opens later', ['retry', 'succeed']);
    equal([status, log], [expected.length > 1 ? 200 : 'rejected', expected]);
    equal((await seen()).works, expected.length - 1);
  },

  async 'a POST that was answered with a redirect to a port that refuses is done once'({ url, retrying, ended, seen }) {
    for (const [count, status] of [303, 307].entries()) {
      equal(log(await ended(() => retrying()(url(`/${status}-refused`), post('do it')))), ['rejected', ['committed']]);
      equal((await seen()).works, count + 1);
    }
  },

  async 'redirects are followed as the plain fetch does it'({ url, retrying }) {
    const keepsHeaders = expectedOf('the headers of a body that a redirect has dropped', 'dropped') === 'kept';
    const headers = { authorization: 'Basic me', 'content-type': 'text/plain', 'x-mine': 'yes' };
    for (const status of [301, 302, 303, 307, 308]) {
      for (const init of [{ method: 'GET' }, post('do it', { headers }), post(new URLSearchParams({ a: 1 })), { method: 'DELETE' }]) {
        const [plain, ours] = await Promise.all([fetch, retrying()].map(async (fetches) => seenOf(await fetches(url(`/${status}`), init))));
        equal(plain.redirected, true);
        if (plain.method !== init.method && keepsHeaders) plain.contentType = undefined;
        equal(ours, plain);
      }
    }
  },

  async 'a redirect that is not to be followed is not'({ url, retrying, ended }) {
    const plain = await fetch(url('/303'), post('do it', { redirect: 'manual' }));
    const { status, log, response } = await ended(() => retrying()(url('/303'), post('do it', { redirect: 'manual' })));
    equal([status, log, response.type], [plain.status, ['succeed'], plain.type]);
    await Promise.all([plain.text(), response.text()]);
  },

  async 'a body is sent again byte for byte'(library) {
    for (const [name, made] of Object.entries(bodies)) {
      const { url, retrying, seen, ended } = client(library);
      const fetches = (fetch, path) => {
        const init = made(url(path));
        return init instanceof Request ? fetch(init) : fetch(url(path), { method: 'PUT', ...init });
      };
      await textOf(fetches(fetch, '/echo'));
      const { response } = await ended(() => fetches(retrying(), '/busy-once'));
      await response.text();
      const [plain, first, second] = (await seen()).requests.map(withoutBoundary);
      equal([name, first, second], [name, plain, plain]);
      if (name === 'bytes') equal(plain.body, asLatin1(allBytes));
      equal(plain.body === '', name === 'no body');
    }
  },

  async 'a stream as a body is sent once'({ url, retrying, ended, seen }) {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('do it'));
        controller.close();
      },
    });
    const { status, log } = await ended(() => retrying()(url('/busy-once'), { method: 'PUT', body, duplex: 'half' }));
    const expected = expectedOf('a stream as a body', ['do it']);
    equal([status, log], [expected.length === 0 ? 'rejected' : 503, ['committed']]);
    equal(
      (await seen()).requests.map(({ body }) => body),
      expected,
    );
  },

  async 'an abort before the headers ends the call with its reason'(library) {
    const limits = { attemptTimeoutMs: 60_000 };
    for (const policy of [{}, limits]) {
      for (const reason of [new Error('the user left'), 'left', undefined]) {
        for (const way of ['init', 'request', 'run']) {
          const { url, retrying, seen, logOf } = client(library);
          const controller = new AbortController();
          const { signal } = controller;
          const run = way === 'run' ? { signal } : {};
          const init = way === 'init' ? { signal } : {};
          const input = way === 'request' ? new Request(url('/hangs'), { signal }) : url('/hangs');
          const call = settled(() => retrying({ policy, run })(input, init));
          equal((await seen(({ requests }) => requests.length > 0)).requests.length, 1);
          controller.abort(reason);
          const { reason: thrown } = await call;
          truthy(thrown === signal.reason, `by ${way}: not the reason, but ${thrown}`);
          if (thrown instanceof Error) equal(logOf(thrown), ['aborted']);
        }
      }
    }
  },

  async 'an abort ends a wait of an hour'({ url, retrying }) {
    const controller = new AbortController();
    const onDecision = () => void setTimeout(() => controller.abort(reason), 10);
    const reason = new Error('the user left');
    const hour = { backoff: { baseMs: 3_600_000, capMs: 3_600_000 }, jitter: 'none' };
    const call = () => retrying({ policy: hour, run: { onDecision } })(url('/busy'), { signal: controller.signal });
    truthy((await settled(call)).reason === reason, 'another reason');
  },

  async 'an abort after the headers ends the body with its reason, whether there are limits or not'({ url, retrying }) {
    for (const policy of [{}, { attemptTimeoutMs: 60_000 }, { totalBudgetMs: 60_000 }]) {
      const controller = new AbortController();
      const response = await retrying({ policy })(url('/streams'), { signal: controller.signal });
      const reader = response.body.getReader();
      equal((await reader.read()).done, false);
      const reason = new Error('the user left');
      controller.abort(reason);
      const { reason: thrown } = await settled(async () => {
        while (!(await reader.read()).done);
      });
      const isSame = expectedOf('the reason of a body that was aborted', 'same') === 'same';
      truthy(isSame ? thrown === reason : thrown.message === reason.message, `not the reason, but ${thrown}`);
    }
  },

  async 'a body may take longer than the limits'({ url, retrying }) {
    const { signal } = new AbortController();
    const bodies = [{ attemptTimeoutMs: 1_000 }, { totalBudgetMs: 1_000 }].flatMap((policy) =>
      [{}, { signal }].map((init) => textOf(retrying({ policy })(url('/streams-for-long'), init))),
    );
    for (const body of await Promise.all(bodies)) equal(body, 'piece '.repeat(30));
  },

  async 'an attempt that hangs is cut off and repeated'({ url, main, retrying, ended }) {
    const patient = { attemptTimeoutMs: 300, maxAttempts: 20 }; // a busy host may cut off more than the one that hangs
    const { status, log, response } = await ended(() => retrying({ policy: patient })(url('/hangs-once')));
    equal([status, log.at(0), log.at(-1)], [200, 'retry', 'succeed']);
    await response.text();
    const hung = await ended(() => retrying({ policy: { attemptTimeoutMs: 30, maxAttempts: 2 } })(url('/hangs')));
    equal([main.isAttemptTimeout(hung.error), hung.error.limit, hung.log], [true, 'attempt', ['retry', 'attempts-exhausted']]);
  },

  async 'a POST that hangs is cut off and not repeated'({ url, main, retrying, ended, seen }) {
    const { error, log } = await ended(() => retrying({ policy: { attemptTimeoutMs: 300 } })(url('/hangs'), post('do it')));
    equal([main.isAttemptTimeout(error), log], [true, ['committed']]);
    truthy((await seen()).requests.length <= 1, 'it was sent again');
  },

  async 'answers that nobody reads do not use up the connections'({ url, retrying, seen }) {
    for (let calls = 0; calls < 10; calls++) await textOf(retrying()(url('/busy')));
    const { requests, connections } = await seen();
    equal(requests.length, 40);
    truthy(connections < 10, `${connections} connections for answers that are complete`);
    for (let calls = 0; calls < 5; calls++) {
      const response = await retrying()(url('/busy-without-end'));
      equal(response.status, 503);
      await response.body.cancel();
    }
    const { open } = await seen(({ open }) => open < 8);
    truthy(open < 8, `${open} connections stay open for answers that have no end`);
  },

  async 'an outer run does not repeat what a call gave up on, whichever copy it is of'(library) {
    const { url, refusedPort, retrying, classifiers, other, main, testing } = { ...library, ...client(library) };
    const call = retrying({ policy: { maxAttempts: 2 } });
    const refused = `http://127.0.0.1:${await refusedPort()}/`;
    const { reason } = await settled(() => call(refused));
    equal([classifiers.networkErrors(reason), other.networkErrors(reason), other.attemptsOf(reason).length], ['permanent', 'permanent', 2]);
    const outer = await main.runWithRetry(
      () => Promise.reject(reason),
      { classify: other.networkErrors },
      { clock: testing.frozenClock(0) },
    );
    equal([outer.reason, outer.attempts], ['permanent', 1]);
    const response = await other.retryingFetch({ policy: { maxAttempts: 1 } })(url('/busy'));
    equal([await response.text(), other.attemptsOf(response).length], ['busy', 1]);
  },

  async 'an answer is told by its status and its headers'({ url, classifiers }) {
    const classify = classifiers.httpErrors();
    const busy = await fetch(url('/busy-for-seconds'));
    equal([classify(busy), classifiers.failureStage(busy)], [{ verdict: 'transient', retryAfterMs: 7_000 }, 'answered']);
    equal(classifiers.parseRetryAfter(busy.headers, startAt), 7_000);
    const done = await fetch(url('/echo'));
    equal(classify(done), undefined);
    await Promise.all([busy.text(), done.text()]);
  },

  async 'no rejection goes unhandled when calls are cut off'({ url, retrying }) {
    const stray = new Error('nobody handles this one, so that the others could have been seen');
    const seen = await seenUnhandled(stray, async () => {
      await settled(() => retrying({ policy: { attemptTimeoutMs: 20, maxAttempts: 2 } })(url('/hangs')));
      await settled(() => retrying({ policy: { totalBudgetMs: 20 } })(url('/hangs'), post('do it')));
      await settled(() => retrying()(url('/resets'), post('do it')));
      await settled(() => retrying({ onDiscard: () => Promise.reject(new Error('the hook failed')) })(url('/busy')));
      const controller = new AbortController();
      const { signal } = controller;
      await retrying()(url('/streams'), { signal });
      await retrying({ policy: { attemptTimeoutMs: 60_000 } })(url('/streams'), { signal });
      const pending = [post('do it'), {}].map((init) => settled(() => retrying()(url('/hangs'), { ...init, signal })));
      await realMs(30);
      controller.abort(new Error('the user left'));
      await Promise.all(pending);
      await realMs(20);
    });
    equal(seen, [stray]);
  },
};

const log = ({ status, log }) => [status, log];

async function seenOf(response) {
  const { url, status, type, redirected } = response;
  const { method, headers, body } = await response.json();
  const { authorization, 'content-type': contentType, 'content-length': length } = headers;
  return { url, status, type, redirected, method, body, authorization, contentType, length, mine: headers['x-mine'] };
}

const failureBehaviours = Object.entries(failures).map(([name, [provoke, usual]]) => [
  `${name} is told for what it is`,
  async ({ url, urlOfFresh, refusedPort, verdictOf }) => {
    const refused = `http://127.0.0.1:${await refusedPort()}/`;
    const { reason } = await settled(() => provoke({ url, urlOfFresh, refused }));
    const verdict = reason === undefined ? 'no failure' : verdictOf(reason);
    truthy(verdict === expectedOf(name, usual), `${verdict} of ${reason} (${reason?.code}) from ${reason?.cause} (${reason?.cause?.code})`);
  },
]);

/** The same kind as the others: `origin` is where the server is. */
export const fetchBehaviours = Object.fromEntries(
  [...Object.entries(behaviours), ...failureBehaviours].map(([name, behaviour]) => [
    `fetch: ${name}`,
    (library) => behaviour({ ...library, ...client(library) }),
  ]),
);
