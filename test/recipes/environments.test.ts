import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { besideTheTarball, jest, nodeTest } from './runners.js';

let folder: string;

beforeAll(() => {
  folder = besideTheTarball('environments');
});

describe('the clocks give turns', () => {
  const inJest = async (...projects: readonly string[]) => {
    expect(await jest(folder, projects, 'fake-timers.test')).toHaveLength(3 * projects.length);
  };
  const inNode = async (when: string) => {
    const passed = await nodeTest(folder, `environments/${when}.test.mjs`);
    expect(passed).toEqual([`the clocks give turns, with timers mocked ${when} import`]);
  };

  test('in jest, with timers faked before import, after it, or not', () => inJest('node', 'node, faked', 'node, faked the old way'));
  test('in jest with jsdom, with timers faked before import, after it, or not', () =>
    inJest('jsdom', 'jsdom, faked', 'jsdom, faked the old way'));
  test.each(['before', 'after'])('in node:test, with timers mocked %s import', inNode);
});

describe('listeners are counted on the signals', () => {
  test.each(['node', 'jsdom'])('of jest with %s', async (environment) => {
    expect(await jest(folder, [environment], 'signal.test')).toHaveLength(1);
  });
});

describe('the clocks give turns in vitest', { timeout: 5_000 }, () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Loads the package anew, as CommonJS or as ES modules. */
  const load = {
    async CommonJS() {
      const require = createRequire(join(folder, 'environments/check.cjs'));
      for (const file of Object.keys(require.cache)) if (file.includes('retry-policy')) delete require.cache[file];
      return [require('retry-policy'), require('retry-policy/testing')];
    },
    async ESM() {
      const dist = pathToFileURL(join(inject('folder'), 'node_modules/retry-policy/dist/'));
      return Promise.all(['index.js', 'testing/index.js'].map((file) => import(`${new URL(file, dist)}?${crypto.randomUUID()}`)));
    },
  };

  for (const format of ['CommonJS', 'ESM'] as const) {
    test(`with timers faked after import, as ${format}`, async () => {
      const modules = await load[format]();
      vi.useFakeTimers();
      await check(...modules);
    });

    test(`with timers faked before import, as ${format}`, async () => {
      vi.useFakeTimers();
      await check(...(await load[format]()));
    });
  }

  const check = (...modules: readonly unknown[]): Promise<void> => createRequire(import.meta.url)('./environments/check.cjs')(...modules);
});
