/** Prints what many runs on one signal take to start and to abort: `node shared-signal-child.mjs <contender> <runs>`. */

import pRetry from 'p-retry';
import { definePolicy, runWithRetry } from '../dist/index.js';
import { OURS } from './libraries.mjs';
import { median } from './measure.mjs';

const WARM_CYCLES = 10;
const WARM_RUNS = 500;
const CYCLES = 3;
const ENOUGH_MS = 500;

const policy = definePolicy({});

const untilAborted = (signal) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const starts = {
  [OURS]: (signal) => runWithRetry((context) => untilAborted(context.signal), policy, { signal }),
  'by hand': untilAborted,
  'p-retry': (signal) => pRetry(() => untilAborted(signal), { signal, retries: 3 }), // it has no signal for its task
};

async function cycle(start, runs) {
  const controller = new AbortController();
  const startedAt = performance.now();
  const all = Array.from({ length: runs }, () => start(controller.signal));
  const pendingAt = performance.now();
  controller.abort();
  await Promise.allSettled(all);
  return { startMs: pendingAt - startedAt, abortMs: performance.now() - pendingAt };
}

const [name, runs] = process.argv.slice(2);
for (let i = 0; i < WARM_CYCLES; i++) await cycle(starts[name], WARM_RUNS);
const cycles = [];
const begunAt = performance.now();
do cycles.push(await cycle(starts[name], Number(runs)));
while (cycles.length < CYCLES && performance.now() - begunAt < ENOUGH_MS);
const figure = (kind) => median(cycles.map((one) => one[kind]));
process.stdout.write(JSON.stringify({ startMs: figure('startMs'), abortMs: figure('abortMs') }));
