import { reportOf } from './program.js';
import { fetchingRow } from './row.js';
import { bunProgram } from './runtimes.js';
import { writeSuite } from './suite.js';

fetchingRow('Bun', async ({ origin }) => reportOf(await bunProgram(), ['main.mjs'], writeSuite('Bun', 'node', origin)));
