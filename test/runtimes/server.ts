import {
  answers,
  type Behaviour,
  cutsAfter,
  cutsBody,
  cutsHeaders,
  echoes,
  hangs,
  redirects,
  streams,
} from '../integration/http/behaviours.js';
import { FaultyServer } from '../integration/http/faulty-server.js';
import { loopback, refusedPort } from '../integration/http/ports.js';

const busy = answers(503, { body: 'busy' });
const busyFor = (wait: string) => answers(503, { headers: { 'retry-after': wait, date: 'Thu, 15 Jan 2026 08:00:00 GMT' } });

const scripts: Readonly<Record<string, readonly Behaviour[]>> = {
  '/echo': [echoes],
  '/busy': [busy],
  '/busy-once': [busy, echoes],
  '/busy-for-seconds': [busyFor('7'), echoes],
  '/busy-until': [busyFor('Thu, 15 Jan 2026 08:00:30 GMT'), echoes],
  '/busy-too-long': [busyFor('61'), echoes],
  '/busy-without-end': [cutsBody('silence', { status: 503 })],
  '/hangs': [hangs],
  '/hangs-once': [hangs, echoes],
  '/closes': [cutsAfter('work', 'close')],
  '/resets': [cutsAfter('work', 'reset')],
  '/closes-in-headers': [cutsHeaders('close')],
  '/streams': [streams()],
  '/streams-for-long': [streams({ pieces: 30, everyMs: 50 })],
};

/** The servers of one row: the one that its suite is told of, and those that it has opened at a port that refused before. */
export class Servers {
  readonly #all: FaultyServer[] = [];

  static async start(): Promise<Servers> {
    const servers = new Servers();
    await servers.#open();
    return servers;
  }

  get first(): FaultyServer {
    return this.#all[0] as FaultyServer;
  }

  get origin(): string {
    return this.first.origin;
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((server) => server.close()));
  }

  async #open(port?: number): Promise<void> {
    const server = await FaultyServer.start({ port });
    this.#all.push(server);
    for (const [path, behaviours] of Object.entries(scripts)) server.script(path, ...behaviours);
    for (const status of [301, 302, 303, 307, 308]) {
      server.script(`/${status}`, (exchange) => redirects(status, `/echo${searchOf(exchange)}`)(exchange));
      server.script(`/${status}-refused`, async (exchange) => redirects(status, `http://${loopback}:${await refusedPort()}/`)(exchange));
    }
    for (const cut of ['resets', 'closes']) {
      server.script(`/${cut}-in-body`, async (exchange) => {
        await cutsBody('silence')(exchange);
        const id = new URLSearchParams(searchOf(exchange)).get('id');
        await server.until(() => server.requests.some((request) => request.id === id && request.path === '/headers-have-come'));
        if (cut === 'closes') exchange.socket.end();
        else exchange.socket.resetAndDestroy();
      });
    }
    server.script('/refused-port', async (exchange) => tells({ port: await refusedPort() })(exchange));
    server.script('/open', async (exchange) => {
      await this.#open(Number(new URLSearchParams(searchOf(exchange)).get('port')));
      await tells({})(exchange);
    });
    server.script('/seen', (exchange) => tells(this.#seenOf(new URLSearchParams(searchOf(exchange)).get('of') ?? ''))(exchange));
  }

  /** What one client asked, of all the servers. */
  #seenOf(id: string): object {
    const tallies = this.#all.map((server) => server.tally(id));
    const requests = tallies.flatMap((tally) => tally.requests);
    return {
      requests: requests.map(({ body, ...others }) => ({ ...others, body: body?.toString('latin1') })),
      works: tallies.reduce((sum, { works }) => sum + works, 0),
      connections: this.first.tally(id).connections,
      open: this.first.connections.open,
    };
  }
}

const searchOf = ({ request }: Parameters<Behaviour>[0]): string => new URL(request.url ?? '/', 'http://localhost').search;

const tells = (told: object): Behaviour =>
  answers(200, { headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body: JSON.stringify(told) });
