import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias: { 'retry-policy/testing': source('testing/index.ts'), 'retry-policy': source('index.ts') } },
        test: {
          name: 'unit',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['test/package/**', 'test/recipes/**', 'test/runtimes/**'],
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
    ],
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text', 'html'], thresholds: { 100: true } },
  },
});
