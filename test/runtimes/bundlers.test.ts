import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { printedBy, reportOf } from './program.js';
import { fetchingRow } from './row.js';
import type { Servers } from './server.js';
import { writeSuite } from './suite.js';

const bundle = fileURLToPath(new URL('bundle.mjs', import.meta.url));

for (const bundler of ['esbuild', 'rollup', 'vite', 'webpack']) {
  let folder: string;

  /** Makes a bundle of a script in the folder of the row; answers the bundler's version. */
  const bundled = async (name: string): Promise<string> => {
    const told = await printedBy(process.execPath, [bundle, bundler, join(folder, name), join(folder, 'bundles', name)], folder);
    return told.trimEnd().split('\n').at(-1) as string;
  };

  /** What a bundle of a script holds, without white space and comments. */
  const codeOf = async (name: string, script: string): Promise<string> => {
    writeFileSync(join(folder, name), script);
    await bundled(name);
    return (await transform(readFileSync(join(folder, 'bundles', name), 'utf8'), { minifyWhitespace: true })).code;
  };

  const start = async ({ origin }: Servers) => {
    folder = writeSuite(bundler, 'module', origin);
    const version = await bundled('main.mjs');
    return { ...(await reportOf(process.execPath, ['bundles/main.mjs'], folder)), version };
  };

  fetchingRow(`bundled by ${bundler}`, start, () => {
    test('a bundle of one pure function holds no classes, timers or chance', async () => {
      const code = await codeOf(
        'pure.mjs',
        `import { exponentialBackoff } from 'retry-policy';\nconsole.log(exponentialBackoff(3, { baseMs: 1, capMs: 9 }));`,
      );
      expect(code).toContain('capMs');
      expect(code).not.toMatch(/\bclass\b|WeakMap|WeakSet|Symbol|AbortController|setTimeout|performance|\bDate\b|crypto|Math\.random/);
    });

    test('a bundle of the runner holds what that of a pure function must not', async () => {
      const code = await codeOf('runner.mjs', `import { runWithRetry } from 'retry-policy';\nconsole.log(await runWithRetry(() => 1));`);
      expect(
        [/\bclass\b/, /WeakMap/, /Symbol/, /AbortController/, /setTimeout/, /performance/, /crypto/].filter((part) => !part.test(code)),
      ).toEqual([]);
      expect(code).not.toMatch(/MessageChannel/); // which only the testing entry needs
    });

    const entries = [
      'retry-policy',
      'retry-policy/testing',
      'retry-policy/classifiers',
      'retry-policy/durable',
      'retry-policy/fetch',
      'retry-policy/bullmq',
      'retry-policy/pg-boss',
    ];
    test.each(entries)('an import of %s that is not used leaves nothing', async (entry) => {
      const code = await codeOf(`unused-${entry.replace('/', '-')}.mjs`, `import * as unused from '${entry}';\nconsole.log('used');`);
      expect(code.trim()).toMatch(/^(var|const|let)?.{0,40}console\.log\(["'`]used["'`]\);?(export\{\};?)?$/);
    });
  });
}
