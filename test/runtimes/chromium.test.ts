import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { withChromium } from './chromium.js';
import type { Report } from './program.js';
import { behaviourRow } from './row.js';
import { writeSuite } from './suite.js';

/** Sends the report to where the page came from, and what goes wrong on the way as well: nobody sees the console. */
const main = `
const send = (told) => fetch('/report', { method: 'POST', body: JSON.stringify(told) });
try {
  const { report } = await import('./suite.mjs');
  const { uaFullVersion } = await navigator.userAgentData.getHighEntropyValues(['uaFullVersion']);
  await send({ ...(await report()), version: uaFullVersion });
} catch (error) {
  await send({ fault: String(error?.stack ?? error) });
}
`;

const importMap = { imports: { 'retry-policy': './package/index.js', 'retry-policy/testing': './package/testing/index.js' } };
const page = `<script type="importmap">${JSON.stringify(importMap)}</script><script type="module" src="main.mjs"></script>`;
const workersPage = `<script>new Worker('main.mjs', { type: 'module' })</script>`;

/** Serves the folder until the page has sent its report. */
async function reportOfPage(html: string, folder: string): Promise<Report> {
  const server = createServer();
  const told = new Promise<string>((resolve) => {
    server.on('request', async (request, response) => {
      if (request.url === '/report') resolve(await text(request));
      const isScript = /\.m?js$/.test(request.url ?? '');
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? readFileSync(join(folder, request.url ?? '')) : html);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const { fault, ...report } = JSON.parse(await withChromium(`http://localhost:${port}/`, told));
    if (fault !== undefined) throw new Error(fault);
    return report;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

behaviourRow('Chromium, a page', () => reportOfPage(page, writeSuite('page', 'module', main)));

behaviourRow('Chromium, a module worker', () => reportOfPage(workersPage, writeSuite('worker', 'path', main))); // import maps do not reach it
