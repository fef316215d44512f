import type { Classifier } from '../classify.js';
import { readSafely } from '../mark.js';
import { textOf } from './facts.js';
import { isPrismaTrouble, rawCodeOf } from './prisma.js';
import { classifierOf, type Said } from './verdicts.js';

/** What the server says. The lists are those of `SqlConfigurableRetryFactory`, of EF Core's retrying strategy, and of Azure SQL's docs. */
const numbers = /* @__PURE__ */ new Set<unknown>([
  ...[1205, 1204, 1222], // deadlock, no lock left, lock timeout
  ...[3960, 41301, 41302, 41305, 41325, 41339, 41839], // conflicts of snapshots and of memory-optimized tables: begin the transaction anew
  ...[10928, 10929, 10930, 10936, 40501, 40642, 40648, 40675, 40903, 49918, 49919, 49920], // busy, or at a limit of resources
  ...[4060, 4221, 40143, 40197, 40540, 40613, 42108, 42109, 49802], // a database that is moved, started or woken (Azure)
]);

/** What tedious says by text. At a login, where it keeps no number, the server asks for a retry in so many words. */
const texts: Readonly<Record<string, RegExp>> = {
  ECLOSE: /(?:)/,
  EREQUEST: /^Connection lost - /, // of mssql
  ELOGIN: /\b(retry|try again)\b/i,
  ETIMEOUT: /^Failed to connect\b/, // a request that took too long has this code as well, and may be done
  ESOCKET: /^Connection lost - |^Failed to connect\b.* - (connect E|getaddrinfo EAI_AGAIN|Could not connect \()/, // certificates have it too
  '': /^operation timed out for an unknown reason$/, // a pool that is full (tarn)
};

export function sqlServerFailure(node: unknown): Said {
  const code = textOf(node, 'code');
  const isRequest = code === 'EREQUEST' || typeof readSafely(node, 'class') === 'number';
  const bearers = isRequest ? [node, readSafely(node, 'originalError')] : []; // a transaction of mssql has the number only inside
  const text = Object.hasOwn(texts, code) ? texts[code] : undefined;
  const passes =
    bearers.some((bearer) => numbers.has(readSafely(bearer, 'number'))) ||
    numbers.has(Number(rawCodeOf(node))) ||
    text?.test(textOf(node, 'message')) ||
    isPrismaTrouble(node);
  return passes ? 'transient' : undefined;
}

/**
 * The classifier for SQL Server and Azure SQL, as mssql, tedious and Prisma tell it: deadlocks, lock timeouts, conflicts of snapshots,
 * databases that are busy, moved or started, connections that were lost. By `number`, which counts only in the error of a request.
 *
 * Not transient: requests that took too long (they may be done), violations (2627), logins that failed, what was used after its
 * `close()`. Codes of the system (`ECONNREFUSED`) belong to {@link networkErrors}.
 *
 * @example
 * sqlServerErrors(Object.assign(new Error('deadlocked'), { code: 'EREQUEST', number: 1205, state: 51, class: 13 })) // => 'transient'
 * sqlServerErrors(Object.assign(new Error('Violation'), { code: 'EREQUEST', number: 2627, state: 1, class: 14 })) // => undefined
 */
export const sqlServerErrors: Classifier = /* @__PURE__ */ classifierOf(sqlServerFailure);
