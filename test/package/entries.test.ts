import { describe, expect, test } from 'vitest';
import { valuesExportedBy } from '../documents.js';
import { factsFrom } from './node.js';

describe.each([
  ['retry-policy', 'src/index.ts'],
  ['retry-policy/testing', 'src/testing/index.ts'],
  ['retry-policy/classifiers', 'src/classifiers/index.ts'],
  ['retry-policy/durable', 'src/durable/index.ts'],
  ['retry-policy/fetch', 'src/fetch/index.ts'],
  ['retry-policy/bullmq', 'src/bullmq/index.ts'],
  ['retry-policy/pg-boss', 'src/pg-boss/index.ts'],
  ['retry-policy/temporal', 'src/temporal/index.ts'],
])('%s', (entry, file) => {
  const expected = valuesExportedBy(file)
    .map(({ name }) => name)
    .sort();

  test('gives ES modules its public names', async () => {
    const names = await factsFrom(`import * as entry from '${entry}'; const facts = Object.keys(entry)`);
    expect(names).toEqual(expected);
  });

  test('gives ES modules each name by a named import', async () => {
    const types = await factsFrom(
      `import { ${expected.join(', ')} } from '${entry}'; const facts = [${expected}].map((value) => typeof value)`,
    );
    expect(types).not.toContain('undefined');
  });

  test('gives CommonJS modules the same names', async () => {
    const names = await factsFrom(`const entry = require('${entry}'); const facts = Object.keys(entry).sort()`, 'commonjs');
    expect(names).toEqual(expected);
  });
});

/** Each script knows two copies, and makes things with `one` that it shows to `other`. */
const both = (from: string, script: string): string => `
  import * as esm from 'retry-policy';
  import { frozenClock } from 'retry-policy/testing';
  import { createRequire } from 'node:module';
  const cjs = createRequire(import.meta.url)('retry-policy');
  const [one, other] = ${from === 'ESM' ? '[esm, cjs]' : '[cjs, esm]'};
  const result = { error: new Error('x'), reason: 'permanent', log: [], attempts: 1 };
  ${script}`;

describe.each([
  ['ESM', 'CommonJS'],
  ['CommonJS', 'ESM'],
])('the %s copy, beside the %s copy in one process,', (from) => {
  test('is another copy', async () => {
    const facts = await factsFrom(both(from, 'const facts = new one.TransientFailure() instanceof other.TransientFailure'));
    expect(facts).toBe(false);
  });

  test('makes failures and marks that the other knows', async () => {
    const facts = await factsFrom(
      both(
        from,
        `const facts = {
          failure: other.isTransient(new one.TransientFailure()),
          hint: other.markedFailures(new one.TransientFailure('x', { retryAfterMs: 50 })),
          timeout: [other.isAttemptTimeout, other.isTransient].map((is) => is(new one.AttemptTimeout('attempt', 1))),
          marked: other.markedFailures(one.markTransient(Object.freeze(new Error('x')), { retryAfterMs: 5 })),
          permanent: other.markedFailures(one.markPermanent(new other.TransientFailure())),
          deadLetter: [other.isDeadLetterError, other.isTransient].map((is) => is(new one.DeadLetterError(result))),
          hookError: [other.isRetryHookError, other.isTransient].map((is) => is(new one.RetryHookError('delay', 'x'))),
        }`,
      ),
    );
    expect(facts).toEqual({
      failure: true,
      hint: { verdict: 'transient', retryAfterMs: 50 },
      timeout: [true, true],
      marked: { verdict: 'transient', retryAfterMs: 5 },
      permanent: 'permanent',
      deadLetter: [true, false],
      hookError: [true, false],
    });
  });

  test('keeps a permanent mark that the other gave', async () => {
    const facts = await factsFrom(both(from, `const facts = one.markedFailures(one.markTransient(other.markPermanent(new Error('x'))))`));
    expect(facts).toBe('permanent');
  });

  test('retries what the other marks, under a policy and with a clock of the other', async () => {
    const facts = await factsFrom(
      both(
        from,
        `const task = () => { throw new other.TransientFailure('x') };
        const run = await one.runWithRetry(task, other.definePolicy({ maxAttempts: 3 }), { clock: frozenClock(0), random: other.cryptoRandom });
        const facts = [run.reason, run.attempts]`,
      ),
    );
    expect(facts).toEqual(['attempts-exhausted', 3]);
  });

  test('does not repeat what the other has given up', async () => {
    const facts = await factsFrom(
      both(
        from,
        `let calls = 0;
        const inner = other.withRetry(() => { calls++; throw new one.TransientFailure('x') }, { maxAttempts: 3 }, { clock: frozenClock(0) });
        const run = await one.runWithRetry(inner, { maxAttempts: 3 }, { clock: frozenClock(0) });
        const facts = [run.reason, run.attempts, calls]`,
      ),
    );
    expect(facts).toEqual(['permanent', 1, 3]);
  });
});

describe.each([
  ['ESM', "await import('retry-policy')"],
  ['CommonJS', "createRequire(import.meta.url)('retry-policy')"],
])('the error classes of the %s build', (_, load) => {
  const names = ['TransientFailure', 'AttemptTimeout', 'DeadLetterError', 'RetryHookError'];
  const made = `
    import { createRequire } from 'node:module';
    import { inspect } from 'node:util';
    const { TransientFailure, AttemptTimeout, DeadLetterError, RetryHookError } = ${load};
    const errors = [
      new TransientFailure('x'),
      new AttemptTimeout('attempt', 8),
      new DeadLetterError({ error: new Error('x'), reason: 'permanent', log: [], attempts: 1 }),
      new RetryHookError('delay', new Error('x')),
    ];`;

  test('have their names', async () => {
    expect(await factsFrom(`${made} const facts = errors.map(({ constructor }) => constructor.name)`)).toEqual(names);
  });

  test('begin their stacks with them', async () => {
    const beginnings = await factsFrom(`${made} const facts = errors.map(({ stack }) => stack.split('\\n')[0])`);
    expect(beginnings).toEqual([
      'TransientFailure: x',
      'AttemptTimeout: the attempt took longer than 8 ms (attempt limit)',
      'DeadLetterError: gave up after 1 attempt (permanent): x',
      'RetryHookError: the delay hook failed: x',
    ]);
  });

  test('are inspected under them, and show nothing of their making', async () => {
    const shown = (await factsFrom(`${made} const facts = errors.map((error) => inspect(error))`)) as string[];
    expect(shown.map((text) => text.slice(0, text.indexOf(':')))).toEqual(names);
    expect(shown.join()).not.toMatch(/\b_|PermanentFailure|Symbol\(/);
  });
});
