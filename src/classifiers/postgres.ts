import type { Classifier } from '../classify.js';
import { anyOf, textOf } from './facts.js';
import { isPrismaTrouble, rawCodeOf } from './prisma.js';
import { classifierOf, type Said } from './verdicts.js';

/** By list and not by shape: EPIPE and EBUSY have five characters too. SQLSTATEs are those of PostgreSQL's Appendix A. */
const codes = /* @__PURE__ */ new Set([
  ...['40001', '40P01'], // serialization failure, deadlock: begin the transaction anew (PostgreSQL §13.5)
  '55P03', // a lock that was not to be had: `lock_timeout`, NOWAIT
  '53300', // too many connections
  ...['57P01', '57P02', '57P03'], // an administrator ends the connection, another backend crashed, the server starts
  ...['25P03', '57P05'], // the server closed an idle connection
  ...['08000', '08001', '08003', '08004', '08006'], // no connection; but 08007 may be committed, and 08P01 is a fault in the protocol
  ...['CONNECTION_CLOSED', 'CONNECT_TIMEOUT'], // postgres.js; CONNECTION_ENDED and CONNECTION_DESTROYED follow its own `end()`
]);

/** Lost connections and full pools that have no code (pg, pg-pool). What was used after its `end()` says other words. */
const texts = /* @__PURE__ */ anyOf([
  'Connection terminated (unexpectedly|due to connection timeout)',
  'Client has encountered a connection error and is not queryable',
  'timeout expired|timeout exceeded when trying to connect',
]);

export function postgresFailure(node: unknown): Said {
  const code = textOf(node, 'code');
  const passes =
    codes.has(code) || codes.has(rawCodeOf(node)) || (code === '' && texts.test(textOf(node, 'message'))) || isPrismaTrouble(node);
  return passes ? 'transient' : undefined;
}

/**
 * The classifier for PostgreSQL, as pg, postgres.js, Prisma and whatever gives the SQLSTATE as `code` tell it: serialization failures,
 * deadlocks, locks that were not to be had, servers that start, stop or have no connection left, connections that were lost.
 *
 * Not transient: what took too long (57014), what follows in a transaction that has failed (25P02), a standby that was written to
 * (25006), violations (23505). Codes of the system (`ECONNREFUSED`) belong to {@link networkErrors}.
 *
 * A retry belongs around the whole transaction, never around one statement. If the connection was lost at COMMIT, it may have happened.
 *
 * @example
 * postgresErrors(Object.assign(new Error('deadlock detected'), { code: '40P01' })) // => 'transient'
 * postgresErrors(Object.assign(new Error('duplicate key value'), { code: '23505' })) // => undefined
 */
export const postgresErrors: Classifier = /* @__PURE__ */ classifierOf(postgresFailure);
