/** Prints by how much the heap and the process grow while runs wait: `node --expose-gc memory-child.mjs <contender> <runs>`. */

import { retry as attempt } from '@lifeomic/attempt';
import asyncRetry from 'async-retry';
import { ConstantBackoff, handleAll, retry } from 'cockatiel';
import { backOff } from 'exponential-backoff';
import pRetry from 'p-retry';
import { definePolicy, runWithRetry, TransientFailure } from '../dist/index.js';
import { OURS } from './libraries.mjs';

const WAIT_MS = 3_600_000;
const WARM_RUNS = 2_000;

const failure = new TransientFailure('503');
const task = async () => {
  throw failure;
};

const policy = definePolicy({ maxAttempts: 4, backoff: { baseMs: WAIT_MS, capMs: WAIT_MS }, jitter: 'none' });
const cockatiel = retry(handleAll, { maxAttempts: 3, backoff: new ConstantBackoff(WAIT_MS) });
const attemptOptions = { maxAttempts: 4, delay: WAIT_MS };
const nodeRetryOptions = { retries: 3, minTimeout: WAIT_MS, maxTimeout: WAIT_MS, randomize: false };
const backOffOptions = { numOfAttempts: 4, startingDelay: WAIT_MS };

const starts = {
  'bare timer': () => setTimeout(() => {}, WAIT_MS),
  'bare wait': async () => {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  },
  [OURS]: () => runWithRetry(task, policy),
  cockatiel: () => cockatiel.execute(task),
  'p-retry': () => pRetry(task, nodeRetryOptions),
  '@lifeomic/attempt': () => attempt(task, attemptOptions),
  'async-retry': () => asyncRetry(task, nodeRetryOptions),
  'exponential-backoff': () => backOff(task, backOffOptions),
};

/** Starts the runs and comes back when all of them wait. */
async function startAll(start, runs) {
  for (let i = 0; i < runs; i++) start();
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
}

function settledMemory() {
  for (let i = 0; i < 3; i++) gc();
  return process.memoryUsage();
}

const [name, runs] = process.argv.slice(2);
await startAll(starts[name], WARM_RUNS);
const before = settledMemory();
await startAll(starts[name], Number(runs));
const after = settledMemory();
process.stdout.write(JSON.stringify({ heapUsed: after.heapUsed - before.heapUsed, rss: after.rss - before.rss }), () => process.exit());
