import { readFileSync } from 'node:fs';
import { previewSchedule } from 'retry-policy';
import { expect, test } from 'vitest';
import { defaults } from '../src/policy.js';
import { resolveRunOptions } from '../src/run-options.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** The cells of the row of a table that begins with `first`. */
const row = (first: string): string[] => {
  const line = readme.split('\n').find((text) => text.startsWith(`| ${first} |`));
  return line?.split('|').map((cell) => cell.trim()) ?? [];
};
const inDigits = (n: number) => (n < 1_000 ? String(n) : `${Math.floor(n / 1_000)} ${String(n % 1_000).padStart(3, '0')}`);

test.each([
  ['`maxAttempts`', inDigits(defaults.maxAttempts)],
  ['`backoff.baseMs`', inDigits(defaults.backoff.baseMs)],
  ['`backoff.capMs`', inDigits(defaults.backoff.capMs)],
  ['`backoff.factor`', inDigits(defaults.backoff.factor)],
  ['`jitter`', `\`'${defaults.jitter}'\``],
  ['`maxRetryAfterMs`', inDigits(defaults.maxRetryAfterMs)],
  ['`logLimit`', inDigits(resolveRunOptions().logLimit)],
])('the README tells the default of %s', (option, value) => {
  expect(row(option)[2]).toBe(value);
});

test.each(previewSchedule({}))('the README tells the longest wait after attempt $attempt', ({ attempt, delayMs, totalDelayMs }) => {
  const seconds = (ms: number) => `${ms / 1_000} s`;
  expect(row(String(attempt)).slice(2, 5)).toEqual([seconds(delayMs), `0 to ${seconds(delayMs)}`, seconds(totalDelayMs)]);
});
