import { reportOf } from './program.js';
import { behaviourRow } from './row.js';
import { denoProgram } from './runtimes.js';
import { writeSuite } from './suite.js';

behaviourRow('Deno', async () => {
  const folder = writeSuite('Deno', 'node');
  const env = { DENO_DIR: `${folder}/.deno`, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' };
  return reportOf(await denoProgram(), ['run', '--allow-read', '--cached-only', 'main.mjs'], folder, env);
});
