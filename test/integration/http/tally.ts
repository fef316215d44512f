import type { IncomingHttpHeaders } from 'node:http';

/** A request of which at least the headers came. */
export interface Received {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Number of the connection that it came on; not known of TLS. */
  readonly connection: number | undefined;
  /** All of it, once it has come to its end. */
  body?: Buffer;
  /** How often what it asks for was done. */
  works: number;
  /** Whether it is over: answered, or cut off. */
  isOver: boolean;
}

/** What was asked by one client, or by all. */
export interface Tally {
  readonly requests: readonly Received[];
  readonly complete: number;
  readonly works: number;
  /** So many are neither answered to the end nor cut off. */
  readonly underWay: number;
  readonly connections: number;
  readonly texts: readonly (string | undefined)[];
}

/** @param made  so many connections were made by all */
export function tallyOf(all: readonly Received[], id: string | undefined, made: number): Tally {
  const requests = all.filter((request) => id === undefined || request.id === id);
  return {
    requests,
    complete: requests.filter(({ body }) => body !== undefined).length,
    works: requests.reduce((sum, { works }) => sum + works, 0),
    underWay: requests.filter(({ isOver }) => !isOver).length,
    connections: id === undefined ? made : new Set(requests.map(({ connection }) => connection)).size,
    texts: requests.map(({ body }) => body?.toString()),
  };
}
