import * as say from '../thrown.js';
import { failuresOf, type Row } from './row.js';

const states: readonly (readonly [fault: string, state: string, passes: boolean, severity?: string])[] = [
  ['serialization failure', '40001', true],
  ['deadlock', '40P01', true],
  ['a lock that was not to be had', '55P03', true],
  ['too many connections', '53300', true, 'FATAL'],
  ['terminated by the administrator', '57P01', true, 'FATAL'],
  ['another backend crashed', '57P02', true, 'FATAL'],
  ['starting up', '57P03', true, 'FATAL'],
  ['idle in a transaction for too long', '25P03', true, 'FATAL'],
  ['idle for too long', '57P05', true, 'FATAL'],
  ['connection exception', '08000', true],
  ['no connection to be made', '08001', true],
  ['no such connection', '08003', true],
  ['connection rejected', '08004', true],
  ['connection failure', '08006', true],
  ['committed or not, nobody knows', '08007', false],
  ['protocol violation', '08P01', false],
  ['statement timeout, or canceled', '57014', false],
  ['a transaction that has failed', '25P02', false],
  ['a transaction that took too long', '25P04', false],
  ['a standby that was written to', '25006', false],
  ['unique violation', '23505', false],
  ['syntax', '42601', false],
  ['unknown database', '3D000', false],
  ['wrong password', '28P01', false],
  ['a database that was dropped', '57P04', false],
  ['disk full', '53100', false],
];

const dropped: Row = ['the line is reset', say.reset(), false]; // for networkErrors

const pgSays = (code: string, severity = 'ERROR') =>
  say.ofClass('DatabaseError', 'as the server says it', { name: 'error', length: 100, severity, code, routine: 'f' });

const pg = failuresOf(
  'postgres',
  'pg',
  ...states.map(([fault, code, passes, severity]): Row => [fault, pgSays(code, severity), passes]),
  ['the line is cut', say.plain('Connection terminated unexpectedly'), true],
  ['the next query after it', say.plain('Client has encountered a connection error and is not queryable'), true],
  ['no answer to connect', say.plain('timeout expired'), true],
  ['no connection of the pool', say.plain('timeout exceeded when trying to connect'), true],
  [
    'a new connection of the pool in no time',
    new Error('Connection terminated due to connection timeout', { cause: say.plain('Connection terminated unexpectedly') }),
    true,
  ],
  ['its own query timeout', say.plain('Query read timeout'), false],
  ['its own end', say.plain('Connection terminated'), false],
  ['used after its end', say.plain('Client was closed and is not queryable'), false],
  ['used after the end of the pool', say.plain('Cannot use a pool after calling end on the pool'), false],
  ['other words around it', say.plain('the session timeout expired'), false],
  ['its words under a code of somebody else', say.plain('timeout expired', { code: 'ERR_SESSION' }), false],
  dropped,
  ['refused', say.refused(), false],
);

const postgresSays = (code: string, severity = 'ERROR') =>
  say.named('PostgresError', 'as the server says it', { severity_local: severity, severity, code, routine: 'f' });
const itSays = (code: string) => say.plain(`write ${code} 127.0.0.1:5432`, { code, errno: code, address: '127.0.0.1', port: 5432 });

const postgresJs = failuresOf(
  'postgres',
  'postgres.js',
  ...states.map(([fault, code, passes, severity]): Row => [fault, postgresSays(code, severity), passes]),
  ['the line is cut', itSays('CONNECTION_CLOSED'), true],
  ['no answer to connect', itSays('CONNECT_TIMEOUT'), true],
  ['used after its end', itSays('CONNECTION_ENDED'), false],
  ['ended while it ran', itSays('CONNECTION_DESTROYED'), false],
  ['canceled', say.plain('57014: canceling statement due to user request', { code: '57014' }), false],
  dropped,
);

const looksAlike = failuresOf(
  'postgres',
  'somebody else',
  ...['EPIPE', 'EPERM', 'EBUSY'].map((code): Row => [`${code}, as long as a SQLSTATE`, say.system(code, 'write'), false]),
  ['a SQLSTATE that is a number', say.plain('', { code: 40_001 }), false],
);

export const postgres = [...pg, ...postgresJs, ...looksAlike];
