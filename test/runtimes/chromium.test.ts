import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Report } from './program.js';
import { behaviourRow } from './row.js';
import { writeSuite } from './suite.js';

const importMap = { imports: { 'retry-policy': './package/index.js', 'retry-policy/testing': './package/testing/index.js' } };
const page = `<script type="importmap">${JSON.stringify(importMap)}</script>`;

/** Serves a page, and the folder beside it, for as long as it takes to tell what is asked of it. */
async function reportOfPage(folder: string, expression: string): Promise<Report> {
  const { toldByPage } = await import('./chromium.mjs'); // here, so that a browser that cannot be driven fails its rows alone
  const server = createServer(({ url = '' }, response) => {
    const isScript = /\.m?js$/.test(url);
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? readFileSync(join(folder, url)) : page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    return await toldByPage(`http://localhost:${port}/`, expression);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

behaviourRow('Chromium, a page', () => reportOfPage(writeSuite('page', 'module'), `import('/suite.mjs').then(({ report }) => report())`));

const main = `
import { report } from './suite.mjs';
postMessage(await report());
`;

// An import map does not reach a worker, so that all is imported by path there.
behaviourRow('Chromium, a module worker', () =>
  reportOfPage(
    writeSuite('worker', 'path', main),
    `new Promise((resolve, reject) => {
      const worker = new Worker('/main.mjs', { type: 'module' });
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    })`,
  ),
);
