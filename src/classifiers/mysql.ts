import type { Classifier } from '../classify.js';
import { readSafely } from '../mark.js';
import { textOf } from './facts.js';
import { isPrismaTrouble, rawCodeOf } from './prisma.js';
import { classifierOf, type Said } from './verdicts.js';

/** What the server says (MySQL Error Message Reference, MariaDB Error Code Reference). 1317, 1969 and 3024 are statements that somebody ended. */
const errors: Readonly<Record<number, string>> = {
  1020: 'ER_CHECKREAD', // MariaDB: another transaction wrote the row (innodb_snapshot_isolation)
  1040: 'ER_CON_COUNT_ERROR',
  1053: 'ER_SERVER_SHUTDOWN',
  1158: 'ER_NET_READ_ERROR',
  1159: 'ER_NET_READ_INTERRUPTED',
  1160: 'ER_NET_ERROR_ON_WRITE',
  1161: 'ER_NET_WRITE_INTERRUPTED',
  1203: 'ER_TOO_MANY_USER_CONNECTIONS',
  1205: 'ER_LOCK_WAIT_TIMEOUT', // also MariaDB's NOWAIT
  1213: 'ER_LOCK_DEADLOCK',
  1412: 'ER_TABLE_DEF_CHANGED',
  1613: 'ER_XA_RBTIMEOUT',
  1614: 'ER_XA_RBDEADLOCK',
  1637: 'ER_TOO_MANY_CONCURRENT_TRXS',
  1689: 'ER_LOCK_ABORTED',
  1927: 'ER_CONNECTION_KILLED', // MariaDB
  3058: 'ER_USER_LOCK_DEADLOCK',
  3101: 'ER_TRANSACTION_ROLLBACK_DURING_COMMIT', // group replication
  3168: 'ER_SERVER_ISNT_AVAILABLE',
  3572: 'ER_LOCK_NOWAIT',
};

const codes = /* @__PURE__ */ new Set([
  'PROTOCOL_CONNECTION_LOST', // mysql2
  // mariadb; after its own `end()` it says the third too, and of a pool that was closed ER_POOL_ALREADY_CLOSED
  ...['ER_SOCKET_UNEXPECTED_CLOSE', 'ER_SOCKET_TIMEOUT', 'ER_CMD_CONNECTION_CLOSED', 'ER_PING_TIMEOUT'],
  ...['ER_CONNECTION_TIMEOUT', 'ER_GET_CONNECTION_TIMEOUT'],
]);

/** mysql2, without a code: on a connection that was lost, from a pool that is full. */
const texts = /^(Can't (add new command when connection is|write) in closed state|Queue limit reached\.|No connections available\.)$/;

const isListed = (errno: unknown): boolean => typeof errno === 'number' && errno in errors;

export function mysqlFailure(node: unknown): Said {
  const code = textOf(node, 'code');
  const state = readSafely(node, 'sqlState'); // it tells MySQL's 1205 from anybody's
  const passes =
    codes.has(code) ||
    Object.values(errors).includes(code) ||
    (typeof state === 'string' && (state === '40001' || isListed(readSafely(node, 'errno')))) ||
    isListed(Number(rawCodeOf(node))) ||
    (code === '' && texts.test(textOf(node, 'message'))) ||
    isPrismaTrouble(node);
  return passes ? 'transient' : undefined;
}

/**
 * The classifier for MySQL and MariaDB, as mysql2, mariadb and Prisma tell it: deadlocks, lock waits, servers that stop or have no
 * connection left, connections that were lost. By `code`; by `errno` only beside a `sqlState`, since elsewhere the same number means
 * something else.
 *
 * Not transient: statements that were ended or took too long (1317, 1969, 3024), a server that only reads (1290, 1836), violations
 * (1062). Codes of the system (`ECONNREFUSED`) belong to {@link networkErrors}.
 *
 * A lock wait timeout (1205) takes back the statement and not the transaction: roll back before every retry, or a `BEGIN` commits the
 * first half of the work. A deadlock (1213) has taken back all.
 *
 * @example
 * mysqlErrors(Object.assign(new Error('Deadlock found'), { code: 'ER_LOCK_DEADLOCK', errno: 1213, sqlState: '40001' })) // => 'transient'
 * mysqlErrors(Object.assign(new Error('Duplicate entry'), { code: 'ER_DUP_ENTRY', errno: 1062, sqlState: '23000' })) // => undefined
 */
export const mysqlErrors: Classifier = /* @__PURE__ */ classifierOf(mysqlFailure);
