import { Faults, type Rule } from './assert.js';

const amount: Rule = { type: 'number', words: 'a number >= 0', holds: (n: number) => n >= 0 };

/**
 * Whether what comes next still fits into a time budget.
 *
 *     elapsedMs + nextAttemptMs <= budgetMs
 *
 * The end belongs to the budget: exactly used up still fits.
 *
 * @param budget  all in milliseconds, >= 0: what has passed, what the next attempt may take, and the whole budget (`Infinity`: no limit)
 * @throws {TypeError} if a value is of the wrong type or missing, or a name is unknown
 * @throws {RangeError} if a value is negative or NaN
 * @see https://sre.google/sre-book/addressing-cascading-failures/ (deadlines)
 * @example
 * withinBudget({ elapsedMs: 15_000, nextAttemptMs: 8_000, budgetMs: 30_000 }) // => true
 * withinBudget({ elapsedMs: 22_000, nextAttemptMs: 8_000, budgetMs: 30_000 }) // => true
 * withinBudget({ elapsedMs: 29_000, nextAttemptMs: 8_000, budgetMs: 30_000 }) // => false
 */
export function withinBudget(budget: { readonly elapsedMs: number; readonly nextAttemptMs: number; readonly budgetMs: number }): boolean {
  const faults = new Faults('withinBudget');
  const { elapsedMs, nextAttemptMs, budgetMs } = faults.options('budget', budget, [
    'elapsedMs',
    'nextAttemptMs',
    'budgetMs',
  ]) as typeof budget;
  faults.check('elapsedMs', elapsedMs, amount);
  faults.check('nextAttemptMs', nextAttemptMs, amount);
  faults.check('budgetMs', budgetMs, amount);
  faults.throwIfAny();
  return elapsedMs + nextAttemptMs <= budgetMs;
}
