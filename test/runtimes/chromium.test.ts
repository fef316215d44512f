import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers } from '../integration/http/behaviours.js';
import type { Report } from './program.js';
import { fetchingRow } from './row.js';
import type { Servers } from './server.js';
import { writeSuite } from './suite.js';

const entries = ['', '/testing', '/classifiers', '/fetch'];
const importMap = { imports: Object.fromEntries(entries.map((entry) => [`retry-policy${entry}`, `./package${entry}/index.js`])) };
const page = `<script type="importmap">${JSON.stringify(importMap)}</script>`;

/** Has the faulty server give a page, and the folder beside it, and answers what is asked of the page: all it fetches is of one origin. */
async function reportOfPage({ first }: Servers, folder: string, expression: string): Promise<Report> {
  const { toldByPage } = await import('./chromium.mjs'); // here, so that a browser that cannot be driven fails its rows alone
  const gives = (type: string, body: string) => answers(200, { headers: { 'content-type': type }, body });
  first.script('/', gives('text/html', page));
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.m?js$/.test(name))) {
    first.script(`/${file}`, gives('text/javascript', readFileSync(join(folder, file), 'utf8')));
  }
  return toldByPage(`${first.origin}/`, expression);
}

fetchingRow('Chromium, a page', (servers) =>
  reportOfPage(servers, writeSuite('page', 'module', servers.origin), `import('/suite.mjs').then(({ report }) => report())`),
);

const main = `
import { report } from './suite.mjs';
postMessage(await report());
`;

// An import map does not reach a worker, so that all is imported by path there.
fetchingRow('Chromium, a module worker', (servers) =>
  reportOfPage(
    servers,
    writeSuite('worker', 'path', servers.origin, main),
    `new Promise((resolve, reject) => {
      const worker = new Worker('/main.mjs', { type: 'module' });
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    })`,
  ),
);
