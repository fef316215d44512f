import * as say from '../thrown.js';
import { failuresOf, type Row } from './row.js';

const server: readonly (readonly [fault: string, code: string, errno: number, state: string, passes: boolean])[] = [
  ['deadlock', 'ER_LOCK_DEADLOCK', 1213, '40001', true],
  ['lock wait timeout', 'ER_LOCK_WAIT_TIMEOUT', 1205, 'HY000', true],
  ['NOWAIT', 'ER_LOCK_NOWAIT', 3572, 'HY000', true],
  ['the row was written by another transaction', 'ER_CHECKREAD', 1020, 'HY000', true],
  ['the table was altered', 'ER_TABLE_DEF_CHANGED', 1412, 'HY000', true],
  ['too many transactions', 'ER_TOO_MANY_CONCURRENT_TRXS', 1637, 'HY000', true],
  ['an altered table waited for', 'ER_LOCK_ABORTED', 1689, 'HY000', true],
  ['deadlock of named locks', 'ER_USER_LOCK_DEADLOCK', 3058, 'HY000', true],
  ['lock wait of XA', 'ER_XA_RBTIMEOUT', 1613, 'XA106', true],
  ['deadlock of XA', 'ER_XA_RBDEADLOCK', 1614, 'XA102', true],
  ['rolled back by the group', 'ER_TRANSACTION_ROLLBACK_DURING_COMMIT', 3101, '40000', true],
  ['too many connections', 'ER_CON_COUNT_ERROR', 1040, '08004', true],
  ['too many connections of the user', 'ER_TOO_MANY_USER_CONNECTIONS', 1203, '42000', true],
  ['server shutdown', 'ER_SERVER_SHUTDOWN', 1053, '08S01', true],
  ['server not available', 'ER_SERVER_ISNT_AVAILABLE', 3168, 'HY000', true],
  ['connection killed', 'ER_CONNECTION_KILLED', 1927, '70100', true],
  ['the server could not read', 'ER_NET_READ_ERROR', 1158, '08S01', true],
  ['the server could not read in time', 'ER_NET_READ_INTERRUPTED', 1159, '08S01', true],
  ['the server could not write', 'ER_NET_ERROR_ON_WRITE', 1160, '08S01', true],
  ['the server could not write in time', 'ER_NET_WRITE_INTERRUPTED', 1161, '08S01', true],
  ['KILL QUERY', 'ER_QUERY_INTERRUPTED', 1317, '70100', false],
  ['max_execution_time', 'ER_QUERY_TIMEOUT', 3024, 'HY000', false],
  ['read only', 'ER_OPTION_PREVENTS_STATEMENT', 1290, 'HY000', false],
  ['duplicate key', 'ER_DUP_ENTRY', 1062, '23000', false],
  ['syntax', 'ER_PARSE_ERROR', 1064, '42000', false],
  ['a host that is blocked', 'ER_HOST_IS_BLOCKED', 1129, 'HY000', false],
];

const mysql2Says = (code: string | undefined, errno: number, sqlState: string) =>
  say.plain('as the server says it', { ...(code && { code }), errno, sqlState, sqlMessage: 'as the server says it', sql: 'SELECT 1' });

const mysql2 = failuresOf(
  'mysql',
  'mysql2',
  ...server.map(([fault, code, errno, state, passes]): Row => [fault, mysql2Says(code, errno, state), passes]),
  ...server.map(([fault, , errno, , passes]): Row => [`${fault}, without a code`, mysql2Says(undefined, errno, 'HY000'), passes]),
  ['what only the SQLSTATE tells', mysql2Says(undefined, 9_999, '40001'), true],
  ['max_statement_time', mysql2Says(undefined, 1969, '70100'), false],
  [
    'the line is cut',
    say.plain('Connection lost: The server closed the connection.', { code: 'PROTOCOL_CONNECTION_LOST', fatal: true }),
    true,
  ],
  ['the next query after it', say.plain("Can't add new command when connection is in closed state", { fatal: true }), true],
  ['the next write after it', say.plain("Can't write in closed state"), true],
  ['no place in the queue of the pool', say.plain('Queue limit reached.'), true],
  ['no connection of the pool', say.plain('No connections available.'), true],
  ['its own query timeout', say.plain('Query inactivity timeout', { code: 'PROTOCOL_SEQUENCE_TIMEOUT', fatal: true }), false],
  ['used after the end of the pool', say.plain('Pool is closed.'), false],
  ['refused', say.system('ECONNREFUSED', 'connect', { errno: -111, fatal: true }), false],
  ['reset', say.system('ECONNRESET', 'read', { errno: -104, fatal: true }), false],
);

const mariadbSays = (code: string, errno: number, sqlState: string, fatal = true) =>
  say.named('SqlError', `(conn:3, no: ${errno}, SQLState: ${sqlState}) as it says it`, { code, errno, sqlState, fatal });

const mariadb = failuresOf(
  'mysql',
  'mariadb',
  ...server.map(([fault, code, errno, state, passes]): Row => [fault, mariadbSays(code, errno, state, false), passes]),
  ...server.map(([fault, code, , , passes]): Row => [`${fault}, without a number`, say.named('SqlError', '', { code }), passes]),
  ['a number whose name it does not know', mariadbSays('ER_MYSQL_3101', 3101, '40000', false), true],
  ['max_statement_time', mariadbSays('ER_STATEMENT_TIMEOUT', 1969, '70100'), false],
  ['the line is cut', mariadbSays('ER_SOCKET_UNEXPECTED_CLOSE', 45_009, '08S01'), true],
  ['the next query after it', mariadbSays('ER_CMD_CONNECTION_CLOSED', 45_013, '08S01'), true],
  ['no answer to connect', mariadbSays('ER_CONNECTION_TIMEOUT', 45_012, '08S01'), true],
  ['no answer any more', mariadbSays('ER_SOCKET_TIMEOUT', 45_026, '08S01'), true],
  ['no answer to a ping', mariadbSays('ER_PING_TIMEOUT', 45_042, '0A000'), true],
  ['no connection of the pool', mariadbSays('ER_GET_CONNECTION_TIMEOUT', 45_028, 'HY000', false), true],
  ['used after the end of the pool', mariadbSays('ER_POOL_ALREADY_CLOSED', 45_027, 'HY000', false), false],
  ['its own destroy', mariadbSays('ER_CMD_NOT_EXECUTED_DESTROYED', 45_004, '08S01'), false],
  ['refused', say.system('ECONNREFUSED', 'connect', { errno: -111, sqlState: 'HY000', fatal: true }), false],
);

const looksAlike = failuresOf(
  'mysql',
  'somebody else',
  ['1205 without a SQLSTATE', say.plain('', { errno: 1205 }), false],
  ['1205 as a text', say.plain('', { errno: '1205', sqlState: 'HY000' }), false],
  ['its words under a code of somebody else', say.plain('Queue limit reached.', { code: 'ERR_QUEUE' }), false],
);

export const mysql = [...mysql2, ...mariadb, ...looksAlike];
