import { reportOf } from './program.js';
import { fetchingRow } from './row.js';
import { nodeProgram } from './runtimes.js';
import { writeSuite } from './suite.js';

for (const version of ['20', '22', '24', '26']) {
  const name = `Node ${version}`;
  fetchingRow(name, async ({ origin }) => reportOf(await nodeProgram(version), ['main.mjs'], writeSuite(name, 'node', origin)));
}
