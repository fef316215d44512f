import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A free port of the loopback, below those that the system hands to clients: a client may not get it while the server is down.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    probe.close();
    if (isFree) return port;
  }
}
