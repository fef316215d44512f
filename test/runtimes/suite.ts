import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

/** The entries of the package, by the names that the behaviours know them by. */
const entries = { main: '', testing: '/testing', classifiers: '/classifiers', fetching: '/fetch' };

const importsFrom = (addressOf: (entry: string) => string) =>
  Object.entries(entries).map(([name, entry]) => `import * as ${name} from '${addressOf(entry)}';`);

/** The other copy has all but what only tests need. */
const others = Object.entries(entries).filter(([name]) => name !== 'testing');

const byName = importsFrom((entry) => `retry-policy${entry}`);
const byPath = importsFrom((entry) => `./package${entry}/index.js`);
const required = [
  `import { createRequire } from 'node:module';`,
  'const require = createRequire(import.meta.url);',
  `const other = { ${others.map(([, entry]) => `...require('retry-policy${entry}')`)} };`,
];
const copied = [
  ...others.map(([name, entry]) => `import * as other_${name} from './another${entry}/index.js';`),
  `const other = { ${others.map(([name]) => `...other_${name}`)} };`,
];

/** How a runtime reaches the package and another copy: as Node does, by its name where CommonJS is unknown, or by nothing but paths. */
const ways = {
  node: [...byName, ...required],
  module: [...byName, ...copied],
  path: [...byPath, ...copied],
};

/**
 * Writes the suite for one row into a folder of its own, beside the installed package; answers the folder.
 *
 * `suite.mjs` exports `report()`, and `main.mjs` prints it. The built package lies there twice, for runtimes that have no resolution
 * of their own, and as the other copy.
 *
 * @param origin  of the server that fails as it is asked to; without it the suite does not fetch
 * @param main  the script that runs the suite, if it is another one
 */
export function writeSuite(row: string, way: keyof typeof ways, origin: string | undefined, main = printing): string {
  const folder = join(inject('folder'), row.replaceAll(/\W+/g, '-'));
  mkdirSync(folder);
  const here = fileURLToPath(new URL('.', import.meta.url));
  for (const file of ['behaviours.mjs', 'fetching.mjs', 'virtual-time.mjs', 'watch.mjs']) cpSync(join(here, file), join(folder, file));
  for (const copy of ['package', 'another']) {
    const isOfModules = (path: string) => !/\.(cjs|ts|cts)$/.test(path);
    cpSync(join(inject('folder'), 'node_modules/retry-policy/dist'), join(folder, copy), { recursive: true, filter: isOfModules });
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  writeFileSync(join(folder, 'suite.mjs'), suite(ways[way], origin));
  writeFileSync(join(folder, 'main.mjs'), main);
  return folder;
}

const suite = (imports: readonly string[], origin: string | undefined) => `
${imports.join('\n')}
import { behaviours, run } from './behaviours.mjs';
import { fetchBehaviours } from './fetching.mjs';

const { Bun, Deno, process } = globalThis;
const version = Deno?.version.deno ?? Bun?.version ?? process?.versions.node;
const library = { ${Object.keys(entries).join(', ')}, other, origin: ${JSON.stringify(origin)} };
const all = library.origin === undefined ? behaviours : { ...behaviours, ...fetchBehaviours };
export const report = async () => ({ version, ...(await run(all, library)) });
export { main, testing };
`;

const printing = `
import { report } from './suite.mjs';
console.log(JSON.stringify(await report()));
`;
