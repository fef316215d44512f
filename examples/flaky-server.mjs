import { once } from 'node:events';
import { createServer } from 'node:http';

/** What the server does with its requests, one after the other. */
const steps = [
  {
    does: 'answers 503 with "Retry-After: 1"',
    handle: (response) => response.writeHead(503, { 'retry-after': '1' }).end('busy'),
  },
  { does: 'drops the connection', handle: (response) => response.destroy() },
  { does: 'hangs, and never answers', handle: () => {} },
  {
    does: 'answers 200',
    handle: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"item":"pear","price":2.5}'),
  },
];

/** Starts a real HTTP server on the loopback interface; `onRequest` is told what each request meets, `keys` are their idempotency keys. */
export async function startFlakyServer(onRequest) {
  const keys = [];
  const server = createServer((request, response) => {
    const step = steps[keys.length] ?? steps.at(-1);
    keys.push(request.headers['idempotency-key']);
    onRequest(`request ${keys.length}: ${step.does}`);
    step.handle(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/price/pear`,
    keys,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
