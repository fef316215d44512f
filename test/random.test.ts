import { webcrypto } from 'node:crypto';
import fc from 'fast-check';
import { cryptoRandom, type RandomSource, randomFrom } from 'retry-policy';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { randomUuid, uniformFrom } from '../src/random.js';

const { MAX_SAFE_INTEGER } = Number;
const ALL_ONES = 0xffffffff;

/** How far the counts are from an even distribution: Pearson's chi-square. */
function unevenness(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

/** How often each of `parts` equal parts of the range was hit. */
function countsOf(random: RandomSource, [min, max]: readonly [number, number], parts: number, draws: number): number[] {
  const counts = Array.from({ length: parts }, () => 0);
  for (let i = 0; i < draws; i++) {
    const part = Math.floor(((random(min, max) - min) / (max - min + 1)) * parts);
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}

/** The pool begins anew, so that what the platform offers can be changed before the first draw; no other file gets this copy. */
async function freshRandom() {
  vi.resetModules();
  const fresh = await import('../src/random.js');
  vi.resetModules();
  return fresh;
}

const malformedRanges: [unknown, unknown, ErrorConstructor][] = [
  [5, 1, RangeError],
  [0.5, 2, RangeError],
  [0, 2.5, RangeError],
  [NaN, 1, RangeError],
  [0, NaN, RangeError],
  [0, Infinity, RangeError],
  [-Infinity, 0, RangeError],
  [0, MAX_SAFE_INTEGER + 1, RangeError],
  [-1, MAX_SAFE_INTEGER, RangeError], // wider than 2^53 - 1
  [-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER, RangeError],
  ['0', 1, TypeError],
  [0, '1', TypeError],
  [undefined, 1, TypeError],
  [0, undefined, TypeError],
];

const ranges = fc.oneof(
  fc.tuple(fc.integer({ min: -1_000, max: 1_000 }), fc.integer({ min: 0, max: 1_000 })),
  fc.tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 1_000 })),
  fc.tuple(fc.constantFrom(0, 1, -1, -MAX_SAFE_INTEGER), fc.maxSafeInteger().map(Math.abs)),
);

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('cryptoRandom', () => {
  it('draws integers of the range, both ends included', () => {
    const drawn = new Set(Array.from({ length: 2_000 }, () => cryptoRandom(-2, 3)));
    expect([...drawn].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2, 3]);
  });

  it('stays in whatever range is asked for', () => {
    fc.assert(
      fc.property(ranges, ([min, width]) => {
        const max = Math.min(min + width, MAX_SAFE_INTEGER);
        const drawn = cryptoRandom(min, max);
        expect(drawn).toSatisfy(Number.isSafeInteger);
        expect(drawn).toBeGreaterThanOrEqual(min);
        expect(drawn).toBeLessThanOrEqual(max);
      }),
      { numRuns: 500 },
    );
  });

  it('knows one answer to a range of one number', () => {
    for (const only of [0, -7, MAX_SAFE_INTEGER, -MAX_SAFE_INTEGER]) expect(cryptoRandom(only, only)).toBe(only);
  });

  // The limits of chi-square are such that an even source fails once in 10^10 runs.
  it.each([
    ['six sides', [1, 6], 6, 55.6],
    ['a power of two', [0, 15], 16, 79.1],
    ['the waits of a policy', [0, 59_999], 10, 65.8],
    ['what one word holds', [0, ALL_ONES], 16, 79.1],
    ['the widest range', [0, MAX_SAFE_INTEGER], 16, 79.1],
    ['the widest range about zero', [-(2 ** 52), 2 ** 52 - 1], 16, 79.1],
    ['three quarters of all words, where a plain remainder would hit the first third in half of all draws', [0, 3 * 2 ** 51 - 1], 3, 46.1],
  ] as const)('draws evenly from %s', (_name, range, parts, limit) => {
    expect(unevenness(countsOf(cryptoRandom, range, parts, 12_000))).toBeLessThan(limit);
  });

  it('reaches odd and even numbers of the widest range', () => {
    const parities = Array.from({ length: 100 }, () => cryptoRandom(0, MAX_SAFE_INTEGER) % 2);
    expect(new Set(parities)).toEqual(new Set([0, 1]));
  });

  it.each(malformedRanges)('refuses the range %s to %s', (min, max, Fault) => {
    expect(() => cryptoRandom(min as number, max as number)).toThrow(Fault);
    expect(() => cryptoRandom(min as number, max as number)).toThrow(/^(min|max) must be a safe integer.*, got /);
  });
});

describe('Web Crypto', () => {
  it('is asked once for many draws', async () => {
    const getRandomValues = vi.fn((words: Uint32Array<ArrayBuffer>) => webcrypto.getRandomValues(words));
    vi.stubGlobal('crypto', { getRandomValues });
    const fresh = await freshRandom();
    expect(getRandomValues).not.toHaveBeenCalled();
    for (let i = 0; i < 100; i++) fresh.cryptoRandom(0, 60_000);
    expect(getRandomValues).toHaveBeenCalledOnce();
  });

  it('is asked again when its words are used up, and no word is used twice', async () => {
    let words = 0;
    const getRandomValues = vi.fn((pool: Uint32Array) => pool.set(pool.map(() => words++)));
    vi.stubGlobal('crypto', { getRandomValues });
    const fresh = await freshRandom();
    const drawn = Array.from({ length: 1_000 }, () => fresh.cryptoRandom(0, MAX_SAFE_INTEGER));
    expect(new Set(drawn).size).toBe(1_000);
    expect(getRandomValues.mock.calls.length).toBeGreaterThan(1);
  });

  it('is called as a method, as browsers demand', async () => {
    const receivers: unknown[] = [];
    const crypto = {
      getRandomValues(words: Uint32Array<ArrayBuffer>) {
        receivers.push(this);
        return webcrypto.getRandomValues(words);
      },
    };
    vi.stubGlobal('crypto', crypto);
    (await freshRandom()).cryptoRandom(0, 1);
    expect(receivers).toEqual([crypto]);
  });

  it('that fails makes the draw fail, and the next draw ask again', async () => {
    const exhausted = new Error('no entropy');
    const getRandomValues = vi
      .fn((words: Uint32Array<ArrayBuffer>) => webcrypto.getRandomValues(words))
      .mockImplementationOnce(() => {
        throw exhausted;
      });
    vi.stubGlobal('crypto', { getRandomValues });
    const fresh = await freshRandom();
    expect(() => fresh.cryptoRandom(0, 9)).toThrow(exhausted);
    expect(fresh.cryptoRandom(0, 9)).toBeLessThanOrEqual(9);
    expect(getRandomValues).toHaveBeenCalledTimes(2);
  });

  it('leaves Math.random alone', async () => {
    const fresh = await freshRandom();
    const unit = vi.spyOn(Math, 'random');
    fresh.cryptoRandom(0, 60_000);
    expect(unit).not.toHaveBeenCalled();
  });

  describe.each([
    ['there is none', undefined],
    ['it has no random values', {}],
  ])('where %s', (_name, crypto) => {
    it('Math.random makes the words, as evenly', async () => {
      vi.stubGlobal('crypto', crypto);
      const fresh = await freshRandom();
      const unit = vi.spyOn(Math, 'random');
      expect(unevenness(countsOf(fresh.cryptoRandom, [1, 6], 6, 12_000))).toBeLessThan(55.6);
      expect(unevenness(countsOf(fresh.cryptoRandom, [0, ALL_ONES], 16, 12_000))).toBeLessThan(79.1);
      expect(unevenness(countsOf(fresh.cryptoRandom, [0, MAX_SAFE_INTEGER], 16, 12_000))).toBeLessThan(79.1);
      expect(unit).toHaveBeenCalled();
      expect(fresh.randomUuid()).toMatch(/^[-0-9a-f]{36}$/);
    });
  });
});

describe('uniformFrom', () => {
  const scripted = (...words: number[]) => {
    const word = vi.fn(() => words.shift() ?? expect.fail('more words were drawn than there are'));
    return { word, random: uniformFrom(word), left: words };
  };

  it.each([
    ['the lowest number of the lowest words', [0, 0], [0, MAX_SAFE_INTEGER], 0],
    ['the highest number of the highest words', [ALL_ONES, ALL_ONES], [0, MAX_SAFE_INTEGER], MAX_SAFE_INTEGER],
    ['the same number of signed words', [-1, -1], [0, MAX_SAFE_INTEGER], MAX_SAFE_INTEGER],
    ['a number from the lower word', [0, 0x80000001], [0, MAX_SAFE_INTEGER], 2_147_483_649],
    ['the same number from a signed lower word', [0, 0x80000001 | 0], [0, MAX_SAFE_INTEGER], 2_147_483_649],
    ['a number from the upper word', [1, 0], [0, MAX_SAFE_INTEGER], 4_294_967_296],
    ['nothing from the bits that do not fit', [0xffe00000, 5], [0, MAX_SAFE_INTEGER], 5],
    ['a number of a range below zero', [0, 5], [-10, -1], -5],
    ['the lower end of a range', [0, 20], [100, 109], 100],
    ['the upper end of a range', [0, 29], [100, 109], 109],
  ] as const)('makes %s', (_name, words, [min, max], number) => {
    const { random, left } = scripted(...words);
    expect(random(min, max)).toBe(number);
    expect(left).toEqual([]);
  });

  it('draws again for the words that would favour the low numbers', () => {
    // 2^53 = 2 (mod 3): of three numbers, the two highest words would give the first two of them once too often.
    const { random, left } = scripted(ALL_ONES, ALL_ONES, ALL_ONES, ALL_ONES - 1, 0, 1);
    expect(random(10, 12)).toBe(11);
    expect(left).toEqual([]);
  });

  it('takes the highest words that favour nobody', () => {
    expect(scripted(ALL_ONES, ALL_ONES - 2).random(10, 12)).toBe(12);
    expect(scripted(ALL_ONES, ALL_ONES).random(10, 13)).toBe(13); // 4 divides 2^53
    expect(scripted(ALL_ONES, ALL_ONES).random(5, 5)).toBe(5);
  });
});

describe('randomFrom', () => {
  const lastBelowOne = 1 - 2 ** -53;

  it.each([
    [0, 1, 6, 1],
    [0.5, 1, 6, 4],
    [0.999, 1, 6, 6],
    [lastBelowOne, 1, 6, 6],
    [0, -3, 3, -3],
    [0.5, -3, 3, 0],
    [lastBelowOne, -3, 3, 3],
    [0.25, 0, 60_000, 15_000],
    [lastBelowOne, 0, 0, 0],
    [0, 0, MAX_SAFE_INTEGER, 0],
    [0.5, 0, MAX_SAFE_INTEGER, 2 ** 52],
    [lastBelowOne, 0, MAX_SAFE_INTEGER, MAX_SAFE_INTEGER],
    [lastBelowOne, -MAX_SAFE_INTEGER, 0, 0],
  ])('makes of %d in [%d, %d] %d', (fraction, min, max, number) => {
    expect(randomFrom(() => fraction)(min, max)).toBe(number);
  });

  it('never leaves the range', () => {
    const fractions = fc.oneof(fc.constant(lastBelowOne), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));
    fc.assert(
      fc.property(ranges, fractions, ([min, width], fraction) => {
        const max = Math.min(min + width, MAX_SAFE_INTEGER);
        const drawn = randomFrom(() => fraction)(min, max);
        expect(drawn).toSatisfy(Number.isSafeInteger);
        expect(drawn).toBeGreaterThanOrEqual(min);
        expect(drawn).toBeLessThanOrEqual(max);
      }),
      { numRuns: 500 },
    );
  });

  it('makes Math.random a source that draws evenly', () => {
    expect(unevenness(countsOf(randomFrom(Math.random), [1, 6], 6, 12_000))).toBeLessThan(55.6);
  });

  it.each([1, 1.5, -0.1, NaN, Infinity, 7])('refuses a source of fractions that answers %d', (answer) => {
    expect(() => randomFrom(() => answer)(1, 6)).toThrow(new RangeError(`unit() must be a number in [0, 1), got ${answer}`));
  });

  it.each([undefined, null, '0.5', 1n])('refuses a source of fractions that answers no number: %s', (answer) => {
    expect(() => randomFrom(() => answer as never)(1, 6)).toThrow(TypeError);
  });

  it.each([undefined, null, 0.5, 'Math.random'])('refuses %s at once in the place of a source', (unit) => {
    expect(() => randomFrom(unit as never)).toThrow(TypeError);
    expect(() => randomFrom(unit as never)).toThrow(/^unit must be a function, got /);
  });

  it.each(malformedRanges)('refuses the range %s to %s', (min, max, Fault) => {
    expect(() => randomFrom(() => 0)(min as number, max as number)).toThrow(Fault);
  });
});

describe('randomUuid', () => {
  const uuids = Array.from({ length: 1_000 }, () => randomUuid());

  it('is a UUID of version 4', () => {
    for (const uuid of uuids) expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('is another one each time', () => {
    expect(new Set(uuids).size).toBe(1_000);
  });

  it('takes every digit in every free place', () => {
    const pattern = uuids[0]?.replace(/[^-]/g, 'x').split('') ?? [];
    const digitCounts = pattern.map((_, place) => new Set(uuids.map((uuid) => uuid[place])).size);
    const [version, variant] = [14, 19];
    expect(digitCounts).toEqual(pattern.map((mark, place) => (mark === '-' || place === version ? 1 : place === variant ? 4 : 16)));
  });
});
