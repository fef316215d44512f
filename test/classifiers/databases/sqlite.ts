import * as say from '../thrown.js';
import { failuresOf, type Row } from './row.js';

const results: readonly (readonly [code: string, errcode: number, passes: boolean])[] = [
  ['SQLITE_BUSY', 5, true],
  ['SQLITE_BUSY_RECOVERY', 261, true],
  ['SQLITE_BUSY_SNAPSHOT', 517, true],
  ['SQLITE_BUSY_TIMEOUT', 773, true],
  ['SQLITE_LOCKED', 6, true],
  ['SQLITE_LOCKED_SHAREDCACHE', 262, true],
  ['SQLITE_PROTOCOL', 15, true],
  ['SQLITE_CONSTRAINT', 19, false],
  ['SQLITE_CONSTRAINT_PRIMARYKEY', 1555, false],
  ['SQLITE_CONSTRAINT_UNIQUE', 2067, false],
  ['SQLITE_READONLY', 8, false],
  ['SQLITE_READONLY_DBMOVED', 1032, false],
  ['SQLITE_IOERR', 10, false],
  ['SQLITE_FULL', 13, false],
  ['SQLITE_CANTOPEN', 14, false],
  ['SQLITE_NOTADB', 26, false],
  ['SQLITE_ERROR', 1, false],
];

const better = failuresOf(
  'sqlite',
  'better-sqlite3',
  ...results.map(([code, , passes]): Row => [code, say.named('SqliteError', 'as it says it', { code }), passes]),
  ['a folder that is not there', say.type('Cannot open database because the directory does not exist'), false],
  ['busy with its own query', say.type('This database connection is busy executing a query'), false],
);

const node = failuresOf(
  'sqlite',
  'node:sqlite',
  ...results.map(([fault, errcode, passes]): Row => {
    return [fault, say.plain('as it says it', { code: 'ERR_SQLITE_ERROR', errcode, errstr: 'as it says it' }), passes];
  }),
  ['no errcode', say.plain('', { code: 'ERR_SQLITE_ERROR' }), false],
  ['an errcode that is a text', say.plain('', { code: 'ERR_SQLITE_ERROR', errcode: '5' }), false],
);

const sqlite3 = failuresOf(
  'sqlite',
  'sqlite3',
  ...results.map(([code, errno, passes]): Row => [code, say.plain(`${code}: as it says it`, { code, errno }), passes]),
);

const looksAlike = failuresOf(
  'sqlite',
  'somebody else',
  ['an errcode of its own', say.plain('', { code: 'ERR_OTHER', errcode: 5 }), false],
  ['a longer word', say.plain('', { code: 'SQLITE_BUSYBODY' }), false],
  ['a word before it', say.plain('', { code: 'MY_SQLITE_BUSY' }), false],
);

export const sqlite = [...better, ...node, ...sqlite3, ...looksAlike];
