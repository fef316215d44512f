import type { Task } from '../attempt.js';
import type { ResolvedPolicy } from '../policy.js';
import type { RunOptions } from '../run-options.js';
import { runWithRetry } from '../run-with-retry.js';
import type { Outcome } from './next-step.js';
import type { RetryState } from './state.js';

/** One attempt of a job, within the policy's limits: the runner's, but that another attempt follows in another run. */
export async function attemptOnce<T>(
  task: Task<T>,
  { attemptTimeoutMs, totalBudgetMs = Infinity }: ResolvedPolicy<T>,
  { state, elapsedMs }: { readonly state: RetryState; readonly elapsedMs: number },
  options: Pick<RunOptions, 'clock' | 'signal'>,
): Promise<Outcome<T>> {
  const attempt = state.attempts + 1;
  let committed = false;
  const limits = { maxAttempts: 1, attemptTimeoutMs, totalBudgetMs: totalBudgetMs - elapsedMs };
  const result = await runWithRetry<T>(
    (context) =>
      task({
        attempt,
        idempotencyKey: state.idempotencyKey,
        get signal() {
          return context.signal;
        },
        get remainingMs() {
          return context.remainingMs;
        },
        commit() {
          committed = true;
        },
      }),
    limits,
    options,
  );
  return result.ok ? { ok: true, value: result.value } : { error: result.error, committed };
}
