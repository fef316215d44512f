import fc from 'fast-check';
import { decorrelatedJitter, equalJitter, exponentialBackoff, fullJitter, type RandomSource, randomFrom } from 'retry-policy';
import { seededRandom } from 'retry-policy/testing';
import { describe, expect, it, vi } from 'vitest';

const atMin: RandomSource = (min) => min;
const atQuarter: RandomSource = (min, max) => min + (max - min) / 4;
const atHalf: RandomSource = (min, max) => min + (max - min) / 2;
const atMax: RandomSource = (_min, max) => max;

const backoff = { baseMs: 2_000, capMs: 60_000 };

const durations = fc.oneof(
  fc.constantFrom(0, 0.5, 1, 1.5, 2 ** 53, Number.MIN_VALUE, Number.MAX_VALUE),
  fc.integer({ min: 0, max: 600_000 }),
  fc.double({ min: 0, max: 1e9, noNaN: true }),
);
const fractions = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the ends and the middle of the draw', () => {
  it('full jitter hands on what was drawn', () => {
    expect(fullJitter(10, () => 7)).toBe(7);
  });

  it.each([
    ['full jitter', (random: RandomSource) => fullJitter(8_000, random), [0, 2_000, 4_000, 8_000]],
    ['full jitter at the cap', (random: RandomSource) => fullJitter(60_000, random), [0, 15_000, 30_000, 60_000]],
    ['equal jitter', (random: RandomSource) => equalJitter(8_000, random), [4_000, 5_000, 6_000, 8_000]],
    ['equal jitter at the cap', (random: RandomSource) => equalJitter(60_000, random), [30_000, 37_500, 45_000, 60_000]],
    ['decorrelated jitter', (random: RandomSource) => decorrelatedJitter(10_000, backoff, random), [2_000, 9_000, 16_000, 30_000]],
    [
      'decorrelated jitter at the cap',
      (random: RandomSource) => decorrelatedJitter(50_000, backoff, random),
      [2_000, 16_500, 31_000, 60_000],
    ],
    [
      'decorrelated jitter after the base',
      (random: RandomSource) => decorrelatedJitter(2_000, backoff, random),
      [2_000, 3_000, 4_000, 6_000],
    ],
  ])('%s', (_name, jitter, delays) => {
    expect([atMin, atQuarter, atHalf, atMax].map(jitter)).toEqual(delays);
  });

  it('cuts fractions off, so that the wait is whole and no longer than asked', () => {
    expect(fullJitter(10.9, atMax)).toBe(10);
    expect(fullJitter(0.9, atMax)).toBe(0);
    expect([atMin, atMax].map((random) => equalJitter(9, random))).toEqual([5, 9]);
    expect([atMin, atMax].map((random) => equalJitter(10.9, random))).toEqual([6, 10]);
    expect(equalJitter(0.9, atMax)).toBe(0);
    expect([atMin, atMax].map((random) => decorrelatedJitter(3.5, { baseMs: 1.5, capMs: 60 }, random))).toEqual([2, 10]);
  });

  it('never waits shorter than the base, also where the wait before was shorter and the base is a fraction', () => {
    expect(decorrelatedJitter(0, { baseMs: 100, capMs: 1_000 }, atMax)).toBe(100);
    expect(decorrelatedJitter(0, { baseMs: 1.5, capMs: 1_000 }, atMax)).toBe(2);
    expect(decorrelatedJitter(0.3, { baseMs: 0.3, capMs: 1_000 }, atMax)).toBe(1); // and so can grow from there
  });

  it('lets the cap win where it is below the base', () => {
    for (const random of [atMin, atMax]) {
      expect(decorrelatedJitter(5_000, { baseMs: 5_000, capMs: 1_000 }, random)).toBe(1_000);
      expect(decorrelatedJitter(5_000, { baseMs: 5_000, capMs: 0 }, random)).toBe(0);
      expect(decorrelatedJitter(1.2, { baseMs: 1.2, capMs: 1.7 }, random)).toBe(1);
    }
  });
});

describe('two different draws', () => {
  // ferd/backoff#8: at the maximum all clients waited the same time.
  it.each([2, 5, 6, 50, 1_025])('give two different delays after attempt %d', (attempt) => {
    const [low, high] = [randomFrom(() => 0.1), randomFrom(() => 0.9)];
    const delayMs = exponentialBackoff(attempt, backoff);
    expect(fullJitter(delayMs, low)).toBeLessThan(fullJitter(delayMs, high));
    expect(equalJitter(delayMs, low)).toBeLessThan(equalJitter(delayMs, high));
    expect(decorrelatedJitter(delayMs, backoff, low)).toBeLessThan(decorrelatedJitter(delayMs, backoff, high));
    expect(fullJitter(delayMs, high)).toBeLessThanOrEqual(60_000);
    expect(equalJitter(delayMs, high)).toBeLessThanOrEqual(60_000);
    expect(decorrelatedJitter(delayMs, backoff, high)).toBeLessThanOrEqual(60_000);
  });
});

describe('the question to the source', () => {
  it('is one for both ends of the range', () => {
    const random = vi.fn(atMax);
    fullJitter(8_000, random);
    equalJitter(8_001, random);
    decorrelatedJitter(10_000, backoff, random);
    decorrelatedJitter(50_000, backoff, random);
    fullJitter(Number.MAX_VALUE, random);
    expect(random.mock.calls).toEqual([
      [0, 8_000],
      [4_001, 8_001],
      [2_000, 30_000],
      [2_000, 60_000],
      [0, Number.MAX_SAFE_INTEGER],
    ]);
  });

  // langchain4j/langchain4j#5722: an empty range made the random source throw, and hid the real failure.
  it('is not asked where only one answer is possible', () => {
    const random = vi.fn(() => {
      throw new Error('there was nothing to draw');
    });
    expect(fullJitter(0, random)).toBe(0);
    expect(fullJitter(0.9, random)).toBe(0);
    expect(equalJitter(0, random)).toBe(0);
    expect(equalJitter(1, random)).toBe(1);
    expect(equalJitter(1.9, random)).toBe(1);
    expect(decorrelatedJitter(0, { baseMs: 100, capMs: 1_000 }, random)).toBe(100);
    expect(decorrelatedJitter(5_000, { baseMs: 0, capMs: 0 }, random)).toBe(0);
    expect(decorrelatedJitter(0, { baseMs: 0, capMs: 60_000 }, random)).toBe(0);
    expect(random).not.toHaveBeenCalled();
  });

  const jitters = [
    ['fullJitter', (random: RandomSource) => fullJitter(10, random)],
    ['equalJitter', (random: RandomSource) => equalJitter(10, random)],
    ['decorrelatedJitter', (random: RandomSource) => decorrelatedJitter(4, { baseMs: 5, capMs: 10 }, random)],
  ] as const;

  describe.each(jitters)('answered badly, %s', (_name, jitter) => {
    it.each([
      ['NaN', NaN, 'NaN'],
      ['a fraction', 7.5, '7.5'],
      ['less than the range', -1, '-1'],
      ['more than the range', 11, '11'],
      ['Infinity', Infinity, 'Infinity'],
      ['a text', '7', '"7"'],
      ['a bigint', 7n, '7'],
      ['undefined', undefined, 'undefined'],
      ['null', null, 'null'],
      ['a promise', Promise.resolve(7), 'object'],
    ])('refuses %s, and names randomFrom', (_answer, answer, shown) => {
      const call = () => jitter(() => answer as never);
      expect(call).toThrow(RangeError);
      expect(call).toThrow(/^random must answer an integer in \[\d+, \d+\] .*randomFrom/);
      expect(call).toThrow(`got ${shown}`);
    });

    it('refuses a source that is asynchronous, and lets its rejection go unnoticed', async () => {
      const unhandled = vi.fn();
      process.on('unhandledRejection', unhandled);
      try {
        expect(() => jitter((() => Promise.reject(new Error('no entropy'))) as never)).toThrow(RangeError);
        await new Promise((resolve) => setImmediate(resolve));
        expect(unhandled).not.toHaveBeenCalled();
      } finally {
        process.off('unhandledRejection', unhandled);
      }
    });

    it('refuses Math.random, which has the right type', () => {
      const unit = vi.spyOn(Math, 'random').mockReturnValue(0.5);
      try {
        expect(() => jitter(Math.random)).toThrow(RangeError);
        expect(() => jitter(Math.random)).toThrow(/randomFrom/);
        expect(jitter(randomFrom(Math.random))).toBeGreaterThanOrEqual(5);
      } finally {
        unit.mockRestore();
      }
    });

    it('lets through what the source throws, as it is', () => {
      const broken = new Error('no entropy');
      const call = () =>
        jitter(() => {
          throw broken;
        });
      expect(call).toThrow(broken);
    });
  });
});

describe('whatever the arguments are', () => {
  it('full jitter is a whole number in [0, delayMs]', () => {
    fc.assert(
      fc.property(durations, fractions, (delayMs, fraction) => {
        const waitMs = fullJitter(
          delayMs,
          randomFrom(() => fraction),
        );
        expect(waitMs).toSatisfy(Number.isSafeInteger);
        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(waitMs).toBeLessThanOrEqual(delayMs);
      }),
    );
  });

  it('equal jitter is a whole number in [delayMs / 2, delayMs], as far as there is one', () => {
    fc.assert(
      fc.property(durations, fractions, (delayMs, fraction) => {
        const waitMs = equalJitter(
          delayMs,
          randomFrom(() => fraction),
        );
        expect(waitMs).toSatisfy(Number.isSafeInteger);
        expect(waitMs).toBeLessThanOrEqual(delayMs);
        if (delayMs >= 1 && delayMs <= Number.MAX_SAFE_INTEGER) expect(2 * waitMs).toBeGreaterThanOrEqual(delayMs);
      }),
    );
  });

  it('decorrelated jitter is a whole number in [baseMs, capMs], as far as there is one, and at most thrice the wait before', () => {
    fc.assert(
      fc.property(durations, durations, durations, fractions, (previousDelayMs, baseMs, capMs, fraction) => {
        const waitMs = decorrelatedJitter(
          previousDelayMs,
          { baseMs, capMs },
          randomFrom(() => fraction),
        );
        expect(waitMs).toSatisfy(Number.isSafeInteger);
        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(waitMs).toBeLessThanOrEqual(capMs);
        expect(waitMs).toBeLessThanOrEqual(Math.max(3 * previousDelayMs, baseMs + 1));
        if (Math.ceil(baseMs) <= Math.min(capMs, Number.MAX_SAFE_INTEGER)) expect(waitMs).toBeGreaterThanOrEqual(baseMs);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a long outage', () => {
  // connor4312/cockatiel#86: the state became Infinity and the delay NaN after about 1025 attempts.
  it.each([
    ['0', randomFrom(() => 0)],
    ['0.999', randomFrom(() => 0.999)],
    ['just below 1', randomFrom(() => 1 - 2 ** -53)],
    ['a seed', seededRandom(86)],
  ])('keeps 5000 decorrelated waits in [base, cap], drawn with %s', (_name, random) => {
    let waitMs = 10;
    for (let attempt = 1; attempt <= 5_000; attempt++) {
      waitMs = decorrelatedJitter(waitMs, { baseMs: 10, capMs: 100 }, random);
      if (!(Number.isInteger(waitMs) && waitMs >= 10 && waitMs <= 100)) expect.fail(`attempt ${attempt} waits ${waitMs} ms`);
    }
  });

  it('puts hardly a wait exactly on the cap, and spreads them over the whole range', () => {
    const waitsOf = (wait: (previousMs: number) => number) => {
      let waitMs = 2_000;
      return Array.from({ length: 5_000 }, () => {
        waitMs = wait(waitMs);
        return waitMs;
      });
    };
    const random = seededRandom(1_025);
    const cappedMs = exponentialBackoff(50, backoff);
    for (const waits of [
      waitsOf((previousMs) => decorrelatedJitter(previousMs, backoff, random)),
      waitsOf(() => fullJitter(cappedMs, random)),
      waitsOf(() => equalJitter(cappedMs, random)),
    ]) {
      expect(waits.filter((waitMs) => waitMs === 60_000).length).toBeLessThan(250);
      expect(waits.filter((waitMs) => waitMs > 50_000).length).toBeGreaterThan(250);
      expect(new Set(waits).size).toBeGreaterThan(3_500);
    }
  });
});

describe('arguments that are refused', () => {
  const calls = [
    ['delayMs', (value: never) => fullJitter(value, atMax)],
    ['delayMs', (value: never) => equalJitter(value, atMax)],
    ['previousDelayMs', (value: never) => decorrelatedJitter(value, { baseMs: 1, capMs: 2 }, atMax)],
    ['baseMs', (value: never) => decorrelatedJitter(1, { baseMs: value, capMs: 2 }, atMax)],
    ['capMs', (value: never) => decorrelatedJitter(1, { baseMs: 1, capMs: value }, atMax)],
  ] as const;

  it.each(calls)('%s out of range is a RangeError, of another type a TypeError', (name, call) => {
    for (const value of [-1, NaN, Infinity]) {
      expect(() => call(value as never)).toThrow(new RangeError(`${name} must be a finite number >= 0, got ${value}`));
    }
    for (const value of [undefined, null, '10', {}]) {
      expect(() => call(value as never)).toThrow(TypeError);
      expect(() => call(value as never)).toThrow(new RegExp(`^${name} must be a finite number >= 0, got `));
    }
  });

  it.each([
    ['fullJitter', (random: never) => fullJitter(0, random)],
    ['fullJitter', (random: never) => fullJitter(10, random)],
    ['equalJitter', (random: never) => equalJitter(0, random)],
    ['equalJitter', (random: never) => equalJitter(10, random)],
    ['decorrelatedJitter', (random: never) => decorrelatedJitter(1, { baseMs: 1, capMs: 1 }, random)],
    ['decorrelatedJitter', (random: never) => decorrelatedJitter(1, { baseMs: 1, capMs: 9 }, random)],
  ])('%s takes only a function for its source, whether it has to draw or not', (_name, call) => {
    for (const random of [undefined, null, 0.5]) expect(() => call(random as never)).toThrow(TypeError);
  });

  it('an unknown option is a TypeError', () => {
    const call = () => decorrelatedJitter(1, { baseMs: 1, capMs: 2, factor: 3 } as never, atMax);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(/unknown option factor/);
  });
});
