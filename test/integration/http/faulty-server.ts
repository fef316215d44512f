import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { answers, type Behaviour } from './behaviours.js';
import { Connections } from './connections.js';
import { listening, loopback } from './ports.js';
import { type Received, type Tally, tallyOf } from './tally.js';

export interface ServerOptions {
  /** Default: any that is free. */
  readonly port?: number | undefined;
  /** With them it speaks https. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
}

/** A real server on loopback that fails as it is told, and counts what reaches it. */
export class FaultyServer {
  readonly requests: Received[] = [];
  readonly connections = new Connections(() => this.#happened());
  readonly #scripts = new Map<string, readonly Behaviour[]>();
  readonly #closing = new AbortController();
  readonly #serving = new Set<Promise<void>>();
  readonly #faults: unknown[] = [];
  readonly #waiting = new Set<() => void>();

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    readonly port: number,
    readonly origin: string,
  ) {
    server.on('connection', (socket: Socket) => this.connections.accept(socket));
    server.on('secureConnection', (socket: Socket) => socket.on('error', () => {}));
    server.on('request', (request, response) => this.#track(this.#serve(request, response), request.socket));
  }

  static async start({ port, tls }: ServerOptions = {}): Promise<FaultyServer> {
    const timeless = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 };
    const server = tls === undefined ? createServer(timeless) : createTlsServer({ ...timeless, ...tls });
    const free = await listening(server, port);
    return new FaultyServer(server, free, `${tls === undefined ? 'http' : 'https'}://${loopback}:${free}`);
  }

  /** The address of a path for one client, whom the server knows by this id. */
  url(path: string, id = ''): string {
    return `${this.origin}${path}?id=${encodeURIComponent(id)}`;
  }

  /** What happens to the requests for a path: to each client's first, second, …; the last goes on. Any other path answers 200. */
  script(path: string, ...behaviours: readonly Behaviour[]): this {
    this.#scripts.set(path, behaviours);
    return this;
  }

  /** What one client asked; without an id, what all did. */
  tally(id?: string): Tally {
    return tallyOf(this.requests, id, this.connections.made);
  }

  /** Waits until it holds; asked after each thing that happens here. Rejects if the server closes before. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const ask = () => {
        if (holds()) resolve();
        else if (this.#closing.signal.aborted) reject(new Error(`the server has closed, and this never came: ${holds}`));
        else return;
        this.#waiting.delete(ask);
      };
      this.#waiting.add(ask);
      ask();
    });
  }

  /** Ends every connection and everything that goes on; resolves when all of it has ended, rejects if a script failed. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.#closing.abort();
    this.connections.end();
    await Promise.all([closed, ...this.#serving]);
    this.#happened();
    if (this.#faults.length > 0) throw new AggregateError(this.#faults, 'a script failed');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams } = new URL(request.url ?? '/', this.origin);
    const { method = '', headers, socket } = request;
    const id = searchParams.get('id') ?? '';
    const earlier = this.requests.filter((other) => other.id === id && other.path === path).length;
    const received: Received = { id, method, path, headers, connection: this.connections.numberOf(socket), works: 0, isOver: false };
    this.requests.push(received);
    response.once('close', () => {
      received.isOver = true;
      this.#happened();
    });
    this.#happened();
    let whole: Promise<Buffer> | undefined;
    const script = this.#scripts.get(path) ?? [answers(200)];
    await script[Math.min(earlier, script.length - 1)]?.({
      ...{ request, response, socket, closing: this.#closing.signal },
      body: () => (whole ??= this.#read(request, received)),
      work: () => {
        received.works += 1;
        this.#happened();
      },
    });
  }

  async #read(request: IncomingMessage, received: Received): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.body = Buffer.concat(chunks);
    this.#happened();
    return received.body;
  }

  /** That a client or the end cuts one off is no fault of the script. */
  #track(serving: Promise<void>, socket: Socket): void {
    const ended = serving
      .catch((fault) => void (socket.destroyed || this.#faults.push(fault)))
      .then(() => void this.#serving.delete(ended));
    this.#serving.add(ended);
  }

  #happened(): void {
    for (const ask of [...this.#waiting]) ask();
  }
}
