import { fromChild } from './child.mjs';
import { libraries, OURS } from './libraries.mjs';
import { median } from './measure.mjs';

const ROUNDS = 21;
const EMPTY = 'an empty module';
const LARGE = 'cockatiel'; // a whole family of policies: being faster than it means nothing

/** The time that `import()` takes in a fresh process, start of Node not counted. */
export async function importTime() {
  const modules = { [EMPTY]: './empty.mjs' };
  for (const [name, { from }] of Object.entries(libraries)) modules[name] = from;
  const samples = Object.fromEntries(Object.keys(modules).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, specifier] of Object.entries(modules)) samples[name].push(await timeOf(specifier));
  }
  const ms = (name) => median(samples[name]);
  const small = Object.keys(libraries).filter((name) => name !== OURS && name !== LARGE);
  return {
    title: 'Import in a fresh process',
    columns: ['', 'ms', 'above an empty module, ms'],
    rows: Object.keys(modules).map((name) => [name, ms(name).toFixed(1), (ms(name) - ms(EMPTY)).toFixed(1)]),
    goals: [
      { measure: 'import time (target: the slowest of the small ones)', figure: ms(OURS), unit: 'ms', limit: Math.max(...small.map(ms)) },
    ],
  };
}

const timeOf = (specifier) =>
  fromChild(
    '--input-type=module',
    '--eval',
    `const startedAt = performance.now(); await import('${specifier}'); console.log(performance.now() - startedAt)`,
  );
