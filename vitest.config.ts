import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The entries by the names that users import, in one of the forms that they have here. */
const entriesIn = (folder: string, extension: string) => [
  { find: /^retry-policy$/, replacement: fileURLToPath(new URL(`${folder}/index.${extension}`, import.meta.url)) },
  { find: /^retry-policy\/([\w-]+)$/, replacement: fileURLToPath(new URL(`${folder}/$1/index.${extension}`, import.meta.url)) },
];

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias: entriesIn('src', 'ts') },
        test: {
          name: 'unit',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['test/package/**', 'test/recipes/**', 'test/runtimes/**', 'test/integration/**'],
        },
      },
      {
        test: {
          name: 'package',
          include: ['test/package/**/*.test.ts', 'test/recipes/*.test.ts'],
          globalSetup: 'test/package/install.ts',
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'runtimes',
          include: ['test/runtimes/*.test.ts'],
          globalSetup: 'test/package/install.ts',
          maxWorkers: 2,
          testTimeout: 180_000,
          hookTimeout: 600_000,
        },
      },
      {
        resolve: { alias: entriesIn('dist', 'js') },
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: ['**/node_modules/**'],
          maxWorkers: 1, // one file after the other: no server is starved by another
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text', 'html'], thresholds: { 100: true } },
  },
});
