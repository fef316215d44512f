import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

/** The names that a suite imports the package by, and how it gets another copy of it. */
const byName = { main: 'retry-policy', testing: 'retry-policy/testing' };
const byPath = { main: './package/index.js', testing: './package/testing/index.js' };
const required = `
  import { createRequire } from 'node:module';
  const other = createRequire(import.meta.url)('retry-policy');`;
const copied = `import * as other from './another/index.js';`;

/** How a runtime reaches the package: as Node does, by its name where CommonJS is unknown, or by nothing but paths. */
const ways = {
  node: { ...byName, other: required },
  module: { ...byName, other: copied },
  path: { ...byPath, other: copied },
};

/**
 * Writes the suite for one row into a folder of its own, beside the installed package; answers the folder.
 *
 * `suite.mjs` exports `report()`, and `main.mjs` prints it. The built package lies there twice, for runtimes that have no resolution
 * of their own, and as the other copy.
 *
 * @param main  the script that runs the suite, if it is another one
 */
export function writeSuite(row: string, way: keyof typeof ways, main = printing): string {
  const folder = join(inject('folder'), row.replaceAll(/\W+/g, '-'));
  mkdirSync(folder);
  const here = fileURLToPath(new URL('.', import.meta.url));
  for (const file of ['behaviours.mjs', 'virtual-time.mjs', 'watch.mjs']) cpSync(join(here, file), join(folder, file));
  for (const copy of ['package', 'another']) {
    const isOfModules = (path: string) => !/\.(cjs|ts|cts)$/.test(path);
    cpSync(join(inject('folder'), 'node_modules/retry-policy/dist'), join(folder, copy), { recursive: true, filter: isOfModules });
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  writeFileSync(join(folder, 'suite.mjs'), suite(ways[way]));
  writeFileSync(join(folder, 'main.mjs'), main);
  return folder;
}

const suite = ({ main, testing, other }: (typeof ways)['node']) => `
import * as main from '${main}';
import * as testing from '${testing}';
import { run } from './behaviours.mjs';
${other}

const { Bun, Deno, process } = globalThis;
const version = Deno?.version.deno ?? Bun?.version ?? process?.versions.node;
export const report = async () => ({ version, ...(await run(main, testing, other)) });
export { main, testing };
`;

const printing = `
import { report } from './suite.mjs';
console.log(JSON.stringify(await report()));
`;
