import * as say from '../thrown.js';
import type { Database, DatabaseFailure } from './row.js';

const clientVersion = '6.2.1';
const known = (code: string, meta?: object) => say.named('PrismaClientKnownRequestError', '', { code, clientVersion, meta });
const adapter = (cause: object) => say.named('DriverAdapterError', 'as it says it', { cause });
const raw = (code: string) => known('P2010', { code, message: 'as the server says it' });
const viaAdapter = (originalCode: string) => known('P2010', { driverAdapterError: adapter({ kind: 'any', originalCode }) });

const everyDatabase: readonly Database[] = ['postgres', 'mysql', 'sqlite', 'sqlServer', 'mongo'];

const rows: readonly (readonly [fault: string, error: unknown, knownBy: readonly Database[]])[] = [
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2034', 'P2037'].map((code) => [code, known(code), everyDatabase] as const),
  ...['P1000', 'P1003', 'P2002', 'P2025', 'P2028', 'P2039'].map((code) => [code, known(code), []] as const),
  ['P1001 at the start', say.named('PrismaClientInitializationError', '', { errorCode: 'P1001', clientVersion }), everyDatabase],
  ['P1000 at the start', say.named('PrismaClientInitializationError', '', { errorCode: 'P1000', clientVersion }), []],
  ['its code from somebody else', say.plain('', { code: 'P2034' }), []],
  ['a raw query of PostgreSQL', raw('40P01'), ['postgres']],
  ['a raw query of PostgreSQL through an adapter', viaAdapter('40001'), ['postgres']],
  ['a raw query that violates', raw('23505'), []],
  ['a raw query of MySQL', raw('1213'), ['mysql']],
  ['a raw query of SQL Server', viaAdapter('3960'), ['sqlServer']],
  ['1205, which is a lock in both', raw('1205'), ['mysql', 'sqlServer']],
  ['a raw query without a code', known('P2010', { code: 1205 }), []],
  ['meta of somebody else', say.plain('', { code: 'P2010', meta: { code: '40001' } }), []],
  ...['TransactionWriteConflict', 'DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'].map(
    (kind) => [`${kind}, from the adapter`, adapter({ kind }), everyDatabase] as const,
  ),
  ['UniqueConstraintViolation, from the adapter', adapter({ kind: 'UniqueConstraintViolation' }), []],
  ['deadlock, from the adapter', adapter({ kind: 'postgres', code: '40P01', originalCode: '40P01' }), ['postgres']],
  ['a kind of somebody else', new Error('', { cause: { kind: 'TransactionWriteConflict' } }), []],
];

export const prisma: readonly DatabaseFailure[] = rows.map(([fault, error, knownBy]) => ({ thrower: 'Prisma', fault, error, knownBy }));
