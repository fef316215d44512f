import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter, type ResponseHeaders } from '../../src/classifiers/retry-after.js';

/** Sun, 06 Nov 1994 08:49:37 GMT */
const now = 784_111_777_000;
const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
const longest = Number.MAX_SAFE_INTEGER;

type Plain = Record<string, string | readonly string[] | undefined>;
const hintOf = (headers: Plain, at = now) => parseRetryAfter(headers, at);

describe('Retry-After', () => {
  it.each<[string, number]>([
    ['120', 120_000],
    ['0', 0],
    ['000', 0],
    ['007', 7_000],
    [' 10 ', 10_000],
    ['300', 300_000],
    ['86400', 86_400_000],
    ['277403', 277_403_000],
    ['9007199254740', 9_007_199_254_740_000],
    ['9007199254741', longest],
    ['9'.repeat(400), longest],
    ['Sun, 06 Nov 1994 08:50:07 GMT', 30_000],
    ['Sunday, 06-Nov-94 08:50:07 GMT', 30_000],
    ['Sun Nov  6 08:50:07 1994', 30_000],
    ['Tue, 06 Nov 1994 08:50:07 GMT', 30_000],
    ['\tSun, 06 Nov 1994 08:50:07 GMT ', 30_000],
    ['Mon, 07 Nov 1994 08:49:37 GMT', 86_400_000],
    ['Monday, 07-Nov-45 08:49:37 GMT', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['Sun, 06 Nov 1994 08:49:36 GMT', 0],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 252_618_189_022_000],
  ])('of %j is a wait of %i ms', (value, ms) => {
    expect(hintOf({ 'Retry-After': value })).toBe(ms);
    expect(hintOf({ 'Retry-After': value, date }, 0)).toBe(ms);
  });

  it.each([
    ...['', ' ', '1000abc', '120 s', '120s', '+5', '-1', '-0', '1.5', '5.', '.5', '1e3', '0x10', '1_000', '1,000', '٣', 'NaN', 'Infinity'],
    ...['5, 10', '5,', '"5"', 'true', 'undefined', 'null', 'PT5S', '2030-01-01T00:00:00Z', 'Sun, 06 Nov 1994 25:00:00 GMT'],
    ...['Thu, 31 Feb 1994 08:49:37 GMT', `${date}, ${date}`, `${date} `.repeat(2), '5\n6'],
  ])('of %j is no hint', (value) => {
    expect(hintOf({ 'Retry-After': value })).toBeUndefined();
  });

  it('given as a date ends sooner the later it is read', () => {
    const headers = { 'retry-after': 'Sun, 06 Nov 1994 08:51:37 GMT' };
    expect(hintOf(headers)).toBe(120_000);
    expect(hintOf(headers, now + 30_000)).toBe(90_000);
    expect(hintOf(headers, now + 30_000.5)).toBe(90_000);
    expect(hintOf(headers, now + 120_001)).toBe(0);
  });

  it('given twice is no hint', () => {
    expect(hintOf({ 'retry-after': ['5', '10'] })).toBeUndefined();
    expect(hintOf({ 'retry-after': ['Sun', ' 06 Nov 1994 08:50:07 GMT'] })).toBeUndefined();
    expect(hintOf({ 'retry-after': '5', 'Retry-After': '10' })).toBeUndefined();
    expect(parseRetryAfter(new Headers([['retry-after', '5'], ['retry-after', '10']]), now)).toBeUndefined(); // biome-ignore format: pairs
  });

  it.each<[string, unknown]>([
    ['Headers', new Headers({ 'Retry-After': '7' })],
    ['a plain object', { 'Retry-After': '7' }],
    ['a plain object in lower case', { 'retry-after': '7' }],
    ['an array of one', { 'RETRY-AFTER': ['7'] }],
    ['a Map', new Map([['retry-after', '7']])],
    ['any get', { get: (name: string) => (name.toLowerCase() === 'retry-after' ? '7' : undefined) }],
    ['a plain object with a header named get', { get: '9', 'Retry-After': '7' }],
  ])('is found in %s', (_, headers) => {
    expect(parseRetryAfter(headers as ResponseHeaders, now)).toBe(7_000);
  });
});

describe.each(['retry-after-ms', 'x-ms-retry-after-ms'])('%s', (name) => {
  it.each<[string, number]>([
    ['1000', 1_000],
    ['1.4', 2],
    ['1.0', 1],
    ['0.001', 1],
    ['0', 0],
    ['0.0', 0],
    [' 15 ', 15],
    ['9007199254740993', longest],
    ['9'.repeat(400), longest],
  ])('of %j is a wait of %i ms', (value, ms) => {
    expect(hintOf({ [name]: value })).toBe(ms);
  });

  it.each(['', '-1', '1e3', '5ms', '1.', '.5', '1.2.3', '5, 5', 'NaN', 'Infinity', date])('of %j is no hint', (value) => {
    expect(hintOf({ [name]: value })).toBeUndefined();
  });
});

describe('RateLimit', () => {
  it.each<[string, number]>([
    ['"default";r=0;t=30', 30_000],
    ['default;r=0;t=30', 30_000],
    ['"default"; r=0 ; t=30', 30_000],
    ['"default";t=30;r=0', 30_000],
    ['"default";r=0;t=0', 0],
    ['"default";r=0;t=1.5', 1_500],
    ['"default";r=0;t=0.0001', 1],
    ['"default";r=0;t=16.1', 16_100],
    ['"default";r=0;t=30;pk=:cHsdsRa894==:', 30_000],
    ['"default";r=0;t=30;pk="a;r=9, b";q', 30_000],
    ['"a, b;r=5";r=0;t=30', 30_000],
    ['"a\\", \\"b";r=0;t=30', 30_000],
    ['"a\\\\";r=0;t=30', 30_000],
    ['"default";r=5;r=0;t=9;t=30', 30_000],
    ['"a\\"b";r=0;t=30', 30_000],
    ['"a";r=0;t=784111807', 784_111_807_000],
  ])('of %j is a wait of %i ms', (value, ms) => {
    expect(hintOf({ RateLimit: value })).toBe(ms);
    expect(parseRetryAfter(new Headers({ RateLimit: value }), now)).toBe(ms);
  });

  it.each([
    ...['"default";r=1;t=30', '"a";r=5;t=1, "b";r=1;t=9', '"default";t=30', '"default";r=0', '"default"', 'r=0;t=30', '";r=0;t=30', ''],
    ...['"a";r=0;t=1, "b";r=0;t=9', '"a";r=0;t=9,"b";r=0;t=1', '"a";r=0, "b";r=0;t=9', '"a";r=5;t=100, "b";r=0;t=9'],
    ...['"default";r=0;t=-1', '"default";r=0;t=abc', '"default";r=-1;t=30', '"default";r=;t=30', '"default";r=0;t=30;', ';r=0;t=30'],
    ...['"default";r=0;t=30, ', ', "default";r=0;t=30', '"default" r=0;t=30', '"default";r=0;t=30 s', '"a" "b";r=0;t=30', '"a;r=0;t=30'],
    ...['"default";r=0;t=30;q=', '"default";r=0;t=30;q=a b', '"default";r=0;t=30;q r'],
    ...['"default";r=0;t="30', '"default";r="0";t=30', '"default";r=0;t=30, "b', '"default";r = 0;t=30', '30', '0, 30'],
    ...['limit=100, remaining=0, reset=50', 'limit=100,remaining=0,reset=50', 'remaining=0, reset=50'],
    ...['limit=100, remaining=1, reset=50', 'limit=100, remaining=0', 'limit=100, reset=50', 'limit=100, remaining=0, reset=50 s'],
    ...['"a";r=1, b=2;r=0;t=9', 'limit=100;w=60, remaining=0, reset=50', 'limit=100; remaining=0; reset=50'],
    ...['remaining=0, reset=5, remaining=0, reset=50', 'limit=100, remaining=0, reset=5, limit=100, remaining=0, reset=50'],
    ...['limit=100 remaining=0 reset=50', 'limit=100, remaining=0, reset=50,', 'limit=100, remaining=0, reset=-50'],
  ])('of %j is no hint', (value) => {
    expect(hintOf({ RateLimit: value })).toBeUndefined();
  });
});

describe.each(['RateLimit', 'x-ratelimit', 'X-RateLimit'])('%s-Reset', (prefix) => {
  const reset = (value: string, remaining: string | readonly string[] | undefined = '0') => ({
    [`${prefix}-Remaining`]: remaining,
    [`${prefix}-Reset`]: value,
  });

  it.each<[string, number]>([
    ['50', 50_000],
    ['0', 0],
    ['1.5', 1_500],
    ['0.0004', 1],
    ['999999999', 999_999_999_000],
    ['999999999.9999', 1_000_000_000_000],
    ['1000000000', 0],
    ['1700000030', 30_000],
    ['1700000000.0701', 71],
    ['1699999999', 0],
    ['999999999999', 998_299_999_999_000],
    ['1000000000000', 0],
    ['1700000030000', 30_000],
    ['1700000000000.5', 1],
    ['1699999999999', 0],
    ['9'.repeat(400), longest],
  ])('of %j is a wait of %i ms where nothing remains', (value, ms) => {
    expect(hintOf(reset(value), 1_700_000_000_000)).toBe(ms);
    expect(hintOf({ ...reset(value), Date: 'Tue, 14 Nov 2023 22:13:20 GMT' }, 5)).toBe(ms);
  });

  it.each(['0', '00', '0.0', ' 0 '])('counts where %j remain', (remaining) => {
    expect(hintOf(reset('50', remaining))).toBe(50_000);
  });

  it.each<[string | readonly string[] | undefined]>([
    ['1'],
    ['0.5'],
    ['-1'],
    ['-0'],
    [''],
    ['none'],
    ['0, 0'],
    [['0', '0']],
    [[]],
    [undefined],
  ])('does not count where %j remain', (remaining) => {
    expect(hintOf({ ...reset('50'), [`${prefix}-Remaining`]: remaining })).toBeUndefined();
  });

  it.each(['', '-1', '5s', '1e3', '6m0s', date, '2030-01-01T00:00:00Z', '5, 5', 'NaN'])('of %j is no hint', (value) => {
    expect(hintOf(reset(value))).toBeUndefined();
  });
});

it('does not mix the reset of one family with the rest of another', () => {
  expect(hintOf({ 'ratelimit-remaining': '0', 'x-ratelimit-reset': '5' })).toBeUndefined();
  expect(hintOf({ 'x-ratelimit-remaining': '0', 'ratelimit-reset': '5' })).toBeUndefined();
});

describe('of several hints', () => {
  const all: readonly [Plain, number, Plain][] = [
    [{ 'retry-after-ms': '1' }, 1, { 'retry-after-ms': '1 ms' }],
    [{ 'x-ms-retry-after-ms': '2' }, 2, { 'x-ms-retry-after-ms': '-2' }],
    [{ 'retry-after': '3' }, 3_000, { 'retry-after': '3.5' }],
    [{ ratelimit: '"a";r=0;t=4' }, 4_000, { ratelimit: '"a";r=1;t=4' }],
    [{ 'ratelimit-remaining': '0', 'ratelimit-reset': '5' }, 5_000, { 'ratelimit-remaining': '1', 'ratelimit-reset': '5' }],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '6' }, 6_000, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' }],
  ];

  it.each(all.map(([, ms], place) => [ms, place] as const))(
    'that of %i ms comes before all after it, and the invalid ones fall through',
    (ms, place) => {
      const headers = Object.assign({}, ...all.map(([valid, , invalid], at) => (at < place ? invalid : valid)));
      expect(hintOf(headers)).toBe(ms);
      expect(parseRetryAfter(new Headers(headers), now)).toBe(ms);
    },
  );

  it('none is left where all are invalid', () => {
    expect(hintOf(Object.assign({}, ...all.map(([, , invalid]) => invalid)))).toBeUndefined();
  });

  it('a wait of 0 counts as well as any', () => {
    expect(hintOf({ 'retry-after-ms': '0', 'retry-after': '3' })).toBe(0);
    expect(Object.is(hintOf({ 'retry-after': date }, now + 0.5), 0)).toBe(true);
  });
});

describe('the Date of the answer', () => {
  const at = { 'retry-after': 'Sun, 06 Nov 1994 08:50:07 GMT' };

  it.each([date, 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994', ` ${date} `])(
    '%j is what an instant is measured against',
    (value) => {
      expect(hintOf({ ...at, Date: value }, now + 3_600_000)).toBe(30_000);
    },
  );

  it('at the start of 1970 is as good as any', () => {
    expect(hintOf({ date: 'Thu, 01 Jan 1970 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 1970 00:00:09 GMT' })).toBe(9_000);
  });

  it.each([['yesterday'], [''], [`${date}, ${date}`], [[date, date]], ['Thu, 31 Feb 1994 08:49:37 GMT'], ['784111777']])(
    '%j is none, so that the local clock is asked',
    (value) => {
      expect(hintOf({ ...at, Date: value }, now + 10_000)).toBe(20_000);
    },
  );

  it('tells what a year of two digits means', () => {
    const headers = { date: 'Tue, 14 Nov 2073 22:13:20 GMT', 'retry-after': 'Tuesday, 14-Nov-99 22:13:20 GMT' };
    expect(hintOf({ ...headers }, 0)).toBe(9_496 * 86_400_000);
  });

  it('does not matter for a wait that is no instant', () => {
    expect(hintOf({ 'retry-after': '5', date: 'Thu, 01 Jan 1970 00:00:00 GMT' })).toBe(5_000);
    expect(hintOf({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '5', date: 'Thu, 01 Jan 1970 00:00:00 GMT' })).toBe(5_000);
  });
});

it.each([NaN, Infinity, -Infinity, undefined, null, 'now', 5n, Symbol('now'), {}, new Proxy({}, {})])(
  'needs no local clock for a wait: %s',
  (clock) => {
    const ask = (headers: Plain) => parseRetryAfter(headers, clock as number);
    expect(ask({ 'retry-after': '5' })).toBe(5_000);
    expect(ask({ date, 'retry-after': 'Sun, 06 Nov 1994 08:50:07 GMT' })).toBe(30_000);
    expect(ask({ 'retry-after': 'Sun, 06 Nov 1994 08:50:07 GMT' })).toBeUndefined();
    expect(ask({ 'retry-after': 'Sunday, 06-Nov-94 08:50:07 GMT' })).toBeUndefined();
    expect(ask({ ratelimit: '"a";r=0;t=1700000000' })).toBeUndefined();
    expect(ask({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1700000000' })).toBeUndefined();
  },
);

describe('whatever comes', () => {
  const names = [
    'retry-after-ms',
    'x-ms-retry-after-ms',
    'retry-after',
    'date',
    'ratelimit',
    'ratelimit-remaining',
    'ratelimit-reset',
    'get',
  ];
  const value = fc.oneof(
    fc.stringMatching(/^[\d., ]*$/),
    fc.stringMatching(/^"?[a-z]*"?(; ?[a-z]{1,3}=?[\d."\\]*){0,3}(, ?[a-z]+(; ?[rt]=\d+)*)?$/),
    fc.stringMatching(/^(Sun|Mon|Foo),? ?\d* [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/),
    fc.anything(),
  );
  const headers = fc.oneof(
    fc.dictionary(fc.constantFrom(...names), value),
    fc.anything({ withNullPrototype: true, withMap: true, withBigInt: true }),
  );
  const isHint = (hint: unknown) => hint === undefined || (Number.isSafeInteger(hint) && (hint as number) >= 0 && !Object.is(hint, -0));

  it('the answer is a wait or nothing, and no error', () => {
    fc.assert(
      fc.property(headers, fc.oneof(fc.double(), fc.anything()), (bag, clock) => {
        expect(isHint(parseRetryAfter(bag as ResponseHeaders, clock as number))).toBe(true);
        expect(isHint(parseRetryAfter({ get: (name: string) => (bag as Plain)?.[name] } as never, clock as number))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('headers longer than any server sends end in no error', () => {
    expect(hintOf({ ratelimit: `${'a;r=0;t=1,'.repeat(10_000)}a;r=0;t=2` })).toBeUndefined();
    expect(hintOf({ ratelimit: `"${'\\\\'.repeat(50_000)};r=0;t=2` })).toBeUndefined();
    expect(hintOf({ ratelimit: `a${';r=0'.repeat(10_000)};t=5` })).toBe(5_000);
    expect(hintOf({ ratelimit: `${'limit=1,'.repeat(10_000)}remaining=0,reset=5` })).toBeUndefined();
    expect(
      hintOf({ ratelimit: '"\\'.repeat(50_000), 'retry-after': `${'9'.repeat(100_000)}x`, date: `Sun${' '.repeat(100_000)}` }),
    ).toBeUndefined();
  });

  it.each([undefined, null, 5, 'retry-after: 5', Symbol('headers'), () => {}, []])('%s holds no hint', (bag) => {
    expect(parseRetryAfter(bag as never, now)).toBeUndefined();
  });
});

describe('a wrong local clock', () => {
  const clock = fc.oneof(fc.double(), fc.integer({ min: -1e15, max: 1e15 }));
  const second = fc.integer({ min: 0, max: 4_102_444_800 });
  const wait = fc.integer({ min: 0, max: 1_000_000 });
  const text = (at: number) => new Date(at * 1_000).toUTCString();

  it('does not change the hint of an answer with a Date', () => {
    fc.assert(
      fc.property(second, wait, clock, (sentAt, seconds, skewed) => {
        const sent = { date: text(sentAt) };
        const epoch = 1e9 + sentAt;
        const later = { date: text(epoch), 'x-ratelimit-remaining': '0' };
        expect(hintOf({ ...sent, 'retry-after': text(sentAt + seconds) }, skewed)).toBe(seconds * 1_000);
        expect(hintOf({ ...later, 'x-ratelimit-reset': `${epoch + seconds}` }, skewed)).toBe(seconds * 1_000);
        expect(hintOf({ ...later, 'x-ratelimit-reset': `${epoch + seconds}000` }, skewed)).toBe(seconds * 1_000);
      }),
    );
  });
});
