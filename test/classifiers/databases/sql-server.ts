import * as say from '../thrown.js';
import { failuresOf, type Row } from './row.js';

const server: readonly (readonly [fault: string, number: number, passes: boolean])[] = [
  ...[1204, 1205, 1222, 3960, 41_301, 41_302, 41_305, 41_325, 41_339, 41_839].map(
    (number) => ['a lock or a conflict', number, true] as const,
  ),
  ...[10_928, 10_929, 10_930, 10_936, 40_501, 40_642, 40_648, 40_675, 40_903, 49_918, 49_919, 49_920].map(
    (number) => ['busy', number, true] as const,
  ),
  ...[4060, 4221, 40_143, 40_197, 40_540, 40_613, 42_108, 42_109, 49_802].map((number) => ['moved or started', number, true] as const),
  ['violation', 2627, false],
  ['syntax', 102, false],
  ['login failed', 18_456, false],
  ['a transaction that cannot be committed', 3930, false],
  ['a session that was ended for its long transaction', 40_549, false],
];

const about = (number: number) => ({ number, state: 1, class: 14, serverName: 's', procName: '', lineNumber: 1 });
const connection = (code: string, message: string) => say.ofClass('ConnectionError', message, { code });

const atLogin: readonly Row[] = [
  ['a database that is moved', 'Database db on server s is not currently available.  Please retry the connection later.', true] as const,
  ['an error in the service', 'The service has encountered an error processing your request. Please try again.', true] as const,
  ['a wrong password', "Login failed for user 'sa'.", false] as const,
].map(([fault, message, passes]) => [`${fault}, at the login`, connection('ELOGIN', message), passes]);

const lost: readonly Row[] = [
  ['the line is cut', say.ofClass('RequestError', 'Connection closed before request completed.', { code: 'ECLOSE' }), true],
  ['the line is reset', connection('ESOCKET', 'Connection lost - read ECONNRESET'), true],
  ['refused', connection('ESOCKET', 'Failed to connect to localhost:1433 - connect ECONNREFUSED 127.0.0.1:1433'), true],
  ['refused on both addresses', connection('ESOCKET', 'Failed to connect to localhost:1433 - Could not connect (sequence)'), true],
  ['no resolver', connection('ESOCKET', 'Failed to connect to db:1433 - getaddrinfo EAI_AGAIN db'), true],
  ['the name is unknown', connection('ESOCKET', 'Failed to connect to nowhere:1433 - getaddrinfo ENOTFOUND nowhere'), false],
  ['self-signed', connection('ESOCKET', 'Failed to connect to localhost:1433 - self-signed certificate'), false],
  ['no answer to connect', connection('ETIMEOUT', 'Failed to connect to localhost:1433 in 15000ms'), true],
  [
    'its own request timeout',
    say.ofClass('RequestError', 'Timeout: Request failed to complete in 15000ms', { code: 'ETIMEOUT', number: 'ETIMEOUT' }),
    false,
  ],
  ['canceled', say.ofClass('RequestError', 'Canceled.', { code: 'ECANCEL' }), false],
];

const tedious = failuresOf(
  'sqlServer',
  'tedious',
  ...server.map(([fault, number, passes]): Row => {
    return [`${fault} (${number})`, say.ofClass('RequestError', 'as the server says it', { code: 'EREQUEST', ...about(number) }), passes];
  }),
  ...atLogin,
  ...lost,
);

const mssqlSays = (code: string, message: string, fields: object = {}) => say.named('RequestError', message, { code, ...fields });
const failedCommit = say.ofClass('RequestError', 'as the server says it', { code: 'EREQUEST', ...about(3960) });

const mssql = failuresOf(
  'sqlServer',
  'mssql',
  ...server.map(([fault, number, passes]): Row => {
    return [`${fault} (${number})`, mssqlSays('EREQUEST', 'as the server says it', { ...about(number), precedingErrors: [] }), passes];
  }),
  ...atLogin,
  ...lost,
  ['a conflict at COMMIT', say.named('TransactionError', '', { code: 'EREQUEST', originalError: failedCommit }), true],
  ['the line is reset in a query', mssqlSays('EREQUEST', 'Connection lost - read ECONNRESET'), true],
  ['no connection of the pool', say.ofClass('TimeoutError', 'operation timed out for an unknown reason'), true],
  ['used after its close', say.named('ConnectionError', 'Connection is closed.', { code: 'ECONNCLOSED' }), false],
  ['not yet open', say.named('ConnectionError', 'Connection not yet open.', { code: 'ENOTOPEN' }), false],
  ['a transaction that was aborted', say.named('TransactionError', 'Transaction has been aborted.', { code: 'EABORT' }), false],
);

const looksAlike = failuresOf(
  'sqlServer',
  'somebody else',
  ['a number with nothing beside it', say.plain('', { number: 1205 }), false],
  ['only the class', say.plain('', { number: 1205, class: 13 }), true],
  ['a code that every object has', say.plain('Connection lost - ', { code: 'constructor' }), false],
);

export const sqlServer = [...tedious, ...mssql, ...looksAlike];
