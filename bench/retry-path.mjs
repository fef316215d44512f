import { retry as attempt } from '@lifeomic/attempt';
import asyncRetry from 'async-retry';
import { ConstantBackoff, handleAll, retry } from 'cockatiel';
import { backOff } from 'exponential-backoff';
import pRetry from 'p-retry';
import { definePolicy, runWithRetry, TransientFailure } from '../dist/index.js';
import { OURS } from './libraries.mjs';
import { sideBySide } from './measure.mjs';
import { timeSection } from './report.mjs';

const failure = new TransientFailure('503');

/** A task that fails twice, then succeeds, then starts again. */
function healing() {
  let calls = 0;
  return async () => {
    if (++calls % 3 !== 0) throw failure;
    return 'done';
  };
}

async function byHand(task, turn) {
  for (;;) {
    try {
      return await task();
    } catch {
      await new Promise(turn);
    }
  }
}

const policy = definePolicy({ maxAttempts: 3, backoff: { baseMs: 0 } });
const cockatiel = retry(handleAll, { maxAttempts: 2, backoff: new ConstantBackoff(0) });
const nodeRetryOptions = { retries: 2, minTimeout: 0, maxTimeout: 0, randomize: false };

const runner = (start) => {
  const task = healing();
  return () => start(task);
};

const contenders = {
  [OURS]: runner((task) => runWithRetry(task, policy)),
  'by hand, setImmediate': runner((task) => byHand(task, setImmediate)),
  'by hand, setTimeout': runner((task) => byHand(task, setTimeout)),
  cockatiel: runner((task) => cockatiel.execute(task)),
  'p-retry': runner((task) => pRetry(task, nodeRetryOptions)),
  '@lifeomic/attempt': runner((task) => attempt(task, { maxAttempts: 3, delay: 0 })),
  'async-retry': runner((task) => asyncRetry(task, nodeRetryOptions)),
  'exponential-backoff': runner((task) => backOff(task, { numOfAttempts: 3, startingDelay: 0, jitter: 'none' })),
};

/** Whether other work gets a turn while the operation is under way; a loop of instant failures starves the event loop otherwise. */
async function yields(operation) {
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  await operation();
  return turned;
}

/** Two failures, then success, without delay, one run after the other on the system clock. */
export async function retryPath() {
  const givesTurn = {};
  for (const [name, operation] of Object.entries(contenders)) givesTurn[name] = (await yields(operation)) ? 'yes' : 'no';
  const times = await sideBySide(contenders);
  const section = timeSection('Two failures, then success, zero delay', times, OURS, [
    { measure: 'two failures, then success, zero delay', figure: times.ns[OURS] / 1e6, unit: 'ms', limit: 0.1 },
  ]);
  return {
    ...section,
    columns: [...section.columns, 'other work gets a turn'],
    rows: section.rows.map((row) => [...row, givesTurn[row[0]]]),
  };
}
