// node bundle.mjs <bundler> <script> <bundle>: makes one file of a script, as a user would with each of them; prints the bundler's version.
import { basename, dirname } from 'node:path';

const bundlers = {
  async esbuild(script, bundle) {
    const { build, version } = await import('esbuild');
    await build({
      entryPoints: [script],
      outfile: bundle,
      bundle: true,
      format: 'esm',
      target: 'es2022',
      minify: true,
      logLevel: 'warning',
    });
    return version;
  },

  async rollup(script, bundle) {
    const { rollup, VERSION } = await import('rollup');
    const { nodeResolve } = await import('@rollup/plugin-node-resolve');
    const build = await rollup({ input: script, plugins: [nodeResolve()] });
    await build.write({ file: bundle, format: 'es' });
    await build.close();
    return VERSION;
  },

  async vite(script, bundle) {
    const { build, version } = await import('vite');
    const lib = { entry: script, formats: ['es'], fileName: () => basename(bundle) };
    const options = { lib, outDir: dirname(bundle), emptyOutDir: false, target: 'es2022' };
    await build({ root: dirname(script), configFile: false, logLevel: 'error', build: options });
    return version;
  },

  async webpack(script, bundle) {
    const { default: webpack } = await import('webpack');
    const compiler = webpack({
      mode: 'production',
      target: ['web', 'es2022'],
      entry: script,
      output: { path: dirname(bundle), filename: basename(bundle), module: true, library: { type: 'module' } },
      experiments: { outputModule: true },
    });
    const stats = await new Promise((resolve, reject) => compiler.run((fault, stats) => (fault ? reject(fault) : resolve(stats))));
    await new Promise((resolve) => compiler.close(resolve));
    if (stats.hasErrors()) throw new Error(stats.toString());
    return webpack.version;
  },
};

const [bundler, script, bundle] = process.argv.slice(2);
console.log(await bundlers[bundler](script, bundle));
