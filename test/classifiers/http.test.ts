import { runInNewContext } from 'node:vm';
import { decide, runWithRetry, type Verdict } from 'retry-policy';
import { httpErrors, networkErrors, transientStatuses } from 'retry-policy/classifiers';
import { fixedRandom, frozenClock, overrideDefaults, virtualClock } from 'retry-policy/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as say from './thrown.js';

const classify = httpErrors();
const hint = (retryAfterMs: number) => ({ verdict: 'transient', retryAfterMs }) as const;
const answer = (status: number, headers: object = {}) => ({ status, headers });
const inTwo = { 'retry-after': '2' };

describe('a status', () => {
  it.each([...transientStatuses])('of %d passes', (status) => {
    expect(classify(answer(status))).toBe('transient');
    expect(classify(answer(status, inTwo))).toEqual(hint(2_000));
    expect(classify({ status })).toBe('transient');
  });

  it.each([
    200, 204, 301, 304, 400, 401, 403, 404, 405, 409, 410, 413, 422, 423, 424, 426, 428, 431, 451, 501, 505, 507, 508, 511, 520, 525, 530,
    599,
  ])('of %d does not', (status) => {
    expect(classify(answer(status))).toBeUndefined();
  });

  it.each([99, 100, 199, 600, 0, 1_503, -503, 503.5, Number.NaN, Infinity, '503', null, undefined, 503n, [503], Object(503)])(
    'of %s is none',
    (status) => {
      for (const error of [
        { status, headers: inTwo },
        { response: { status, headers: inTwo } },
        { $metadata: { httpStatusCode: status } },
      ]) {
        expect(classify(error)).toBeUndefined();
      }
    },
  );

  it('beside a cause is a general word: what is known of the cause counts', () => {
    const octokitSays = (cause: unknown) => say.named('HttpError', 'no answer', { status: 500, response: undefined, cause });
    expect(classify(octokitSays(say.selfSigned()))).toBeUndefined();
    expect(classify(octokitSays(say.fetchFailed(say.reset())))).toBeUndefined();
    expect(networkErrors(octokitSays(say.fetchFailed(say.reset())))).toBe('transient');
    expect(classify(octokitSays(answer(503, inTwo)))).toEqual(hint(2_000));
    expect(classify(octokitSays(answer(404)))).toBeUndefined();
    expect(classify(octokitSays(say.aborted()))).toBe('permanent');
  });

  it('of an answer is the last word on it, whatever its cause says', () => {
    expect(classify({ ...answer(404), cause: answer(503) })).toBeUndefined();
    expect(classify({ ...answer(503), cause: answer(404) })).toBe('transient');
    expect(classify({ response: answer(404), cause: answer(503) })).toBeUndefined();
  });

  it('of several requests passes if each does, and takes as long as the slowest', () => {
    const several = (...errors: unknown[]) => classify(new AggregateError(errors));
    expect(several(answer(503, inTwo), answer(429, { 'retry-after': '9' }), answer(503, { 'retry-after': '5' }))).toEqual(hint(9_000));
    expect(several(answer(503), answer(503, inTwo))).toEqual(hint(2_000));
    expect(several(answer(503), answer(500))).toBe('transient');
    expect(several(answer(503, inTwo), answer(404))).toBeUndefined();
    expect(several(answer(503, inTwo), say.reset())).toBeUndefined();
    expect(several(answer(503, inTwo), new AggregateError([answer(429, { 'retry-after': '7' }), answer(429)]))).toEqual(hint(7_000));
  });
});

describe('the statuses that are given', () => {
  it('count in place of the others', () => {
    const notFound = httpErrors({ statuses: [404, 599, 200] });
    expect([404, 599, 200, 503, 429].map((status) => notFound(answer(status)))).toEqual([
      ...['transient', 'transient', 'transient', undefined, undefined],
    ]);
    expect(notFound({ response: answer(404, inTwo) })).toEqual(hint(2_000));
  });

  it('may be none: then only the word of a server counts', () => {
    const none = httpErrors({ statuses: [] });
    expect(none(answer(503, inTwo))).toBeUndefined();
    expect(none(answer(503, { 'x-should-retry': 'true' }))).toBe('transient');
    expect(none(answer(413, inTwo))).toEqual(hint(2_000));
    expect(none(say.aborted())).toBe('permanent');
  });

  it('are read once', () => {
    const statuses = [503];
    const classify = httpErrors({ statuses });
    statuses.push(404);
    statuses.shift();
    expect(classify(answer(404))).toBeUndefined();
    expect(classify(answer(503))).toBe('transient');
  });

  it.each<[unknown, typeof TypeError | typeof RangeError, string]>([
    [{ statuses: [99] }, TypeError, 'statuses must be an array of HTTP statuses, got object'],
    [{ statuses: 503 }, TypeError, 'statuses must be an array of HTTP statuses, got 503'],
    [{ statuses: null }, TypeError, 'statuses must be an array of HTTP statuses, got null'],
    [{ now: 5 }, TypeError, 'now must be a function, got 5'],
    [{ now: null }, TypeError, 'now must be a function, got null'],
    [null, TypeError, 'options must be an object, got null'],
    ['503', TypeError, 'options must be an object, got "503"'],
    [{ status: [503] }, TypeError, 'unknown option status'],
    [{ statuses: ['503'], now: 'now' }, TypeError, 'got object; now must be a function, got "now"'],
  ])('and all options are checked: %j', (options, Fault, message) => {
    expect(() => httpErrors(options as never)).toThrow(Fault);
    expect(() => httpErrors(options as never)).toThrow(`invalid httpErrors options: `);
    expect(() => httpErrors(options as never)).toThrow(message);
  });

  it('may be undefined, as all options may', () => {
    for (const options of [undefined, {}, { statuses: undefined, now: undefined }]) {
      expect(httpErrors(options)(answer(503, inTwo))).toEqual(hint(2_000));
      expect(httpErrors(options)(answer(404))).toBeUndefined();
    }
  });
});

describe('a 413', () => {
  it.each<[string, object, Verdict | undefined]>([
    ['without a hint does not pass', {}, undefined],
    ['with a hint passes', inTwo, hint(2_000)],
    ['with a hint of 0 passes', { 'retry-after': '0' }, hint(0)],
    ['with a hint in milliseconds passes', { 'retry-after-ms': '1500' }, hint(1_500)],
    ['with a date passes', { date: 'Thu, 15 Jan 2026 01:00:00 GMT', 'retry-after': 'Thu, 15 Jan 2026 01:00:03 GMT' }, hint(3_000)],
    ['with a hint that is none does not pass', { 'retry-after': 'soon' }, undefined],
    ['with x-should-retry passes', { 'x-should-retry': 'true' }, 'transient'],
    ['with a hint and a no does not pass', { 'x-should-retry': 'false', ...inTwo }, 'permanent'],
  ])('%s', (_, headers, verdict) => {
    expect(classify(answer(413, headers))).toEqual(verdict);
    expect(httpErrors({ statuses: [404] })(answer(413, headers))).toEqual(verdict);
    expect(classify({ response: answer(413, headers) })).toEqual(verdict);
  });

  it('that is listed needs none', () => {
    expect(httpErrors({ statuses: [413] })(answer(413))).toBe('transient');
    expect(httpErrors({ statuses: [413] })(answer(413, inTwo))).toEqual(hint(2_000));
  });

  it('is alone in this', () => {
    expect([400, 404, 409, 412, 414, 301].map((status) => classify(answer(status, inTwo)))).toEqual(
      Array.from({ length: 6 }, () => undefined),
    );
  });
});

describe('x-should-retry', () => {
  it.each<[number, string, Verdict | undefined]>([
    [503, 'false', 'permanent'],
    [429, 'false', 'permanent'],
    [404, 'false', 'permanent'],
    [400, 'false', 'permanent'],
    [400, 'true', 'transient'],
    [404, ' true ', 'transient'],
    [409, 'true', 'transient'],
    [599, 'true', 'transient'],
    [399, 'true', undefined],
    [200, 'true', undefined],
    [200, 'false', undefined],
    [301, 'false', undefined],
    [503, 'maybe', 'transient'],
    [503, '', 'transient'],
    [404, 'maybe', undefined],
    [404, '1', undefined],
  ])('on a %d, as "%s": %j', (status, word, verdict) => {
    for (const name of ['x-should-retry', 'X-Should-Retry', 'X-SHOULD-RETRY']) {
      expect(classify(answer(status, { [name]: word }))).toEqual(verdict);
      expect(classify({ response: answer(status, new Headers({ [name]: word })) })).toEqual(verdict);
    }
  });

  it('comes with a wait, or without', () => {
    expect(classify(answer(409, { 'x-should-retry': 'true', ...inTwo }))).toEqual(hint(2_000));
    expect(classify(answer(503, { 'x-should-retry': 'false', ...inTwo }))).toBe('permanent');
  });

  it('that says no is heard deep inside as well, where nothing is said above', () => {
    const no = answer(503, { 'x-should-retry': 'false' });
    expect(classify({ status: 500, cause: no })).toBe('permanent');
    expect(classify(new AggregateError([answer(503)], '', { cause: no }))).toBe('transient');
    expect(classify(new AggregateError([answer(503), new Error('outer', { cause: no })]))).toBe('permanent');
    expect(networkErrors(no)).toBeUndefined();
  });
});

describe('a failure of AWS', () => {
  const aws = (name: string, httpStatusCode: number | undefined, more: object = {}) =>
    say.named(name, 'no', { $metadata: { httpStatusCode }, ...more });

  it.each([
    ...[
      'Throttling',
      'ThrottlingException',
      'ThrottledException',
      'RequestThrottled',
      'RequestThrottledException',
      'EC2ThrottledException',
    ],
    ...['TooManyRequestsException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'BandwidthLimitExceeded', 'SlowDown'],
    ...['TransactionInProgressException', 'PriorRequestNotComplete', 'RequestTimeout', 'RequestTimeoutException'],
  ])('named %s passes, whatever its status', (name) => {
    for (const status of [400, 403, 503, undefined]) expect(classify(aws(name, status))).toBe('transient');
    expect(classify(new Error('outer', { cause: aws(name, 400) }))).toBe('transient');
  });

  it('of such a name passes only if it comes from there', () => {
    expect(classify({ name: 'SlowDown' })).toBeUndefined();
    expect(classify({ name: 'SlowDown', ...answer(400) })).toBeUndefined();
    expect(classify({ name: 'SlowDown', $metadata: 'none' })).toBeUndefined();
  });

  it.each<[string, unknown, Verdict | undefined]>([
    ['that it calls retryable', aws('LimitExceeded', 400, { $retryable: {} }), 'transient'],
    ['that it calls throttled', aws('LimitExceeded', 400, { $retryable: { throttling: true } }), 'transient'],
    ['that it calls nothing', aws('LimitExceeded', 400, { $retryable: undefined }), undefined],
    ['whose word is no object', aws('LimitExceeded', 400, { $retryable: true }), undefined],
    ['that somebody else calls retryable', { $retryable: {}, ...answer(400) }, undefined],
    ['of a status that passes', aws('ServiceUnavailable', 503), 'transient'],
    ['with a hint', aws('ServiceUnavailable', 503, { $response: { headers: inTwo } }), hint(2_000)],
    ['throttled, with a hint', aws('SlowDown', 400, { $response: { headers: inTwo } }), hint(2_000)],
    ['that it calls retryable, with a hint', aws('X', 503, { $retryable: {}, $response: { headers: inTwo } }), hint(2_000)],
    [
      'that it calls retryable, and the server does not',
      aws('X', 400, { $retryable: {}, $response: { headers: { 'x-should-retry': 'false' } } }),
      'permanent',
    ],
    ['with a hint of no response', aws('ServiceUnavailable', 503, { headers: inTwo }), 'transient'],
    ['of a status that does not pass', aws('ResourceNotFoundException', 404), undefined],
    ['without a status', aws('TimeoutError', undefined), undefined],
    ['without a status, over a status', { ...aws('X', undefined), cause: answer(503) }, 'transient'],
    ['that was aborted', aws('AbortError', undefined, { $retryable: {} }), 'permanent'],
    ['named like a property of every object', aws('constructor', 400), undefined],
  ])('%s gets its verdict', (_, error, verdict) => {
    expect(classify(error)).toEqual(verdict);
  });
});

describe('the headers', () => {
  class AxiosHeaders {
    readonly 'Retry-After' = '2';
    get(name: string): unknown {
      return Object.entries(this).find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1];
    }
  }
  const foreign = () =>
    runInNewContext(`({ status: 503, headers: new (class { get(name) { return name === 'retry-after' ? '2' : null; } })() })`);

  // salto-io/salto#2672: the look-up was case-sensitive
  it.each<[string, unknown]>([
    ['of a Response', new Response(null, { status: 503, headers: inTwo })],
    ['of a Response of another realm', foreign()],
    ['of ky and ofetch', { response: new Response(null, { status: 503, headers: inTwo }) }],
    ['of axios', { response: { status: 503, headers: new AxiosHeaders() } }],
    ['of got', { response: { statusCode: 503, headers: inTwo } }],
    ['of Octokit', { status: 503, response: { status: 503, headers: inTwo } }],
    ['of OpenAI', { status: 503, headers: new Headers(inTwo) }],
    ['of AWS', { $metadata: { httpStatusCode: 503 }, $response: { headers: inTwo } }],
    ['in a Map', answer(503, new Map([['retry-after', '2']]))],
    ['in capitals', answer(503, { 'RETRY-AFTER': '2' })],
    ['as they stand in a message', answer(503, { 'Retry-After': '2' })],
    ['in a list of one', answer(503, { 'retry-after': ['2'] })],
    ['with blanks', answer(503, { 'retry-after': ' 2 ' })],
    ['without a prototype', answer(503, Object.assign(Object.create(null), inTwo))],
  ])('%s are read', (_, error) => {
    expect(classify(error)).toEqual(hint(2_000));
    expect(classify(new Error('import failed', { cause: error }))).toEqual(hint(2_000));
  });

  it.each<[string, object, Verdict]>([
    ['a fraction of a millisecond is rounded up', { 'retry-after-ms': '1.4' }, hint(2)],
    ['milliseconds count before seconds', { 'retry-after-ms': '1200', ...inTwo }, hint(1_200)],
    ['a number with letters is no hint', { 'retry-after': '1000abc' }, 'transient'], // open-telemetry/opentelemetry-js#7010
    ['nor is a negative one', { 'retry-after': '-5' }, 'transient'],
    ['three days are three days', { 'retry-after': '277403' }, hint(277_403_000)],
    ['a reset counts where nothing remains', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '30' }, hint(30_000)],
    ['and not where something does', { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '30' }, 'transient'],
  ])('%s', (_, headers, verdict) => {
    expect(classify(answer(429, headers))).toEqual(verdict);
  });
});

describe('an instant', () => {
  const at = Date.UTC(2026, 0, 15, 1);
  const date = new Date(at).toUTCString();
  const inTwoMinutes = new Date(at + 120_000).toUTCString();
  const made: { restore(): void }[] = [];
  afterEach(() => {
    for (const override of made.splice(0)) override.restore();
  });

  // elizaOS/eliza#22162: a date became an instant retry, or was dropped
  it('is measured on the wall clock that is given', () => {
    const headers = { 'retry-after': inTwoMinutes };
    expect(httpErrors({ now: () => at })(answer(503, headers))).toEqual(hint(120_000));
    expect(httpErrors({ now: () => at + 30_000 })(answer(503, headers))).toEqual(hint(90_000));
    expect(httpErrors({ now: () => at + 500_000 })(answer(503, headers))).toEqual(hint(0));
    expect(httpErrors({ now: () => Number.NaN })(answer(503, headers))).toBe('transient');
  });

  it('is measured on the clock of the server, if that tells its time', () => {
    const classify = httpErrors({ now: () => at + 500_000 });
    expect(classify(answer(503, { date, 'retry-after': inTwoMinutes }))).toEqual(hint(120_000));
    expect(classify(answer(503, { Date: date, 'Retry-After': inTwoMinutes }))).toEqual(hint(120_000));
    expect(classify(answer(503, { date: 'today', 'retry-after': inTwoMinutes }))).toEqual(hint(0));
  });

  it('is measured on the wall clock as it is then', () => {
    const now = vi.fn(() => at);
    const classify = httpErrors({ now });
    expect(now).not.toHaveBeenCalled();
    classify(answer(503, { 'retry-after': inTwoMinutes }));
    now.mockReturnValue(at + 60_000);
    expect(classify(answer(503, { 'retry-after': inTwoMinutes }))).toEqual(hint(60_000));
  });

  it('is measured on the clock of a test, where one stands in for the defaults', () => {
    const before = httpErrors();
    made.push(overrideDefaults({ clock: frozenClock(at) }));
    for (const classify of [before, httpErrors()]) expect(classify(answer(503, { 'retry-after': inTwoMinutes }))).toEqual(hint(120_000));
  });

  it('that is past long since is no wait', () => {
    expect(classify(answer(503, { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }))).toEqual(hint(0));
  });
});

describe('the wait that an answer asks for', () => {
  const random = fixedRandom(0);

  // earendil-works/pi#6911: three days were slept; hashicorp/go-retryablehttp#283: hints know no ceiling
  it.each([
    ['277403', 277_403_000],
    ['86400', 86_400_000],
  ])('of %s s is not waited for, and told', async (seconds, retryAfterMs) => {
    const clock = virtualClock();
    const startedAt = clock.now();
    const task = vi.fn(() => Promise.reject(answer(429, { 'retry-after': seconds })));
    const result = await runWithRetry(task, { classify: httpErrors() }, { clock });
    expect(result).toMatchObject({ ok: false, reason: 'retry-after-too-long', attempts: 1 });
    expect(result.log.at(-1)).toMatchObject({ retryAfterMs });
    expect(clock.now()).toBe(startedAt);
  });

  it('is a floor to the next attempt', () => {
    const decideOn = (error: unknown) => decide({ attempt: 1, error, elapsedMs: 0 }, { classify: httpErrors() }, { now: 0, random });
    expect(decideOn(answer(429, inTwo))).toMatchObject({ action: 'retry', delayMs: 2_000, judgedBy: 'classifier' });
    expect(decideOn(answer(429, { 'retry-after': '0' }))).toMatchObject({ action: 'retry', delayMs: 0 });
    expect(decideOn(answer(404, inTwo))).toMatchObject({ action: 'dead-letter', reason: 'permanent' });
  });

  // sindresorhus/ky#473: the statuses with a hint were hard-wired
  it('counts with whatever status', () => {
    expect(httpErrors({ statuses: [425] })(answer(425, inTwo))).toEqual(hint(2_000));
    expect(httpErrors({ statuses: [418] })(answer(418, inTwo))).toEqual(hint(2_000));
  });
});

// octokit/plugin-retry.js#499, toss/es-toolkit#1268: a status alone is not enough
it('a classifier that is asked before sees the whole failure, and tells one body from another', () => {
  const withBody = (code: string) => ({ response: { ...answer(429), data: { code } } });
  const quota = (error: unknown) => ((error as ReturnType<typeof withBody>).response.data.code === 'quota' ? 'permanent' : undefined);
  const reasonOf = (error: unknown) =>
    decide({ attempt: 1, error, elapsedMs: 0 }, { classify: [quota, httpErrors()] }, { now: 0, random: fixedRandom(0) }).action;
  expect(reasonOf(withBody('busy'))).toBe('retry');
  expect(reasonOf(withBody('quota'))).toBe('dead-letter');
});
