import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printedBy, reportOf } from './program.js';
import { fetchingRow } from './row.js';
import { workerdProgram } from './runtimes.js';
import { writeSuite } from './suite.js';

const main = `
import { report } from './suite.mjs';
export default {
  async test() {
    console.log(JSON.stringify(await report()));
  },
};
`;

/** A worker of all the modules, as the runtime runs one that was made for what it was at that date. */
function configuration(folder: string, date: string, flags: readonly string[]): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.m?js$/.test(file));
  const modules = ['main.mjs', ...files.filter((file) => file !== 'main.mjs')];
  return `
    using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (services = [
      (name = "suite", worker = .suite),
      (name = "internet", network = (allow = ["local", "private"])),
    ]);
    const suite :Workerd.Worker = (
      modules = [${modules.map((file) => `(name = "${file}", esModule = embed "${file}")`)}],
      compatibilityDate = "${date}",
      compatibilityFlags = ${JSON.stringify(flags)},
    );`;
}

const withoutNode = ['no_nodejs_compat', 'no_nodejs_compat_v2'];

for (const [name, flags, olderDate] of [
  ['workerd', withoutNode],
  ["workerd, with Node's globals", ['nodejs_compat']],
  ['workerd, as of 2024', [], '2024-01-01'], // without MessageChannel and setImmediate
] as const) {
  fetchingRow(name, async ({ origin }) => {
    const workerd = await workerdProgram();
    const folder = writeSuite(name, 'path', origin, main);
    const version = (await printedBy(workerd, ['--version'], folder)).trim().replace('workerd ', '');
    writeFileSync(join(folder, 'suite.capnp'), configuration(folder, olderDate ?? version, flags));
    return { ...(await reportOf(workerd, ['test', 'suite.capnp'], folder)), version };
  });
}
