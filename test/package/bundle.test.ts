import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, inject, test } from 'vitest';

/** What a bundler makes of one script. */
async function bundle(script: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: inject('folder') },
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

const classes = /\bclass\b|\bWeakMap\b|\bWeakSet\b/;
const marks = /retry-policy\.(?!overrides|system-clock)/; // the keys by which clocks and chance are overridden go along with them
const symbols = /\bSymbol\b/;
const timers = /AbortController|setTimeout|setImmediate|performance|\bDate\b/;
const chance = /\bcrypto\b|Math\.random\(/;

test.each([
  ['exponentialBackoff', [classes, symbols, timers, chance, /random/]],
  ['withinBudget', [classes, symbols, timers, chance, /random/]],
  ['exponentialBackoff, fullJitter, equalJitter, decorrelatedJitter, withinBudget', [classes, symbols, timers, chance]],
  ['randomFrom', [classes, symbols, timers, chance]],
  ['cryptoRandom', [classes, marks, timers]],
  ['systemClock', [chance, marks]],
  ['TransientFailure, markTransient, markPermanent, isTransient', [timers, chance]],
  ['decide, definePolicy', [timers, /\bcrypto\b/]],
])('a bundle of %s holds nothing of the rest', async (names, absent) => {
  const text = await bundle(`export { ${names} } from 'retry-policy'`);
  expect(absent.filter((pattern) => pattern.test(text))).toEqual([]);
});

test('a bundle of the runner holds all that the others must do without', async () => {
  const text = await bundle(`export { runWithRetry } from 'retry-policy'`);
  expect([classes, symbols, marks, timers, chance, /random/].filter((pattern) => !pattern.test(text))).toEqual([]);
});

test.each(['', '/testing', '/classifiers', '/durable', '/fetch', '/bullmq', '/pg-boss'].map((path) => `retry-policy${path}`))(
  'importing %s without using it leaves nothing in a bundle',
  async (entry) => {
    expect(await bundle(`import * as entry from '${entry}'`)).toBe('');
  },
);

const tables = [
  /failed to fetch/,
  /40P01/,
  /ER_LOCK_DEADLOCK/,
  /SQLITE_/,
  /EREQUEST/,
  /TransientTransactionError/,
  /LOADING/,
  /RetryInfo/,
  /ENOTFOUND/,
];
test.each([
  ['transientStatuses', []],
  ['parseRetryAfter', []],
  ['networkErrors', [0]],
  ['unknownHosts', [8]],
  ['postgresErrors', [1]],
  ['mysqlErrors', [2]],
  ['sqliteErrors', [3]],
  ['sqlServerErrors', [4]],
  ['mongoErrors', [5, 8]],
  ['redisErrors', [6]],
  ['grpcErrors()', [7]],
  ['sqlErrors', [1, 2, 3, 4, 5, 6, 8]],
  ['httpErrors()', []],
])('a bundle of %s holds no table of another classifier', async (use, own) => {
  const name = use.replace('()', '');
  const text = await bundle(`import { ${name} } from 'retry-policy/classifiers'; export const used = ${use};`);
  expect(tables.flatMap((table, i) => (table.test(text) ? [i] : []))).toEqual(own);
});

test('a minified bundle keeps the names of the errors', async () => {
  const text = await bundle(`
    import { AttemptTimeout, DeadLetterError, RetryHookError, TransientFailure } from 'retry-policy';
    const end = { error: 'x', reason: 'permanent', log: [], attempts: 1 };
    const errors = [new TransientFailure(), new AttemptTimeout('attempt', 1), new DeadLetterError(end), new RetryHookError('delay', 'x')];
    export const names = errors.map(({ name }) => name);`);
  const { names } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  expect(names).toEqual(['TransientFailure', 'AttemptTimeout', 'DeadLetterError', 'RetryHookError']);
});

test('a bundle that leaves the system clocks out runs on an overriding clock all the same', async () => {
  const text = await bundle(`
    import { runWithRetry, TransientFailure } from 'retry-policy';
    import { fixedRandom, overrideDefaults, virtualClock } from 'retry-policy/testing';
    const clock = virtualClock();
    const override = overrideDefaults({ clock, random: fixedRandom(Infinity) });
    await runWithRetry(() => Promise.reject(new TransientFailure()));
    override.restore();
    export const now = clock.now();`);
  const { now } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  expect(now).toBe(14_000);
});

test.each(['bullmq', 'pg-boss', 'temporal'])(
  'the adapter for %s adds less than 1.5 kB to what it is built on, and has nothing of the engine',
  async (name) => {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL(`../../src/${name}/index.ts`, import.meta.url))],
      bundle: true,
      format: 'esm',
      minify: true,
      write: false,
      plugins: [
        { name: 'own-folder', setup: ({ onResolve }) => onResolve({ filter: /^(\.\.\/|@)/ }, ({ path }) => ({ path, external: true })) },
      ],
    });
    expect(brotliCompressSync(outputFiles[0]?.contents ?? '').length).toBeLessThan(1_500);
  },
);
