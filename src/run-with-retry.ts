import { aFunction, mustBe } from './assert.js';
import type { Task } from './attempt.js';
import type { RetryResult } from './outcome.js';
import { type RetryPolicy, resolvePolicy } from './policy.js';
import { Run } from './run.js';
import { type RunOptions, resolveRunOptions } from './run-options.js';

/**
 * Calls a task until it succeeds, or until the policy says that it must not be called again.
 *
 * It resolves for whatever the task does; nothing that the task throws is lost, changed or replaced. What is not marked as transient
 * (`TransientFailure`, `markTransient`) or judged so by the policy's `classify` is permanent: one attempt.
 *
 * @param task  called once for each attempt with its `AttemptContext`; may be synchronous. It must be safe to call again, so build
 *   request bodies inside it, and do not return a generator: it fails after it was returned, where no retry sees it.
 * @param policy  how to retry; `{}` is 4 attempts, backoff from 2 s up to 60 s with full jitter, and no time limit
 * @param options  what belongs to this run: clock, random source, signal, `onDecision`, idempotency key, length of the log
 * @returns the value, or the dead letter with its reason, and the log of all decisions
 * @throws {TypeError | RangeError} before the first attempt, if an argument is wrong; as a rejection
 * @throws {RetryHookError} if a hook of the caller's (`classify`, `classifyValue`, `delay`, `random`, `clock`, `onDecision`) throws or
 *   answers nonsense; as a rejection
 * @example
 * const task = ({ attempt }) => { if (attempt < 3) throw new TransientFailure('503'); return 'done' }
 * const result = await runWithRetry(task, { backoff: { baseMs: 0 } })
 * result.value // => 'done'
 * result.attempts // => 3
 * result.log.map((decision) => decision.action) // => ['retry', 'retry', 'succeed']
 */
export async function runWithRetry<T>(task: Task<T>, policy?: RetryPolicy<T>, options?: RunOptions): Promise<RetryResult<T>> {
  mustBe('task', task, aFunction);
  const run = new Run<T>(resolvePolicy(policy), resolveRunOptions(options));
  if (run.aborted) return run.result();
  try {
    for (;;) {
      let decision = run.endAfterWait();
      if (decision === undefined) {
        run.startAttempt();
        try {
          run.returned(await run.call(task));
        } catch (error) {
          run.failed(error);
        }
        decision = run.decide();
      }
      const told = run.tell(decision);
      if (told !== undefined) await told;
      if (decision.action !== 'retry') return run.result(decision);
      await run.wait(decision.delayMs);
    }
  } catch (fault) {
    throw run.hookError(fault);
  }
}
