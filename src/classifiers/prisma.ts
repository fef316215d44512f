import { readSafely } from '../mark.js';
import { causeOf } from './chain.js';
import { textOf } from './facts.js';

/** What passes, whatever database is behind Prisma ("Error message reference" of its docs). */
const codes = /* @__PURE__ */ new Set([
  ...['P1001', 'P1002', 'P1008', 'P1017'], // out of reach, not in time, an operation that waited too long, a connection that was closed
  ...['P2024', 'P2037'], // no connection of the pool came free in time, too many connections
  'P2034', // a write conflict or a deadlock
]);

/** The same as its driver adapters say it. */
const kinds = /* @__PURE__ */ new Set<unknown>([
  ...['TransactionWriteConflict', 'DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'],
]);

/** Whether Prisma says that it passes. An error of its start has an `errorCode`. */
export const isPrismaTrouble = (node: unknown): boolean =>
  isPrisma(node)
    ? codes.has(textOf(node, 'code')) || codes.has(readSafely(node, 'errorCode') as string)
    : textOf(node, 'name') === 'DriverAdapterError' && kinds.has(readSafely(causeOf(node), 'kind'));

/** The code of the database itself, as a text, which stands inside the error of a raw query. */
export function rawCodeOf(node: unknown): string {
  const meta = isPrisma(node) ? readSafely(node, 'meta') : undefined;
  const code = readSafely(meta, 'code') ?? readSafely(causeOf(readSafely(meta, 'driverAdapterError')), 'originalCode');
  return typeof code === 'string' ? code : '';
}

const isPrisma = (node: unknown): boolean => typeof readSafely(node, 'clientVersion') === 'string';
