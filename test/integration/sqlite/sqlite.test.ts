import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { runWithRetry } from 'retry-policy';
import { beforeEach, expect, test } from 'vitest';
import { sqlPolicy } from '../policies.js';
import { remedy } from '../remedy.js';
import { told } from '../told.js';

let file: string;
let db: Database.Database;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'retry-policy-sqlite-'));
  file = join(folder, 'accounts.db');
  db = new Database(file, { timeout: 0 }); // its own waiting would block the thread
  db.exec('pragma journal_mode = wal; create table accounts (id integer primary key, balance integer not null)');
  db.exec('insert into accounts values (1, 100), (2, 100)');
  return () => {
    db.close();
    rmSync(folder, { recursive: true });
  };
});

const balanceOf = (id: number) => Number(db.prepare('select balance from accounts where id = ?').pluck().get(id));
const take = () => db.exec('update accounts set balance = balance - 10 where id = 1');
const give = () => db.exec('update accounts set balance = balance + 10 where id = 2');

test('a database that another process writes to is had when that has committed', async () => {
  const holder = fork(fileURLToPath(new URL('holder.mjs', import.meta.url)), [file]);
  const ended = once(holder, 'exit');
  await once(holder, 'message');
  const result = await runWithRetry(
    () =>
      db.transaction(() => {
        take();
        give();
      })(),
    sqlPolicy,
    remedy(() => {
      holder.send('go on');
      return ended;
    }),
  );
  expect(told(result)).toEqual(['1 retry: SQLITE_BUSY, by classifier', '2 succeed']);
  expect([balanceOf(1), balanceOf(2)]).toEqual([95, 110]);
});

/** Another connection commits, after this one has read in its transaction. */
function writeElsewhere() {
  const other = new Database(file);
  other.exec('update accounts set balance = balance + 5 where id = 1');
  other.close();
}

test('a snapshot that is out of date stays so: repeating the statement is in vain', async () => {
  db.exec('begin');
  balanceOf(1);
  writeElsewhere();
  const result = await runWithRetry(() => take(), sqlPolicy);
  db.exec('rollback');
  expect(told(result)).toEqual([
    ...[1, 2, 3, 4].map((attempt) => `${attempt} retry: SQLITE_BUSY_SNAPSHOT, by classifier`),
    '5 dead-letter attempts-exhausted: SQLITE_BUSY_SNAPSHOT, by classifier',
  ]);
  expect(balanceOf(1)).toBe(105);
});

test('repeating the transaction takes a new snapshot', async () => {
  const result = await runWithRetry(
    ({ attempt }) =>
      db.transaction(() => {
        const balance = balanceOf(1);
        if (attempt === 1) writeElsewhere();
        db.prepare('update accounts set balance = ? where id = 1').run(balance - 10);
      })(),
    sqlPolicy,
  );
  expect(told(result)).toEqual(['1 retry: SQLITE_BUSY_SNAPSHOT, by classifier', '2 succeed']);
  expect(balanceOf(1)).toBe(95);
});

test.each([
  ['a second row of one key', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'insert into accounts values (1, 0)'],
  ['a missing value', 'SQLITE_CONSTRAINT_NOTNULL', 'insert into accounts values (3, null)'],
  ['a fault of syntax', 'SQLITE_ERROR', 'selec 1'],
])('%s is permanent: one attempt', async (_, code, text) => {
  const result = await runWithRetry(() => db.exec(text), sqlPolicy);
  expect(told(result)).toEqual([`1 dead-letter permanent: ${code}, by default`]);
});
