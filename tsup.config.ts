import { rmSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** One built file for each module, so that the entries share their state: esbuild makes no shared chunks for CommonJS. */
const keepModules: Plugin = {
  name: 'keep-modules',
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\// }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/\.js$/, '.cjs'), external: true },
    );
  },
};

const subpaths = ['testing', 'classifiers', 'fetch', 'durable', 'bullmq', 'pg-boss', 'temporal'];
const entry = Object.fromEntries(['index', ...subpaths.map((name) => `${name}/index`)].map((path) => [path, `src/${path}.ts`]));
const shared = { target: 'es2022', platform: 'neutral', dts: { entry } } satisfies Options;

rmSync('dist', { recursive: true, force: true }); // here and once: the two builds run side by side

export default defineConfig([
  { ...shared, format: 'esm', entry, splitting: true },
  { ...shared, format: 'cjs', entry: ['src/**/*.ts'], splitting: false, esbuildPlugins: [keepModules] },
]);
