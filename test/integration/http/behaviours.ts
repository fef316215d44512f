import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pause } from './pause.js';

/** One request under way; the socket is there for whatever no server would do. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
  /** Reads the request to its end. */
  body(): Promise<Buffer>;
  /** Does what the request asks for. */
  work(): void;
}

export type Behaviour = (exchange: Exchange) => void | Promise<void>;

/** So long it takes, at the most, until the client has seen what was sent. */
const seenMs = 40;

type Headers = Readonly<Record<string, string | string[]>>;

/** Reset, closed politely, or neither. */
export type Cut = 'reset' | 'close' | 'silence';

export interface Answer {
  readonly headers?: Headers | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** Whether what was asked for is done; default: if the status is below 400. */
  readonly work?: boolean | undefined;
}

export const answers =
  (status: number, { headers = {}, body = '', work = status < 400 }: Answer = {}): Behaviour =>
  async (exchange) => {
    await exchange.body();
    if (work) exchange.work();
    exchange.response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    exchange.response.end(body);
  };

export const redirects = (status: number, location: string): Behaviour => answers(status, { headers: { location } });

/** Answers what it was asked, as JSON. */
export const echoes: Behaviour = async (exchange) => {
  const { method, url, headers } = exchange.request;
  const body = await exchange.body();
  exchange.work();
  exchange.response.writeHead(200, { 'content-type': 'application/json' });
  exchange.response.end(JSON.stringify({ method, url, headers, body: body.toString('base64') }));
};

/** Lets the request come that far, and cuts the connection: after its headers, after all of it, after the work was done. */
export const cutsAfter =
  (progress: 'headers' | 'request' | 'work', cut: Cut = 'reset'): Behaviour =>
  async (exchange) => {
    if (progress !== 'headers') await exchange.body();
    if (progress === 'work') exchange.work();
    sever(exchange.socket, cut);
  };

export const hangs: Behaviour = cutsAfter('request', 'silence');

/** Does the work, and cuts the connection in the middle of the answer's headers. */
export const cutsHeaders =
  (cut: Cut): Behaviour =>
  async (exchange) => {
    await exchange.body();
    exchange.work();
    await written(exchange, 'HTTP/1.1 200 OK\r\ncontent-type: text/pl');
    if (cut !== 'silence') await pause(seenMs, exchange.closing);
    sever(exchange.socket, cut);
  };

/** Announces a body, sends some of it, and cuts the connection when the client has had time to see the headers. */
export const cutsBody =
  (cut: Cut, { status = 200, headers = {}, sent = 'half of it', chunked = false }: PartialAnswer = {}): Behaviour =>
  async (exchange) => {
    await exchange.body();
    if (status < 400) exchange.work();
    exchange.response.writeHead(status, chunked ? { ...headers } : { ...headers, 'content-length': 1_000_000 });
    exchange.response.write(sent);
    if (cut === 'silence') return;
    await pause(seenMs, exchange.closing);
    sever(exchange.socket, cut);
  };

export interface PartialAnswer {
  readonly status?: number | undefined;
  readonly headers?: Headers | undefined;
  readonly sent?: string | undefined;
  readonly chunked?: boolean | undefined;
}

/** Sends the headers of an answer one byte at a time, and never comes to their end. */
export const dripsHeaders =
  (everyMs: number): Behaviour =>
  async (exchange) => {
    await exchange.body();
    for (const byte of 'HTTP/1.1 200 OK\r\nx-slow: ') await drip(exchange, byte, everyMs);
    while (exchange.socket.writable) await drip(exchange, 'a', everyMs);
  };

/** Sends a piece of body every so often: so many, or without end. */
export const streams =
  ({ pieces = Infinity, everyMs = 20, piece = 'piece ' }: Pieces = {}): Behaviour =>
  async (exchange) => {
    await exchange.body();
    exchange.work();
    exchange.response.writeHead(200, { 'content-type': 'text/plain' });
    for (let sent = 0; sent < pieces && exchange.socket.writable; sent += 1) {
      if (!exchange.response.write(piece)) await once(exchange.response, 'drain', { signal: exchange.closing });
      await pause(everyMs, exchange.closing);
    }
    exchange.response.end();
  };

export interface Pieces {
  readonly pieces?: number | undefined;
  readonly everyMs?: number | undefined;
  readonly piece?: string | undefined;
}

/** Answers in time, but late. */
export const after =
  (ms: number, behave: Behaviour): Behaviour =>
  async (exchange) => {
    await exchange.body();
    await pause(ms, exchange.closing);
    await behave(exchange);
  };

function sever(socket: Socket, cut: Cut): void {
  if (cut === 'reset') socket.resetAndDestroy();
  if (cut === 'close') socket.end();
}

const drip = async (exchange: Exchange, byte: string, everyMs: number): Promise<void> => {
  await written(exchange, byte);
  await pause(everyMs, exchange.closing);
};

const written = ({ socket }: Exchange, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.write(text, (error) => (error ? reject(error) : resolve()));
  });
