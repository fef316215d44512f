import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { read } from '../documents.js';
import { blockFor, blocksForVitest, testsInReadme } from './readme.js';
import { besideTheTarball, jest, nodeTest, vitest } from './runners.js';

let folder: string;

beforeAll(() => {
  folder = besideTheTarball('jest', 'node');
  writeFileSync(join(folder, 'jest/readme.test.cjs'), blockFor('jest'));
  writeFileSync(join(folder, 'node/readme.test.mjs'), blockFor('node:test'));
});

test('the README has recipes', () => expect(testsInReadme().length).toBeGreaterThan(5));

test('each recipe of the README passes in vitest', async () => {
  const own = besideTheTarball();
  for (const [i, code] of blocksForVitest().entries()) writeFileSync(join(own, `${i}.test.ts`), code);
  expect(await vitest(own)).toEqual(testsInReadme());
});

test('each recipe of the README, and its block for jest, passes in jest', async () => {
  expect(await jest(folder, ['recipes'])).toEqual(testsInReadme());
});

test('each recipe of the README, and its block for node:test, passes in node:test', async () => {
  const files = readdirSync(join(folder, 'node')).map((file) => join('node', file));
  expect(await nodeTest(folder, ...files)).toEqual(testsInReadme());
});

test('the lockfile names no addresses', () => {
  expect(read('test/recipes/package-lock.json')).not.toContain('"resolved"');
});
