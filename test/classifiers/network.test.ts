import { runInNewContext } from 'node:vm';
import { AttemptTimeout, definePolicy, runWithRetry, unwrap } from 'retry-policy';
import { networkErrors, throughCause, unknownHosts } from 'retry-policy/classifiers';
import { virtualClock } from 'retry-policy/testing';
import { describe, expect, it, vi } from 'vitest';
import { says } from '../../src/classifiers/chain.js';
import { isNetworkFailure } from '../../src/classifiers/network.js';
import * as say from './thrown.js';

describe('a code', () => {
  it.each([
    ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN'],
    ...['ENETDOWN', 'ENETRESET', 'ENETUNREACH', 'EHOSTDOWN', 'EHOSTUNREACH'],
    ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET'],
    ...['ERR_STREAM_PREMATURE_CLOSE', 'ConnectionRefused', 'ConnectionClosed'],
  ])('%s is a failure that passes, on whatever object', (code) => {
    for (const error of [say.plain('', { code }), say.type('', { code }), { code }, Object.create({ code })]) {
      expect(networkErrors(error)).toBe('transient');
    }
  });

  it.each([
    ...[
      'ENOTFOUND',
      'EAI_FAIL',
      'EACCES',
      'EPERM',
      'EADDRINUSE',
      'EMFILE',
      'ENOENT',
      'EPROTO',
      'ERR_INVALID_URL',
      'econnreset',
      ' ECONNRESET',
    ],
    ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ...['UND_ERR_DESTROYED', 'UND_ERR_CLOSED', 'UND_ERR_INVALID_ARG', 'UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'],
    ...['HPE_INVALID_CONSTANT', 'ERR_BAD_RESPONSE', 'ERR_BAD_REQUEST', 'ERR_NON_2XX_3XX_RESPONSE', 'constructor', 'has', ''],
  ])('"%s" is none', (code) => {
    expect(networkErrors(say.plain('', { code }))).toBeUndefined();
  });

  it.each([104, 110, 111, -104, 23, 14, ['ECONNRESET'], { toString: () => 'ECONNRESET' }])('%j, which is no text, is none', (code) => {
    expect(networkErrors(say.plain('', { code }))).toBeUndefined();
  });
});

describe('a text of a fetch', () => {
  const texts: [engine: string, message: string][] = [
    ['Chromium', 'Failed to fetch'],
    ['Chromium, while it reads', 'network error'],
    ['Firefox', 'NetworkError when attempting to fetch resource.'],
    ['Safari', 'Load failed'],
    ['Safari, cut', 'The network connection was lost.'],
    ['Safari, offline', 'The Internet connection appears to be offline.'],
    ['Safari, late', 'The request timed out.'],
    ['Safari, refused', 'Could not connect to the server.'],
    ['React Native', 'Network request failed'],
    ['React Native, late', 'Network request timed out'],
    ['Deno, while it reads', 'error reading a body from connection'],
  ];
  // sindresorhus/p-retry#38, #42, #51: a missing full stop needed a new release
  const spellings: [string, (text: string) => string][] = [
    ['as it is', (text) => text],
    ['without its full stop', (text) => text.replace(/\.$/, '')],
    ['with a full stop', (text) => `${text.replace(/\.$/, '')}.`],
    ['in small letters', (text) => text.toLowerCase()],
    ['in capitals', (text) => text.toUpperCase()],
    ['with a host that an error tracker appended', (text) => `${text.replace(/\.$/, '')} (api.example.com)`],
    ['with an address', (text) => `${text.replace(/\.$/, '')} (https://api.example.com/a?b=(c)).`],
  ];

  it.each(texts.flatMap(([engine, text]) => spellings.map(([how, spell]) => [engine, how, spell(text)] as const)))(
    'of %s, %s, is known on a TypeError and on no other',
    (_, __, message) => {
      expect(networkErrors(new TypeError(message))).toBe('transient');
      expect(networkErrors({ name: 'TypeError', message })).toBe('transient');
      expect(networkErrors(new Error(message))).toBeUndefined();
      expect(networkErrors(new RangeError(message))).toBeUndefined();
      expect(networkErrors(message)).toBeUndefined();
    },
  );

  it('is known where it was made in another realm, and inside the error of a client', () => {
    expect(networkErrors(runInNewContext("new TypeError('Failed to fetch')"))).toBe('transient');
    expect(networkErrors(new Error('The model is out of reach', { cause: new TypeError('Failed to fetch') }))).toBe('transient'); // anomalyco/opencode#49426
  });

  it.each([
    'Failed to fetch dynamically imported module: https://example.com/assets/page-3fa2.js',
    'Failed to fetch dynamically imported module',
    'error loading dynamically imported module: https://example.com/page.js',
    'Importing a module script failed.',
    'Load failed: the file is no image',
    'Failed to fetch the profile of the user',
    "Failed to execute 'fetch' on 'Window': Invalid name",
    "Failed to execute 'fetch' on 'Window': Request with GET/HEAD method cannot have body.",
    'Could not: Failed to fetch',
    'Failed to fetch (',
    'Failed to fetch(api.example.com)',
    'Failed to fetch..',
    ' Failed to fetch',
    'Failed to fetch\nand more',
    'fetch failed',
    'terminated',
    'network errors',
    '',
  ])('is not "%s"', (message) => {
    expect(networkErrors(new TypeError(message))).toBeUndefined();
  });
});

describe('a TypeError that is a fault of the program', () => {
  it.each<[engine: string, message: string]>([
    ['V8', "Cannot read properties of undefined (reading 'fetch')"],
    ['V8', "Cannot read properties of null (reading 'network')"],
    ['V8', "Cannot set properties of undefined (setting 'status')"],
    ['V8', 'fetch is not a function'],
    ['V8', 'response.json is not a function'],
    ['V8', '(intermediate value).then is not a function'],
    ['V8', 'undefined is not iterable (cannot read property Symbol(Symbol.iterator))'],
    ['V8', 'Assignment to constant variable.'],
    ['V8', 'Converting circular structure to JSON'],
    ['V8', 'Body is unusable: Body has already been read'],
    ['V8', "Failed to execute 'json' on 'Response': body stream already read"],
    ['V8', 'Reduce of empty array with no initial value'],
    ['JSC', "undefined is not an object (evaluating 'response.network')"],
    ['JSC', "null is not an object (evaluating 'a.b')"],
    ['JSC', "fetch is not a function. (In 'fetch(url)', 'fetch' is undefined)"],
    ['JSC', 'Attempted to assign to readonly property.'],
    ['JSC', 'Body is disturbed or locked'],
    ['JSC', 'Spread syntax requires ...iterable not be null or undefined'],
    ['SpiderMonkey', 'can\'t access property "fetch", network is undefined'],
    ['SpiderMonkey', 'network is null'],
    ['SpiderMonkey', 'fetch is not a function'],
    ['SpiderMonkey', 'x is not a constructor'],
    ['SpiderMonkey', 'invalid assignment to const "failed"'],
    ['SpiderMonkey', 'Window.fetch: https://[bad is not a valid URL.'],
    ['SpiderMonkey', 'Response.json: Body has already been consumed.'],
    ['Hermes', "Cannot read property 'request' of undefined"],
    ['Hermes', 'undefined is not a function'],
  ])('of %s is unknown: %s', (_, message) => {
    expect(networkErrors(new TypeError(message))).toBeUndefined();
    expect(networkErrors(say.fetchFailed(new TypeError(message)))).toBeUndefined();
  });

  it('is unknown as the engine of the test throws it', () => {
    const faults = [() => (undefined as unknown as { a: number }).a, () => (5 as unknown as () => void)(), () => new Proxy(5 as never, {})];
    const thrown = faults.flatMap((fault) => {
      try {
        fault();
        return [];
      } catch (error) {
        return [error];
      }
    });
    expect(thrown).toHaveLength(faults.length);
    expect(thrown.map(networkErrors)).toEqual([undefined, undefined, undefined]);
  });
});

describe('a general word', () => {
  it.each<[string, unknown, 'transient' | undefined]>([
    ['fetch failed, alone', say.type('fetch failed'), undefined],
    ['fetch failed, over a certificate', say.fetchFailed(say.selfSigned()), undefined],
    ['fetch failed, over a reset', say.fetchFailed(say.reset()), 'transient'],
    ['ERR_NETWORK, alone', say.plain('Network Error', { code: 'ERR_NETWORK' }), 'transient'],
    ['ERR_NETWORK, with a cause of undefined', say.plain('Network Error', { code: 'ERR_NETWORK', cause: undefined }), 'transient'],
    ['ERR_NETWORK, over a certificate', say.plain('Network Error', { code: 'ERR_NETWORK', cause: say.selfSigned() }), undefined],
    ['ERR_NETWORK, over a fault of the program', say.plain('', { code: 'ERR_NETWORK', cause: new TypeError('x is null') }), undefined],
    ['ERR_NETWORK, over a reset', say.plain('Network Error', { code: 'ERR_NETWORK', cause: say.reset() }), 'transient'],
    ['a status of 500, over a certificate', { status: 500, cause: say.fetchFailed(say.selfSigned()) }, undefined],
    ['ERR_NETWORK, with a cause of null', say.plain('Network Error', { code: 'ERR_NETWORK', cause: null }), 'transient'],
    ['Failed to fetch, over a certificate', say.type('Failed to fetch', { cause: say.selfSigned() }), undefined],
    ['Failed to fetch, over a reset', say.type('Failed to fetch', { cause: say.reset() }), 'transient'],
    ['Failed to fetch, with a cause of null', say.type('Failed to fetch', { cause: null }), 'transient'],
    ['a lost connection, over a bad URL', say.plain('Network connection lost.', { cause: say.badUrl() }), undefined],
    ['Request timed out, over a certificate', say.plain('Request timed out.', { cause: say.selfSigned() }), undefined],
    ['that it can be retried', say.plain('internal error', { retryable: true }), undefined],
  ])('%s gets its verdict', (_, error, verdict) => {
    expect(networkErrors(error)).toBe(verdict);
  });
});

describe('a text of a client', () => {
  it.each(['Network connection lost.', 'network connection lost', 'stream has been aborted', 'Request timed out.', 'REQUEST TIMED OUT'])(
    '"%s" is known on any error',
    (message) => {
      expect(networkErrors(new Error(message))).toBe('transient');
    },
  );

  it.each([
    'Request timed out: GET http://localhost/',
    'The request timed out',
    'stream has been aborted by you',
    'Network connection lost..',
    'The network connection lost',
  ])('"%s" is not', (message) => {
    expect(networkErrors(new Error(message))).toBeUndefined();
  });
});

describe('a fault of Deno', () => {
  const deno = (fault: string) => say.plain(`error sending request for url (http://localhost/): client error ${fault}`);

  it.each<[fault: string, network: string | undefined, hosts: string | undefined]>([
    ['(Connect): tcp connect error: Connection refused (os error 111)', 'transient', undefined],
    ['(Connect): tcp connect error: No route to host (os error 113)', 'transient', undefined],
    ['(Connect): TCP connect error: deadline has elapsed', 'transient', undefined],
    ['(SendRequest): connection error: Connection reset by peer (os error 54)', 'transient', undefined],
    ['(SendRequest): connection closed before message completed', 'transient', undefined],
    ['(Connect): dns error: failed to lookup address information: Temporary failure in name resolution', 'transient', undefined],
    ['(Connect): dns error: failed to lookup address information: Name or service not known', undefined, 'transient'],
    ['(Connect): dns error: nodename nor servname provided, or not known', undefined, 'transient'],
    ['(Connect): DNS error: no record', undefined, 'transient'],
    ['(Connect): invalid peer certificate: UnknownIssuer', undefined, undefined],
    ['(SendRequest): invalid HTTP version parsed', undefined, undefined],
  ])('%s: network %s, host %s', (fault, network, hosts) => {
    for (const error of [deno(fault), say.fetchFailed(deno(fault)), say.type(deno(fault).message)]) {
      expect(networkErrors(error)).toBe(network);
      expect(unknownHosts(error)).toBe(hosts);
    }
  });

  it.each([
    'tcp connection',
    'a connection was closed',
    'connection resets',
    'the failure in name resolution was temporary',
    'the dns error page',
  ])('is not told by "%s"', (text) => {
    expect(networkErrors(new Error(text))).toBeUndefined();
    expect(unknownHosts(new Error(text))).toBeUndefined();
  });
});

describe('an unknown host', () => {
  const safari = 'A server with the specified hostname could not be found.';

  it.each<[string, unknown, 'transient' | undefined]>([
    ['by its code', say.noSuchHost(), 'transient'],
    ['by its code alone', { code: 'ENOTFOUND' }, 'transient'],
    ['inside a fetch', say.fetchFailed(say.noSuchHost()), 'transient'],
    ['of Safari', new TypeError(safari), 'transient'],
    ['of Safari, in small letters and without a full stop', new TypeError(safari.toLowerCase().replace('.', '')), 'transient'],
    ['of Safari, on another error', new Error(safari), undefined],
    ['in a text that only holds it', new TypeError(`Sorry: ${safari}`), undefined],
    ['of which DNS cannot tell', say.plain('', { code: 'EAI_AGAIN' }), undefined],
    ['that is known', say.refused(), undefined],
    ['among those that are known', new AggregateError([say.noSuchHost(), say.refused()]), undefined],
    ['in a text', new Error('getaddrinfo ENOTFOUND nowhere.invalid'), undefined],
  ])('%s gets its verdict', (_, error, verdict) => {
    expect(unknownHosts(error)).toBe(verdict);
  });

  it('is none of the failures that pass by themselves', () => {
    expect(networkErrors(say.noSuchHost())).toBeUndefined();
    expect(networkErrors(new TypeError(safari))).toBeUndefined();
  });
});

describe('time that is up', () => {
  it.each<[string, unknown]>([
    ['that of AbortSignal.timeout', say.timedOut()],
    ['that of got', say.named('TimeoutError', "Timeout awaiting 'request' for 150ms", { code: 'ETIMEDOUT' })],
    ['that of ky', say.named('TimeoutError', 'Request timed out: GET http://localhost/')],
    ['one of another realm', runInNewContext("Object.assign(new Error('late'), { name: 'TimeoutError' })")],
  ])('passes: %s', (_, error) => {
    expect(networkErrors(error)).toBe('transient');
  });

  // airplanedev/js-sdk#172, jonbern/fetch-retry#52: the caller's abort and a time limit looked the same
  it('is told from the abort of the caller: of three ends only that of one attempt is tried again', async () => {
    const outcomes = async (reason: unknown, retries: unknown) => {
      const task = vi.fn(() => Promise.reject(reason));
      const policy = definePolicy({ maxAttempts: 3, classify: networkErrors });
      const result = await runWithRetry(task, policy, { clock: virtualClock() });
      expect(task).toHaveBeenCalledTimes(retries as number);
      return result.ok ? 'ok' : result.reason;
    };
    expect(await outcomes(new AttemptTimeout('attempt', 10), 3)).toBe('attempts-exhausted');
    expect(await outcomes(say.timedOut(), 3)).toBe('attempts-exhausted');
    expect(await outcomes(say.aborted(), 1)).toBe('permanent');
  });
});

// expo/expo#50212
it('a plain Error that the network request failed is unknown until a rule says otherwise', async () => {
  const mobile = new Error('network request failed');
  expect(networkErrors(mobile)).toBeUndefined();
  const rule = throughCause((error) => (error instanceof Error && /network request failed/i.test(error.message) ? 'transient' : undefined));
  expect(rule(mobile)).toBe('transient');
  expect(rule(new Error('no prices today', { cause: mobile }))).toBe('transient');
  let left = 3;
  const task = () => {
    left -= 1;
    if (left > 0) throw mobile;
    return 'price';
  };
  expect(unwrap(await runWithRetry(task, { classify: [networkErrors, rule] }, { clock: virtualClock() }))).toBe('price');
});

it('what is asked of a single error is asked of its chain as well', () => {
  expect(says(say.fetchFailed(say.reset()), isNetworkFailure)).toBe(true);
  expect(says(say.fetchFailed(say.selfSigned()), isNetworkFailure)).toBe(false);
  expect(isNetworkFailure(say.fetchFailed(say.reset()))).toBe(false);
});

it('a general text counts beside a cause that is no error, as mocks of a network failure have it', () => {
  expect(networkErrors(new TypeError('Failed to fetch', { cause: new Response() }))).toBe('transient');
  expect(networkErrors(new TypeError('Failed to fetch', { cause: new Error('self-signed certificate') }))).toBeUndefined();
});
