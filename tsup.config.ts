import { defineConfig, type Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** One built file for each module, in both formats, so that a bundler can leave out every module that is not used. */
const keepModules: Plugin = {
  name: 'keep-modules',
  setup(build) {
    const extension = build.initialOptions.format === 'cjs' ? '.cjs' : '.js';
    build.onResolve({ filter: /^\.{1,2}\// }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/\.js$/, extension), external: true },
    );
  },
};

export default defineConfig({
  entry: ['src/**/*.ts'],
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  splitting: false,
  clean: true,
  dts: { entry: { index: 'src/index.ts', 'testing/index': 'src/testing/index.ts' } },
  esbuildPlugins: [keepModules],
});
