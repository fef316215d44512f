import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';
import { libraries, OURS } from './libraries.mjs';

const OUR_BUILD = libraries[OURS].from;
const entry = (subpath) => OUR_BUILD.replace(/index\.js$/, `${subpath}/index.js`);
const PURE_NAMES = '{ exponentialBackoff, fullJitter, withinBudget }';

async function bytesOf(code) {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser', // takes the modules of those who ship both
    external: ['@temporalio/common'],
    write: false,
  });
  const { contents } = outputFiles[0];
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: contents.length };
  return { minified: contents.length, brotli: brotliCompressSync(contents, { params }).length };
}

/** The formulas of the three pure functions, with no check and no message. */
const FORMULAS = `export const exponentialBackoff = (attempt, { baseMs, capMs, factor = 2 }) => (baseMs > 0 ? Math.min(capMs, baseMs * factor ** (attempt - 1)) : 0);
export const fullJitter = (delayMs, random) => random(0, Math.floor(delayMs));
export const withinBudget = ({ elapsedMs, nextAttemptMs, budgetMs }) => elapsedMs + nextAttemptMs <= budgetMs;`;

/** How many minified bytes of the runner come from each of our source files, the largest first. */
async function sharesOfTheRunner() {
  const { metafile } = await build({
    stdin: { contents: `export ${libraries[OURS].names} from '../src/index.ts'`, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    metafile: true,
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  return Object.entries(inputs)
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput)
    .map(([path, { bytesInOutput }]) => `${path.replace(/^.*\/src\//, '')} ${bytesInOutput}`);
}

/** What an import adds to a bundle. */
export async function bytes() {
  const runner = await bytesOf(`export ${libraries[OURS].names} from '${OUR_BUILD}'`);
  const pure = await bytesOf(`export ${PURE_NAMES} from '${OUR_BUILD}'`);
  const whole = await bytesOf(`export * from '${OUR_BUILD}'`);
  const formulas = await bytesOf(FORMULAS);
  const runnerAndFetch = await bytesOf(`export ${libraries[OURS].names} from '${OUR_BUILD}'; export * from '${entry('fetch')}'`);
  const shares = await sharesOfTheRunner();
  const figures = [
    [`${OURS} ${libraries[OURS].names}`, runner],
    [`${OURS} ${PURE_NAMES}`, pure],
    [`${OURS} *`, whole],
    [`${OURS}/fetch *, with { runWithRetry }`, runnerAndFetch],
  ];
  for (const names of ['{ networkErrors }', '{ httpErrors }', '{ sqlErrors }', '{ postgresErrors }', '*']) {
    figures.push([`${OURS}/classifiers ${names}`, await bytesOf(`export ${names} from '${entry('classifiers')}'`)]);
  }
  for (const subpath of ['durable', 'bullmq', 'pg-boss', 'temporal']) {
    figures.push([`${OURS}/${subpath} *`, await bytesOf(`export * from '${entry(subpath)}'`)]);
  }
  for (const [name, { from, names }] of Object.entries(libraries)) {
    if (name !== OURS) figures.push([`${name} ${names}`, await bytesOf(`export ${names} from '${from}'`)]);
  }
  return {
    title: 'Bytes of an import, bundled and minified',
    columns: ['', 'minified, B', 'brotli, B'],
    rows: figures.map(([name, { minified, brotli }]) => [name, `${minified}`, `${brotli}`]),
    goals: [
      {
        measure: 'brotli bytes of `{ runWithRetry }`',
        figure: runner.brotli,
        unit: 'B',
        limit: 4_000,
        because: `no part stands out; minified bytes by source file: ${shares.join(', ')}`,
      },
      {
        measure: 'brotli bytes of the three pure functions',
        figure: pure.brotli,
        unit: 'B',
        limit: 500,
        because: `the formulas alone are ${formulas.brotli} B; the rest checks each argument and says what is wrong with it`,
      },
      {
        measure: 'brotli bytes of `retry-policy/fetch`, on top of `{ runWithRetry }`',
        figure: runnerAndFetch.brotli - runner.brotli,
        unit: 'B',
        limit: 3_500,
      },
    ],
  };
}
