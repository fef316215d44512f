import type { Classifier } from '../classify.js';
import { readSafely } from '../mark.js';
import { textOf } from './facts.js';
import { isPrismaTrouble } from './prisma.js';
import { classifierOf, type Said } from './verdicts.js';

/** SQLITE_BUSY, _LOCKED and _PROTOCOL with all their kinds ("Result and Error Codes" of SQLite): others hold the lock. */
const names = /^SQLITE_(BUSY|LOCKED|PROTOCOL)(_|$)/;
const primary = [5, 6, 15];

export function sqliteFailure(node: unknown): Said {
  const code = textOf(node, 'code');
  const errcode = code === 'ERR_SQLITE_ERROR' ? readSafely(node, 'errcode') : undefined; // node:sqlite; its low byte is the primary code
  const passes = names.test(code) || (typeof errcode === 'number' && primary.includes(errcode & 255)) || isPrismaTrouble(node);
  return passes ? 'transient' : undefined;
}

/**
 * The classifier for SQLite, as better-sqlite3, node:sqlite, sqlite3, bun:sqlite, libSQL and Prisma tell it: another connection holds
 * the lock. Not transient: violations, files that are read-only, broken or not there.
 *
 * `SQLITE_BUSY_SNAPSHOT` lasts as long as the transaction: the retry belongs around the whole of it, never around one statement.
 *
 * @example
 * sqliteErrors(Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })) // => 'transient'
 * sqliteErrors(Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR', errcode: 517 })) // => 'transient'
 * sqliteErrors(Object.assign(new Error('UNIQUE constraint failed'), { code: 'SQLITE_CONSTRAINT_UNIQUE' })) // => undefined
 */
export const sqliteErrors: Classifier = /* @__PURE__ */ classifierOf(sqliteFailure);
