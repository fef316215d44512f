import { mustBe, noOthers } from './assert.js';

/**
 * Whether what comes next still fits into a time budget.
 *
 *     elapsedMs + nextAttemptMs <= budgetMs
 *
 * The end belongs to the budget: exactly used up still fits.
 *
 * @param budget  all in milliseconds, finite, >= 0: what has passed, what the next attempt may take, and the whole budget
 * @throws {TypeError} if a value is of the wrong type or missing, or a name is unknown
 * @throws {RangeError} if a value is negative or not finite
 * @see https://sre.google/sre-book/addressing-cascading-failures/ (deadlines)
 * @example
 * withinBudget({ elapsedMs: 15_000, nextAttemptMs: 8_000, budgetMs: 30_000 }) // => true
 * withinBudget({ elapsedMs: 22_000, nextAttemptMs: 8_000, budgetMs: 30_000 }) // => true
 * withinBudget({ elapsedMs: 29_000, nextAttemptMs: 8_000, budgetMs: 30_000 }) // => false
 */
export function withinBudget(budget: TimeBudget): boolean {
  const { elapsedMs, nextAttemptMs, budgetMs, ...others }: TimeBudget = Object(budget);
  mustBe('elapsedMs', elapsedMs);
  mustBe('nextAttemptMs', nextAttemptMs);
  mustBe('budgetMs', budgetMs);
  noOthers(others, 'elapsedMs, nextAttemptMs, budgetMs');
  return fits(elapsedMs, nextAttemptMs, budgetMs);
}

/** As `withinBudget`, for arguments that are known to be right; a budget of Infinity takes everything. */
export const fits = (elapsedMs: number, nextAttemptMs: number, budgetMs: number): boolean => elapsedMs + nextAttemptMs <= budgetMs;

/** What `withinBudget` weighs. */
export interface TimeBudget {
  /** What has passed, in milliseconds: finite, >= 0. */
  readonly elapsedMs: number;
  /** What the next attempt may take, in milliseconds: finite, >= 0. */
  readonly nextAttemptMs: number;
  /** The whole budget, in milliseconds: finite, >= 0. */
  readonly budgetMs: number;
}
