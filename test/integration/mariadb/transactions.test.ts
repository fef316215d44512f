import type { Pool } from 'mysql2/promise';
import { runWithRetry } from 'retry-policy';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { meetingOf } from '../meeting.js';
import { sqlPolicy } from '../policies.js';
import { remedy } from '../remedy.js';
import { startMariadb } from '../servers/mariadb.js';
import type { Server } from '../servers/server.js';
import { told } from '../told.js';
import { balances, connect, give, openAccounts, take, transaction } from './pool.js';

let server: Server;
let pool: Pool;
beforeAll(async () => {
  server = await startMariadb();
});
afterAll(() => server?.remove());
beforeEach(async () => {
  pool = connect(server);
  await openAccounts(pool);
  return () => pool.end();
});

/** Keeps account 2 locked until it is told to let go. */
async function lockSecond(): Promise<() => Promise<void>> {
  const holder = await pool.getConnection();
  await holder.beginTransaction();
  await holder.query('select * from accounts where id = 2 for update');
  let released: Promise<void> | undefined;
  return () => {
    released ??= holder.rollback().then(() => holder.release());
    return released;
  };
}

test('a deadlock is healed: one of the two is chosen, rolls back and goes again', async () => {
  const bothHoldOne = meetingOf(2);
  const transfer = (from: number, to: number) =>
    runWithRetry(
      ({ attempt }) =>
        transaction(pool, async (connection) => {
          await take(connection, from);
          if (attempt === 1) await bothHoldOne();
          await give(connection, to);
        }),
      sqlPolicy,
    );
  const logs = (await Promise.all([transfer(1, 2), transfer(2, 1)])).map(told);
  expect(logs.sort((one, other) => one.length - other.length)).toEqual([
    ['1 succeed'],
    ['1 retry: ER_LOCK_DEADLOCK, by classifier', '2 succeed'],
  ]);
  expect(await balances(pool)).toEqual([100, 100]);
});

test('a lock wait timeout is healed, and the money is right, where each attempt rolls back', async () => {
  const release = await lockSecond();
  const result = await runWithRetry(
    () =>
      transaction(pool, async (connection) => {
        await connection.query('set innodb_lock_wait_timeout = 1');
        await take(connection, 1);
        await give(connection, 2);
      }),
    sqlPolicy,
    remedy(release),
  );
  await release();
  expect(told(result)).toEqual(['1 retry: ER_LOCK_WAIT_TIMEOUT, by classifier', '2 succeed']);
  expect(await balances(pool)).toEqual([90, 110]);
});

test('without a rollback a lock wait timeout takes the money twice: the server has undone the statement, not the transaction', async () => {
  const release = await lockSecond();
  const connection = await pool.getConnection();
  await connection.query('set innodb_lock_wait_timeout = 1');
  const result = await runWithRetry(
    async () => {
      await connection.beginTransaction(); // commits what the attempt before left open
      await take(connection, 1);
      await give(connection, 2);
      await connection.commit();
    },
    sqlPolicy,
    remedy(release),
  );
  await release();
  connection.destroy();
  expect(told(result)).toEqual(['1 retry: ER_LOCK_WAIT_TIMEOUT, by classifier', '2 succeed']);
  expect(await balances(pool)).toEqual([80, 110]);
});

test.each([
  ['a duplicate key', 'ER_DUP_ENTRY', 'insert into accounts values (1, 0)'],
  ['a fault of syntax', 'ER_PARSE_ERROR', 'selec 1'],
  [
    'a statement that took longer than max_statement_time',
    'Query execution was interrupted (max_statement_time exceeded)',
    'set statement max_statement_time = 0.02 for select sleep(10)',
  ],
])('%s is permanent: one attempt', async (_, kind, text) => {
  const result = await runWithRetry(() => pool.query(text), sqlPolicy);
  expect(told(result)).toEqual([`1 dead-letter permanent: ${kind}, by default`]);
});
