import { decide, definePolicy, exponentialBackoff, fullJitter, TransientFailure, withinBudget } from '../dist/index.js';
import { sideBySide, synchronously } from './measure.mjs';
import { timeSection } from './report.mjs';

const given = { maxAttempts: 6, backoff: { baseMs: 100, capMs: 5_000 }, attemptTimeoutMs: 1_000, totalBudgetMs: 30_000 };
const policy = definePolicy(given);
const failure = { attempt: 2, error: new TransientFailure('503'), elapsedMs: 120, startedAt: 1_000, durationMs: 100 };
const highest = (_min, max) => max;

/** The pure functions alone, with the checks of their arguments. */
export async function pureFunctions() {
  const times = await sideBySide(
    {
      'decide, policy made once': () => decide(failure, policy, { now: 2_000, random: highest }),
      'decide, policy literal': () => decide(failure, { maxAttempts: 6 }, { now: 2_000, random: highest }),
      definePolicy: () => definePolicy(given),
      exponentialBackoff: () => exponentialBackoff(5, { baseMs: 100, capMs: 5_000 }),
      fullJitter: () => fullJitter(1_600, highest),
      withinBudget: () => withinBudget({ elapsedMs: 120, nextAttemptMs: 1_000, budgetMs: 30_000 }),
    },
    synchronously,
  );
  return timeSection('Pure functions', times, 'decide, policy made once');
}
