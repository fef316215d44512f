import { reportOf } from './program.js';
import { fetchingRow } from './row.js';
import { denoProgram } from './runtimes.js';
import { writeSuite } from './suite.js';

fetchingRow('Deno', async ({ origin }) => {
  const folder = writeSuite('Deno', 'node', origin);
  const env = { DENO_DIR: `${folder}/.deno`, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' };
  return reportOf(await denoProgram(), ['run', '--allow-read', '--allow-net', '--cached-only', 'main.mjs'], folder, env);
});
