import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type pg from 'pg';
import { runWithRetry } from 'retry-policy';
import { retryingProcessor, workerOptions } from 'retry-policy/bullmq';
import { retryingActivities } from 'retry-policy/temporal';
import { enqueue } from '../../../examples/table-queue/queue.mjs';
import { work } from '../../../examples/table-queue/worker.mjs';
import type { Client } from './bullmq.js';
import { node22 } from './pg-boss.js';
import { type Play, type Played, play, type Script, START_AT } from './script.mjs';

const onDecisionOf = (run: Play, end?: () => void) => async (decision: Parameters<NonNullable<Play['options']['onDecision']>>[0]) => {
  run.options.onDecision?.(decision);
  if (decision.action !== 'retry') end?.();
  await run.passDelay();
};

export async function inMemory(script: Script): Promise<Played> {
  const run = play(script);
  await runWithRetry(run.task, script.policy, run.options);
  return run;
}

export async function onBullMq(script: Script, client: Client, port: number): Promise<Played> {
  const { Queue, Worker } = (await import(client)) as typeof import('bullmq');
  const run = play(script);
  const connection = { host: '127.0.0.1', port };
  const name = `${client}-${script.seed}`;
  const processor = retryingProcessor(run.task, script.policy, { ...run.options, onDecision: onDecisionOf(run) });
  const worker = new Worker(name, processor, { connection, ...workerOptions });
  const queue = new Queue(name, { connection });
  const ended = Promise.race([once(worker, 'completed'), once(worker, 'failed')]);
  await queue.add('mail', { to: 'ann' });
  await ended;
  await worker.close();
  await queue.close();
  return run;
}

export async function onTable(script: Script, pool: pg.Pool): Promise<Played> {
  const run = play(script);
  const queue = `conformance-${script.seed}`;
  const stop = new AbortController();
  const options = { ...run.options, onDecision: onDecisionOf(run, () => stop.abort()) };
  await enqueue(pool, queue, { to: 'ann' });
  await work(pool, queue, run.task, script.policy, { signal: stop.signal, pollMs: 10, run: options });
  return run;
}

/** The SDK's mock of one activity execution for each attempt; the server, which counts and waits, is played. */
export async function onTemporal(script: Script): Promise<Played> {
  const run = play(script);
  const factory = retryingActivities(script.policy, { ...run.options, onDecision: onDecisionOf(run) });
  for (let attempt = 1; run.decisions.at(-1)?.action !== 'dead-letter'; attempt += 1) {
    const environment = new MockActivityEnvironment(
      { attempt, scheduledTimestampMs: START_AT },
      {
        interceptors: [factory],
        logger: new DefaultLogger('ERROR'),
      },
    );
    try {
      await environment.run(async () => run.task());
      break;
    } catch (failure) {
      const { nextRetryDelay, nonRetryable } = failure as { nextRetryDelay?: number; nonRetryable?: boolean };
      const told = run.decisions.at(-1);
      if (nextRetryDelay !== (told?.action === 'retry' ? Math.max(1, told.delayMs ?? 0) : undefined)) throw failure;
      if (nonRetryable !== (told?.action === 'dead-letter')) throw failure;
    }
  }
  return run;
}

/** All scripts at once, in a process of its own, since pg-boss needs a newer Node. */
export async function onPgBoss(connectionString: string): Promise<readonly Played[]> {
  const program = fileURLToPath(new URL('conformance.pg-boss.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(node22, [program, connectionString]);
  return JSON.parse(stdout);
}
