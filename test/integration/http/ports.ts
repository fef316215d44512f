import { type AddressInfo, createServer, type Server } from 'node:net';

export const loopback = '127.0.0.1';

/** Listens on loopback, at any free port for 0; answers the port. */
export const listening = (server: Server, port = 0): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, loopback, () => resolve((server.address() as AddressInfo).port));
  });

/** A port at which nobody listens. */
export async function refusedPort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
