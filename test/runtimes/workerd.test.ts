import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printedBy, reportOf } from './program.js';
import { behaviourRow } from './row.js';
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

/** A worker of all the modules, as the runtime would run one that is deployed at that date. */
function configuration(folder: string, compatibilityDate: string, flags: readonly string[]): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.m?js$/.test(file));
  const modules = ['main.mjs', ...files.filter((file) => file !== 'main.mjs')];
  return `
    using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (services = [(name = "suite", worker = .suite)]);
    const suite :Workerd.Worker = (
      modules = [${modules.map((file) => `(name = "${file}", esModule = embed "${file}")`)}],
      compatibilityDate = "${compatibilityDate}",
      compatibilityFlags = ${JSON.stringify(flags)},
    );`;
}

for (const [name, flags] of [
  ['workerd', ['no_nodejs_compat', 'no_nodejs_compat_v2']],
  ["workerd, with Node's globals", ['nodejs_compat']],
] as const) {
  behaviourRow(name, async () => {
    const workerd = await workerdProgram();
    const folder = writeSuite(name, 'path', main);
    const version = (await printedBy(workerd, ['--version'], folder)).trim().replace('workerd ', '');
    writeFileSync(join(folder, 'suite.capnp'), configuration(folder, version, flags));
    return { ...(await reportOf(workerd, ['test', 'suite.capnp'], folder)), version };
  });
}
