import { reportOf } from './program.js';
import { behaviourRow } from './row.js';
import { bunProgram } from './runtimes.js';
import { writeSuite } from './suite.js';

behaviourRow('Bun', async () => reportOf(await bunProgram(), ['main.mjs'], writeSuite('Bun', 'node')));
