import { aCount, aFunction, anObject, mustBe, type Rule } from '../assert.js';
import type { AttemptContext } from '../attempt.js';
import { type DeadLetter, MOST_REDRIVES } from '../durable/dead-letter.js';
import { engineDelayMs } from '../durable/engine-delay.js';
import { coffinOf, envelopeOf, openEnvelope, stateIn } from '../durable/envelope.js';
import { type ErrorRecord, toErrorRecord } from '../durable/error-record.js';
import { workOn } from '../durable/run-job.js';
import type { RetryState } from '../durable/state.js';
import { readSafely } from '../mark.js';
import { limitedTo, type RetryPolicy, resolvePolicy } from '../policy.js';
import { type RunOptions, resolveRunOptions } from '../run-options.js';
import type { Boss, BossJob, BossResult } from './engine.js';

/** Clock, random source, `onDecision` and `logLimit` are those of `runJob`; pg-boss itself waits by the database's clock. */
export interface HandlerOptions extends Omit<RunOptions, 'signal' | 'idempotencyKey'> {
  /** How often one job may come back from the dead, an integer >= 1. Default 10. */
  maxRedrives?: number | undefined;
}

const aBoss: Rule = {
  words: 'a PgBoss',
  holds: ({ fail, update }: Boss) => typeof fail === 'function' && typeof update === 'function',
  type: 'object',
};

/**
 * A pg-boss handler that retries by a policy: for `boss.work(queue, workOptions, retryingHandler(boss, handler, policy))`, on a queue that
 * has the {@link queueOptions} of the policy.
 *
 * pg-boss has no hook for a delay: the job is failed, and what is then a waiting job gets its due time, with its state in its data under
 * the key `retryPolicy`. A worker that is killed in between leaves a job that comes late, by the queue's `retryDelay`, with the attempt
 * counted as lost. A job that is given up waits once more, with its {@link DeadLetter} as its data, and is then dead-lettered: so the copy
 * in the dead letter queue has it, too. `boss.redrive` and `boss.retry` bring it back as new, with the letter's payload.
 *
 * Where pg-boss itself ends the claim (it expired, or `stop` waits no longer), `context.signal` is aborted, and the next claim counts the
 * attempt as lost.
 *
 * @param boss  the running `PgBoss`
 * @param handler  called for each job of the batch, with the job, whose `data` is the payload, and the context of the attempt
 * @param policy  where the job has fewer claims left than it has attempts, those are its limit
 * @returns a function of the batch, which answers a result for each job and does not reject
 * @throws {TypeError | RangeError} if an argument is wrong
 * @example
 * const boss = { fail: async () => ({ affected: 1 }), update: async () => {} }
 * const work = retryingHandler(boss, (job) => `sent to ${job.data.to}`)
 * const job = { id: '7', name: 'mail', data: { to: 'ann' }, retryCount: 0, retryLimit: 9, signal: new AbortController().signal }
 * await work([job]) // => [{ id: '7', status: 'completed', output: 'sent to ann' }]
 */
export function retryingHandler<J extends BossJob, T>(
  boss: Boss,
  handler: (job: J, context: AttemptContext) => T | PromiseLike<T>,
  policy?: RetryPolicy<NoInfer<T>>,
  options: HandlerOptions = {},
): (jobs: J[]) => Promise<BossResult<T>[]> {
  mustBe('boss', boss, aBoss);
  mustBe('handler', handler, aFunction);
  mustBe('options', options, anObject);
  const { maxRedrives = MOST_REDRIVES, ...run } = options;
  mustBe('maxRedrives', maxRedrives, aCount);
  resolveRunOptions(run);
  const resolved = resolvePolicy(policy);

  const settle = async (job: J): Promise<BossResult<T>> => {
    const { id, name, retryCount, retryLimit, signal } = job;
    const source = { engine: 'pg-boss', queue: name, id };
    const opened = openEnvelope(job.data, source);
    const { payload, counters, letter } = opened;
    // `boss.retry` raises the limit: by that it is known whether the job has yet to be buried, or has come back.
    const now = { starts: retryCount + 1, stalls: retryLimit };
    const isOwnLetter = letter?.source.id === id;
    if (isOwnLetter && counters.stalls === retryLimit) return { id, status: 'deadletter', output: letter.error };
    const lostAttempts = Math.max(0, retryCount - counters.starts - Number(isOwnLetter)); // one claim was for the burial

    const suspend = async (data: object, error: ErrorRecord, delayMs: number): Promise<BossResult<T>> => {
      const answer = await boss.fail(name, { id, retryCount }, error);
      // Where the claim is gone, the data is another worker's.
      if (readSafely(answer, 'affected') !== 0) await boss.update(name, data, { id, startAfter: engineDelayMs(delayMs) / 1_000 });
      return { id, status: 'failed', output: error };
    };
    const claimsLeft = Math.max(0, retryLimit - retryCount);
    const bury = (dead: DeadLetter): Promise<BossResult<T>> | BossResult<T> =>
      claimsLeft > 0 ? suspend(coffinOf(dead, now), dead.error, 0) : { id, status: 'deadletter', output: dead };

    let state: RetryState | null;
    try {
      state = stateIn(opened, maxRedrives);
    } catch (fault) {
      return { id, status: 'deadletter', output: toErrorRecord(fault) };
    }
    job.data = payload;
    // This claim is for an attempt, unless one was lost; the last one is for the burial.
    const possible = (state?.attempts ?? 0) + lostAttempts + Math.max(lostAttempts > 0 ? 0 : 1, claimsLeft);
    const task = (context: AttemptContext) => handler(job, context);
    const work = { payload, source, state, lostAttempts };
    const end = await workOn<T, unknown>(task, limitedTo(possible, resolved), work, { ...run, signal }, () => signal.aborted);
    if (end.action === 'succeed') return { id, status: 'completed', output: end.value };
    if (end.action === 'dead-letter') return bury(end.letter);
    return suspend(envelopeOf(payload, end.state, now), toErrorRecord(end.decision.error), end.decision.delayMs);
  };
  return (jobs) =>
    Promise.all(jobs.map((job) => settle(job).catch((fault) => ({ id: job.id, status: 'failed' as const, output: toErrorRecord(fault) }))));
}
