// A worker of the queue, on `runJob`:
//
//   const stop = new AbortController();
//   process.once('SIGTERM', () => stop.abort());
//   await work(new pg.Pool(), 'mail', ({ to }, { idempotencyKey, signal }) => send(to, { idempotencyKey, signal }), policy, { signal: stop.signal });

import { setTimeout as sleep } from 'node:timers/promises';
import { definePolicy, TransientFailure, withRetry } from 'retry-policy';
import { networkErrors, sqlErrors } from 'retry-policy/classifiers';
import { runJob } from 'retry-policy/durable';
import { renew, settle, take } from './queue.mjs';

/** The database's own faults, as far as they pass. The job of a worker that cannot settle it comes back when its lease has ended. */
const patience = definePolicy({ maxAttempts: 8, backoff: { baseMs: 50, capMs: 5_000 }, classify: [networkErrors, sqlErrors] });

/**
 * Works on a queue until the signal; resolves when the attempts that it had begun are settled.
 *
 * @param handler  called with a job's payload and the context of the attempt
 * @param options  `leaseMs`: how long a job of a killed worker is missing at the most; it is renewed while a handler runs, so that it need
 *   not be as long as the longest attempt. `onError`: is told what the database failed with. `run`: options of `runJob`
 */
export async function work(db, queue, handler, policy, options) {
  const { signal, concurrency = 10, leaseMs = 30_000, pollMs = 1_000, onError = console.error, run } = options;
  const running = new Set();
  const settleSafely = withRetry((job, end) => settle(db, job, end), patience);

  async function handle(job) {
    const { id, payload, state, starts, settled } = job;
    const source = { engine: 'table', queue, id };
    const lease = keepLease(job);
    const attempt = (context) => handler(payload, context);
    const work = { payload, source, state, lostAttempts: starts - settled - 1 };
    const end = await runJob(attempt, policy, work, { ...run, signal: lease.signal }).finally(lease.stop);
    await settleSafely(job, end);
  }

  /** Ends the attempt of a job that another worker has by now. What this one settles after that has no effect. */
  function keepLease(job) {
    const controller = new AbortController();
    const tick = async () => {
      if (await renew(db, job, leaseMs)) return;
      controller.abort(new TransientFailure('the lease has ended'));
    };
    const timer = setInterval(() => tick().catch(onError), leaseMs / 3);
    return { signal: controller.signal, stop: () => clearInterval(timer) };
  }

  while (!signal.aborted) {
    const free = concurrency - running.size;
    const jobs = free === 0 ? [] : await take(db, queue, { count: free, leaseMs }).catch(nothing(onError));
    for (const job of jobs) {
      const one = handle(job)
        .catch(onError)
        .finally(() => running.delete(one));
      running.add(one);
    }
    if (free === 0) await Promise.race(running);
    else if (jobs.length < free) await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
  await Promise.all(running);
}

const nothing = (onError) => (error) => {
  onError(error);
  return [];
};
