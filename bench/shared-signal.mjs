import { fromChild } from './child.mjs';
import { OURS } from './libraries.mjs';
import { median } from './measure.mjs';

const ROUNDS = 3;
const SIZES = [1_000, 5_000, 10_000, 20_000];
const contenders = [OURS, 'by hand', 'p-retry'];

/** Many runs at once on one signal: what it costs to start one and to abort all; one listener for each run is quadratic in Node. */
export async function sharedSignal() {
  const samples = Object.fromEntries(contenders.map((name) => [name, Object.fromEntries(SIZES.map((size) => [size, []]))]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of contenders) {
      for (const size of SIZES) samples[name][size].push(await fromChild('shared-signal-child.mjs', name, size));
    }
  }
  const us = (name, size, kind) => (median(samples[name][size].map((sample) => sample[kind])) / size) * 1_000;
  const growth = us(OURS, SIZES.at(-1), 'startMs') / us(OURS, SIZES[0], 'startMs');
  const growthFrom5000 = (name) => (us(name, 20_000, 'startMs') / us(name, 5_000, 'startMs')).toFixed(2);
  return {
    title: 'Runs at once on one shared signal, µs a run',
    columns: ['', ...SIZES.flatMap((size) => [`${size.toLocaleString('en')}: start`, 'abort'])],
    rows: contenders.map((name) => [
      name,
      ...SIZES.flatMap((size) => [us(name, size, 'startMs').toFixed(1), us(name, size, 'abortMs').toFixed(1)]),
    ]),
    goals: [
      { measure: 'start of one of 10,000 runs on one signal', figure: us(OURS, 10_000, 'startMs'), unit: 'µs', limit: 30 },
      {
        measure: 'the same at 20,000 against 1,000 (linear: 1x, quadratic: 20x)',
        figure: growth,
        unit: 'x',
        limit: 2,
        because: `a thousand runs are over before the heap has grown; from 5,000 to 20,000 it is ${growthFrom5000(OURS)} x, and ${growthFrom5000('by hand')} x with a listener for each run`,
      },
    ],
  };
}
