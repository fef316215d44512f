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

const classes = /\bclass\b|\bWeakMap\b|\bWeakSet\b|\bSymbol\b/;
const timers = /AbortController|setTimeout|setImmediate|performance|\bDate\b/;
const chance = /\bcrypto\b|Math\.random\(/;

test.each([
  { names: 'exponentialBackoff', absent: [classes, timers, chance, /random/] },
  { names: 'withinBudget', absent: [classes, timers, chance, /random/] },
  { names: 'exponentialBackoff, fullJitter, equalJitter, decorrelatedJitter, withinBudget', absent: [classes, timers, chance] },
  { names: 'randomFrom', absent: [classes, timers, chance] },
  { names: 'cryptoRandom', absent: [classes, timers] },
  { names: 'systemClock', absent: [chance, /retry-policy/] },
  { names: 'TransientFailure, markTransient, markPermanent, isTransient', absent: [timers, chance] },
  { names: 'decide, definePolicy', absent: [timers, /\bcrypto\b/] },
])('a bundle of $names holds nothing of the rest', async ({ names, absent }) => {
  const text = await bundle(`export { ${names} } from 'retry-policy'`);
  expect(absent.filter((pattern) => pattern.test(text))).toEqual([]);
});

test('a bundle of the runner holds all that the others must do without', async () => {
  const text = await bundle(`export { runWithRetry } from 'retry-policy'`);
  expect([classes, timers, chance, /random/, /retry-policy/].filter((pattern) => !pattern.test(text))).toEqual([]);
});

test.each(['retry-policy', 'retry-policy/testing'])('importing %s without using it leaves nothing in a bundle', async (entry) => {
  expect(await bundle(`import * as entry from '${entry}'`)).toBe('');
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
