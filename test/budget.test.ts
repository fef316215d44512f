import fc from 'fast-check';
import { withinBudget } from 'retry-policy';
import { describe, expect, it } from 'vitest';

const durations = fc.oneof(
  fc.constantFrom(0, 0.5, Number.MIN_VALUE, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE),
  fc.integer({ min: 0, max: 100_000 }),
  fc.double({ min: 0, max: 1e9, noNaN: true }),
);

describe('withinBudget', () => {
  it.each([
    [6_000, 8_000, 30_000, true],
    [15_000, 8_000, 30_000, true],
    [29_000, 8_000, 30_000, false],
    [22_000, 8_000, 30_000, true], // the end belongs to the budget
    [22_001, 8_000, 30_000, false],
    [22_000.001, 8_000, 30_000, false],
    [30_000, 0, 30_000, true],
    [0, 30_000, 30_000, true],
    [0, 30_001, 30_000, false],
    [0, 0, 0, true],
    [0, Number.MIN_VALUE, 0, false],
    [Number.MAX_VALUE, Number.MAX_VALUE, Number.MAX_VALUE, false], // their sum is Infinity
    [Number.MAX_VALUE, 0, Number.MAX_VALUE, true],
  ])('elapsed %d ms, next attempt %d ms, budget %d ms: %s', (elapsedMs, nextAttemptMs, budgetMs, fits) => {
    expect(withinBudget({ elapsedMs, nextAttemptMs, budgetMs })).toBe(fits);
  });

  it('counts what has passed and what comes alike', () => {
    fc.assert(
      fc.property(durations, durations, durations, (one, other, budgetMs) => {
        expect(withinBudget({ elapsedMs: one, nextAttemptMs: other, budgetMs })).toBe(
          withinBudget({ elapsedMs: other, nextAttemptMs: one, budgetMs }),
        );
      }),
    );
  });

  it('still takes what fits when the budget is larger, and never takes what is longer than the budget alone', () => {
    fc.assert(
      fc.property(durations, durations, durations, durations, (elapsedMs, nextAttemptMs, budgetMs, moreMs) => {
        if (withinBudget({ elapsedMs, nextAttemptMs, budgetMs })) {
          expect(withinBudget({ elapsedMs, nextAttemptMs, budgetMs: Math.max(budgetMs, moreMs) })).toBe(true);
          expect(Math.max(elapsedMs, nextAttemptMs)).toBeLessThanOrEqual(budgetMs);
        } else {
          expect(withinBudget({ elapsedMs: Math.max(elapsedMs, moreMs), nextAttemptMs, budgetMs })).toBe(false);
        }
      }),
    );
  });

  describe.each(['elapsedMs', 'nextAttemptMs', 'budgetMs'])('%s', (name) => {
    const withValue = (value: unknown) => () => withinBudget({ elapsedMs: 1, nextAttemptMs: 1, budgetMs: 1, [name]: value } as never);

    it.each([-1, NaN, Infinity, -Infinity])('%d is a RangeError', (value) => {
      expect(withValue(value)).toThrow(new RangeError(`${name} must be a finite number >= 0, got ${value}`));
    });

    it.each([undefined, null, '5', {}])('%j is a TypeError', (value) => {
      expect(withValue(value)).toThrow(TypeError);
      expect(withValue(value)).toThrow(new RegExp(`^${name} must be a finite number >= 0, got `));
    });
  });

  it('refuses an unknown name', () => {
    const call = () => withinBudget({ elapsedMs: 1, nextAttemptMs: 1, budgetMs: 1, delayMs: 1 } as never);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(/unknown option delayMs/);
  });
});
