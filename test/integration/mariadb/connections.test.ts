import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise';
import { runWithRetry } from 'retry-policy';
import { failureStage } from 'retry-policy/classifiers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sqlPolicy } from '../policies.js';
import { remedy } from '../remedy.js';
import { startMariadb } from '../servers/mariadb.js';
import type { Server } from '../servers/server.js';
import { failuresOf, told } from '../told.js';
import { until } from '../until.js';
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

test('a query whose connection is killed goes again on another; nobody knows how far it came', async () => {
  const result = runWithRetry(({ attempt }) => pool.query(attempt === 1 ? 'select sleep(60)' : 'select 1'), sqlPolicy);
  const ids: number[] = [];
  await until(async () => {
    const [rows] = await pool.query<RowDataPacket[]>("select id from information_schema.processlist where info = 'select sleep(60)'");
    ids.push(...rows.map(({ id }) => id));
    return ids.length === 1;
  });
  await pool.query('kill ?', ids);
  expect(told(await result)).toEqual(['1 retry: PROTOCOL_CONNECTION_LOST, by classifier', '2 succeed']);
  expect(failuresOf(await result).map(failureStage)).toEqual(['unknown']);
});

test('a transaction whose connection is killed between two statements goes again as a whole', async () => {
  const result = await runWithRetry(
    ({ attempt }) =>
      transaction(pool, async (connection) => {
        await take(connection, 1);
        if (attempt === 1) await pool.query('kill ?', [connection.threadId]);
        await give(connection, 2);
      }),
    sqlPolicy,
  );
  const kinds = /^1 retry: (PROTOCOL_CONNECTION_LOST|EPIPE|ECONNRESET), by classifier$/; // as far as the news had come
  expect(told(result)).toEqual([expect.stringMatching(kinds), '2 succeed']);
  expect(await balances(pool)).toEqual([90, 110]);
});

test('a server that is down is there later; what it refused was not sent', async () => {
  await server.stop();
  const late = connect(server);
  const result = await runWithRetry(
    () => late.query('select 1'),
    sqlPolicy,
    remedy(() => server.start()),
  );
  await late.end();
  expect(told(result)).toEqual(['1 retry: ECONNREFUSED, by classifier', '2 succeed']);
  expect(failuresOf(result).map(failureStage)).toEqual(['not-sent']);
});

test('a server that has no connection left has one later', async () => {
  await pool.query('create user if not exists guest');
  await pool.query('grant all on test.* to guest');
  await pool.query('set global max_connections = 10');
  const guests = connect({ ...server, user: 'guest' });
  const held: PoolConnection[] = [];
  const hold = async () => held.push(await guests.getConnection());
  await until(() =>
    hold()
      .then(() => false)
      .catch(() => true),
  );
  const result = await runWithRetry(
    hold,
    sqlPolicy,
    remedy(() => pool.query('set global max_connections = 20')),
  );
  for (const connection of held) connection.release();
  await guests.end();
  expect(told(result)).toEqual(['1 retry: ER_CON_COUNT_ERROR, by classifier', '2 succeed']);
});
