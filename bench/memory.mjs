import { fromChild } from './child.mjs';
import { OURS } from './libraries.mjs';
import { median } from './measure.mjs';

const PENDING = 100_000;
const ROUNDS = 3;
const contenders = ['bare timer', 'bare wait', OURS, 'cockatiel', 'p-retry', '@lifeomic/attempt', 'async-retry', 'exponential-backoff'];

/** What one pending backoff wait holds, with 100,000 at once; each contender in a process of its own. */
export async function memory() {
  const samples = Object.fromEntries(contenders.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of contenders) samples[name].push(await fromChild('--expose-gc', 'memory-child.mjs', name, PENDING));
  }
  const bytes = (name, kind) => median(samples[name].map((sample) => sample[kind])) / PENDING;
  return {
    title: `Memory of a pending backoff wait, ${PENDING.toLocaleString('en')} at once`,
    columns: ['', 'heap, B', 'resident, B'],
    rows: contenders.map((name) => [name, bytes(name, 'heapUsed').toFixed(0), bytes(name, 'rss').toFixed(0)]),
    goals: [{ measure: 'memory of a pending backoff wait', figure: bytes(OURS, 'heapUsed'), unit: 'B', limit: 1_300 }],
  };
}
