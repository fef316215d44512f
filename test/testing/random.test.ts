import fc from 'fast-check';
import { fullJitter, type RandomSource } from 'retry-policy';
import { fixedRandom, seededRandom } from 'retry-policy/testing';
import { describe, expect, it } from 'vitest';

const { MAX_SAFE_INTEGER } = Number;

const drawsOf = (random: RandomSource, count: number, min: number, max: number): number[] =>
  Array.from({ length: count }, () => random(min, max));

describe('fixedRandom', () => {
  it.each([
    [7, 0, 10, 7],
    [0, 0, 10, 0],
    [10, 0, 10, 10],
    [0, 500, 1_000, 500], // below the range: its lower end
    [5_000, 500, 1_000, 1_000], // above the range: its upper end
    [7.9, 0, 10, 7],
    [-7.1, -10, 0, -8],
    [Infinity, 500, 1_000, 1_000],
    [-Infinity, 500, 1_000, 500],
    [3, 3, 3, 3],
    [Number.MAX_VALUE, 0, MAX_SAFE_INTEGER, MAX_SAFE_INTEGER],
  ])('%d in [%d, %d] is %d', (value, min, max, answer) => {
    expect(fixedRandom(value)(min, max)).toBe(answer);
  });

  it('answers the same each time', () => {
    expect(drawsOf(fixedRandom(4), 5, 0, 10)).toEqual([4, 4, 4, 4, 4]);
  });

  it('is a source that the jitter takes, whatever the value', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.integer({ min: 0, max: 100_000 }), (value, delayMs) => {
        const waitMs = fullJitter(delayMs, fixedRandom(value));
        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(waitMs).toBeLessThanOrEqual(delayMs);
      }),
    );
  });

  it('refuses what is no number', () => {
    expect(() => fixedRandom(NaN)).toThrow(new RangeError('value must be a number, got NaN'));
    for (const value of [undefined, null, '7']) expect(() => fixedRandom(value as never)).toThrow(TypeError);
  });
});

describe('seededRandom', () => {
  // A promise until the next major version. The numbers come from another implementation of xoshiro128**.
  it.each([
    [1, 0, 99, [5, 6, 53, 89, 94, 70, 47, 63]],
    [1, -1_000, 1_000, [-116, 372, -97, -806, 490, 19, 175, 977]],
    [1, 0, 60_000, [1986, 24746, 52146, 59412, 45570, 54495, 30987, 41040]],
    [42, 1, 6, [4, 3, 1, 5, 4, 4, 4, 3]],
    [42, 0, 60_000, [24754, 31253, 9933, 36798, 36352, 28966, 41127, 56642]],
    [42, 0, MAX_SAFE_INTEGER, [8475776207067195, 2846231400370652, 2010093605591676, 5402954491337524]],
    [0, 0, 99, [44, 9, 0, 6, 81, 82, 41, 12]],
    [-1, 0, 99, [30, 4, 19, 51, 40, 69, 34, 2]],
    [MAX_SAFE_INTEGER, 0, 99, [25, 37, 31, 45, 66, 67, 2, 36]],
    [-MAX_SAFE_INTEGER, 0, 99, [30, 18, 43, 47, 77, 10, 7, 16]],
  ])('draws for seed %d, from [%d, %d], always %j', (seed, min, max, sequence) => {
    expect(drawsOf(seededRandom(seed), sequence.length, min, max)).toEqual(sequence);
  });

  it('gives two sources of one seed the same sequence, however their draws are mixed', () => {
    const [one, other] = [seededRandom(7), seededRandom(7)];
    const first = [one(0, 99), one(0, 99), other(0, 99), one(0, 99), other(0, 99), other(0, 99)];
    expect([first[2], first[4], first[5]]).toEqual([first[0], first[1], first[3]]);
  });

  it('starts neighbouring seeds far apart', () => {
    const starts = Array.from({ length: 2_000 }, (_, i) => drawsOf(seededRandom(i - 1_000), 2, 0, 999_999).join());
    expect(new Set(starts).size).toBe(2_000);
    const firsts = Array.from({ length: 6_000 }, (_, seed) => seededRandom(seed)(1, 6));
    for (let side = 1; side <= 6; side++) {
      expect(firsts.filter((first) => first === side).length).toBeGreaterThan(850);
    }
  });

  it('tells seeds apart that differ above 32 bits only', () => {
    const [low, high, negative] = [5, 5 + 2 ** 32, 5 - 2 ** 32].map((seed) => drawsOf(seededRandom(seed), 8, 0, 99).join());
    expect(new Set([low, high, negative]).size).toBe(3);
  });

  it('draws evenly, also from wide ranges and for the seed 0', () => {
    for (const seed of [0, 1, 42, -1, MAX_SAFE_INTEGER]) {
      for (const [min, max] of [
        [0, 9],
        [0, 59_999],
        [-(2 ** 52), 2 ** 52 - 1],
      ] as const) {
        const counts = Array.from({ length: 10 }, () => 0);
        for (const drawn of drawsOf(seededRandom(seed), 10_000, min, max)) {
          const tenth = Math.floor(((drawn - min) / (max - min + 1)) * 10);
          counts[tenth] = (counts[tenth] ?? 0) + 1;
        }
        for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
      }
    }
  });

  it('stays in whatever range is asked for', () => {
    const ranges = fc.tuple(fc.maxSafeInteger(), fc.maxSafeInteger().map(Math.abs));
    fc.assert(
      fc.property(fc.maxSafeInteger(), ranges, (seed, [min, width]) => {
        const max = Math.min(min + width, MAX_SAFE_INTEGER);
        for (const drawn of drawsOf(seededRandom(seed), 20, min, max)) {
          expect(drawn).toSatisfy(Number.isSafeInteger);
          expect(drawn).toBeGreaterThanOrEqual(min);
          expect(drawn).toBeLessThanOrEqual(max);
        }
      }),
    );
  });

  it.each([0.5, NaN, Infinity, MAX_SAFE_INTEGER + 1])('refuses the seed %d', (seed) => {
    expect(() => seededRandom(seed)).toThrow(new RangeError(`seed must be a safe integer, got ${seed}`));
  });

  it.each([undefined, null, '42', 42n])('refuses a seed that is no number: %s', (seed) => {
    expect(() => seededRandom(seed as never)).toThrow(TypeError);
  });

  it.each([
    [5, 1],
    [0.5, 2],
    [0, 2.5],
    [-1, MAX_SAFE_INTEGER],
  ])('refuses the range %d to %d', (min, max) => {
    expect(() => seededRandom(1)(min, max)).toThrow(RangeError);
  });
});
