import { readFileSync } from 'node:fs';

/** The library under test, as the tables name it; it is the built one, in `../dist`. */
export const OURS = 'retry-policy';

/** Who is compared, and what one imports of each to have a call retried. */
export const libraries = {
  [OURS]: { from: '../dist/index.js', names: '{ runWithRetry }' },
  cockatiel: { from: 'cockatiel', names: '{ retry, handleAll, ExponentialBackoff }' },
  'p-retry': { from: 'p-retry', names: '{ default }' },
  '@lifeomic/attempt': { from: '@lifeomic/attempt', names: '{ retry }' },
  'async-retry': { from: 'async-retry', names: '{ default }' },
  'exponential-backoff': { from: 'exponential-backoff', names: '{ backOff }' },
};

/** The version that is installed, so that a table never tells another than the one it measured. */
export function versionOf(library) {
  const folder = library === OURS ? '..' : `node_modules/${library}`;
  return JSON.parse(readFileSync(new URL(`${folder}/package.json`, import.meta.url), 'utf8')).version;
}
