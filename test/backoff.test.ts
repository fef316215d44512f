import fc from 'fast-check';
import { exponentialBackoff } from 'retry-policy';
import { describe, expect, it } from 'vitest';

const attempts = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1_000, max: 1_100 }), fc.maxSafeInteger().map(atLeastOne));
const durations = fc.oneof(
  fc.constantFrom(0, 0.5, 1, Number.MIN_VALUE, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE),
  fc.integer({ min: 0, max: 600_000 }),
  fc.double({ min: 0, max: 1e9, noNaN: true }),
);
const factors = fc.oneof(fc.constantFrom(1, 1.5, 2, 10, Number.MAX_VALUE), fc.double({ min: 1.001, max: 100, noNaN: true }));

function atLeastOne(n: number): number {
  return Math.max(1, Math.abs(n));
}

describe('worked values', () => {
  it.each([
    [1, 2_000],
    [2, 4_000],
    [3, 8_000],
    [4, 16_000],
    [5, 32_000],
    [6, 60_000],
    [7, 60_000],
  ])('waits at most, after attempt %d, base 2 s, cap 60 s: %d ms', (attempt, delayMs) => {
    expect(exponentialBackoff(attempt, { baseMs: 2_000, capMs: 60_000, factor: 2 })).toBe(delayMs);
  });

  it.each([
    [1, { baseMs: 10, capMs: 1_000 }, 10],
    [3, { baseMs: 10, capMs: 1_000 }, 40],
    [4, { baseMs: 100, capMs: 1_000_000, factor: 3 }, 2_700],
    [3, { baseMs: 100, capMs: 1_000, factor: 1.5 }, 225],
    [9, { baseMs: 100, capMs: 1_000, factor: 1 }, 100], // a factor of 1 waits evenly
    [5, { baseMs: 0.5, capMs: 1_000 }, 8],
    [2, { baseMs: 0.5, capMs: 1_000, factor: 1.5 }, 0.75],
    [1, { baseMs: 5_000, capMs: 1_000 }, 1_000], // a cap below the base is the wait from the start
    [1, { baseMs: 5_000, capMs: 0 }, 0],
    [50, { baseMs: 5_000, capMs: 0 }, 0],
    [1, { baseMs: 0, capMs: 60_000 }, 0], // timgit/pg-boss#839: a zero base stays zero for ever, and is documented to
    [50, { baseMs: 0, capMs: 60_000 }, 0],
    [2, { baseMs: 1, capMs: Number.MAX_VALUE, factor: Number.MAX_VALUE }, Number.MAX_VALUE],
  ])('after attempt %d, %o: %d ms', (attempt, options, delayMs) => {
    expect(exponentialBackoff(attempt, options)).toBe(delayMs);
  });

  it('doubles where no factor is named, and where it is undefined', () => {
    expect(exponentialBackoff(4, { baseMs: 1, capMs: 100 })).toBe(8);
    expect(exponentialBackoff(4, { baseMs: 1, capMs: 100, factor: undefined })).toBe(8);
  });
});

// connor4312/cockatiel#86, App-vNext/Polly#2164, thomhurst/Dekaf#3068
describe('attempts beyond what a float can count', () => {
  it.each([43, 65, 1_023, 1_024, 1_025, 1_026, 4_300, 1_000_000, Number.MAX_SAFE_INTEGER])(
    'waits at most the capped power after attempt %d',
    (attempt) => {
      expect(exponentialBackoff(attempt, { baseMs: 2_000, capMs: 60_000 })).toBe(60_000);
      expect(exponentialBackoff(attempt, { baseMs: 0.5, capMs: 100, factor: 10 })).toBe(100);
      expect(exponentialBackoff(attempt, { baseMs: 100, capMs: 60_000, factor: 1 })).toBe(100);
      expect(exponentialBackoff(attempt, { baseMs: 100, capMs: 0 })).toBe(0);
      expect(exponentialBackoff(attempt, { baseMs: 0, capMs: 60_000 })).toBe(0); // and not 0 * Infinity
      expect(exponentialBackoff(attempt, { baseMs: Number.MAX_VALUE, capMs: Number.MAX_VALUE })).toBe(Number.MAX_VALUE);
    },
  );
});

describe('whatever the options are', () => {
  it('stays a number in [0, capMs]', () => {
    fc.assert(
      fc.property(attempts, durations, durations, factors, (attempt, baseMs, capMs, factor) => {
        const delayMs = exponentialBackoff(attempt, { baseMs, capMs, factor });
        expect(delayMs).not.toBeNaN();
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThanOrEqual(capMs);
      }),
      { numRuns: 500 },
    );
  });

  it('is never less than the nearer of base and cap', () => {
    fc.assert(
      fc.property(attempts, durations, durations, factors, (attempt, baseMs, capMs, factor) => {
        expect(exponentialBackoff(attempt, { baseMs, capMs, factor })).toBeGreaterThanOrEqual(Math.min(baseMs, capMs));
      }),
    );
  });

  it('never falls from one attempt to the next, and stays at the cap once it is there', () => {
    fc.assert(
      fc.property(durations, durations, factors, (baseMs, capMs, factor) => {
        let before = 0;
        for (let attempt = 1; attempt <= 200; attempt++) {
          const delayMs = exponentialBackoff(attempt, { baseMs, capMs, factor });
          expect(delayMs).toBeGreaterThanOrEqual(before);
          if (before === capMs) expect(delayMs).toBe(capMs);
          before = delayMs;
        }
      }),
    );
  });

  it('grows until the cap where there is a base and a factor to grow by', () => {
    const delays = Array.from({ length: 12 }, (_, i) => exponentialBackoff(i + 1, { baseMs: 7, capMs: 5_000, factor: 1.9 }));
    expect(new Set(delays.slice(0, 11)).size).toBe(11);
    expect(delays[11]).toBe(5_000);
  });
});

describe('arguments that are refused', () => {
  it.each([0, -1, 1.5, NaN, Infinity])('attempt %d is a RangeError', (attempt) => {
    expect(() => exponentialBackoff(attempt, { baseMs: 1, capMs: 2 })).toThrow(
      new RangeError(`attempt must be an integer >= 1, got ${attempt}`),
    );
  });

  it.each([
    ['baseMs', -1],
    ['baseMs', NaN],
    ['baseMs', Infinity],
    ['capMs', -1],
    ['capMs', NaN],
    ['capMs', Infinity],
    ['factor', 0.5],
    ['factor', 0],
    ['factor', -2],
    ['factor', NaN],
    ['factor', Infinity],
  ])('%s: %d is a RangeError', (name, value) => {
    const call = () => exponentialBackoff(1, { baseMs: 1, capMs: 2, [name]: value });
    expect(call).toThrow(RangeError);
    expect(call).toThrow(new RegExp(`^${name} must be a finite number >= [01], got ${value}$`));
  });

  it.each([
    ['baseMs', '100'],
    ['baseMs', undefined],
    ['capMs', null],
    ['capMs', undefined],
    ['factor', null],
    ['factor', '2'],
  ])('%s: %j is a TypeError', (name, value) => {
    const call = () => exponentialBackoff(1, { baseMs: 1, capMs: 2, [name]: value } as never);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(new RegExp(`^${name} must be a finite number >= [01], got `));
  });

  it('an attempt that is a text is a TypeError', () => {
    expect(() => exponentialBackoff('1' as never, { baseMs: 1, capMs: 2 })).toThrow(
      new TypeError('attempt must be an integer >= 1, got "1"'),
    );
  });

  it('an unknown option is a TypeError', () => {
    const call = () => exponentialBackoff(1, { baseMs: 1, capMs: 2, factr: 3 } as never);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(/unknown option factr/);
  });

  it('missing options are a TypeError', () => {
    expect(() => exponentialBackoff(1, undefined as never)).toThrow(TypeError);
    expect(() => exponentialBackoff(1, {} as never)).toThrow(TypeError);
  });
});
