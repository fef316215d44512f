import { runWithRetry } from 'retry-policy';
import { seededRandom } from 'retry-policy/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crowd } from '../crowd.js';
import { patientSqlPolicy } from '../policies.js';
import { startPostgres } from '../servers/postgres.js';
import type { Server } from '../servers/server.js';
import { retriedKinds } from '../told.js';
import { drivers, numberOf, type Query } from './drivers.js';

const ACCOUNTS = 4;
const random = seededRandom(7);
const transfers = Array.from({ length: 1_000 }, (_, id) => {
  const from = random(1, ACCOUNTS);
  const to = ((from + random(0, ACCOUNTS - 2)) % ACCOUNTS) + 1;
  return { id, from, to, amount: random(1, 9) };
});

let server: Server;
beforeAll(async () => {
  server = await startPostgres({ max_connections: 60 });
});
afterAll(() => server?.remove());

test.each(drivers)('through %s, 1,000 transfers that deadlock and collide leave the money right', async (_, connect) => {
  const db = connect({ ...server, connections: 16 });
  await db.query('drop table if exists accounts, ledger');
  await db.query('create table accounts (id int primary key, balance int not null)');
  await db.query('create table ledger (id int primary key)');
  await db.query(`insert into accounts select id, 1000 from generate_series(1, ${ACCOUNTS}) id`);

  const results = await crowd(16, transfers, (transfer) =>
    runWithRetry(
      () =>
        transfer.id % 2 === 0
          ? db.transaction((query) => move(query, transfer, 'for update')) // locks in any order: deadlocks
          : db.transaction((query) => move(query, transfer, ''), 'serializable'), // no locks: collisions
      patientSqlPolicy,
    ),
  );

  const expected = Array.from({ length: ACCOUNTS }, (_, index) =>
    transfers.reduce((sum, { from, to, amount }) => sum + (to === index + 1 ? amount : 0) - (from === index + 1 ? amount : 0), 1_000),
  );
  const balances = (await db.query('select balance from accounts order by id')).map(({ balance }) => balance);
  const entered = numberOf(await db.query('select count(*) from ledger'));
  await db.close();
  expect(results.filter(({ ok }) => !ok)).toEqual([]);
  expect([...retriedKinds(results)].sort()).toEqual(['40001', '40P01']);
  expect(entered).toBe(1_000);
  expect(balances).toEqual(expected);
});

/** Reads, reckons, writes: wrong wherever two of them mix. */
async function move(query: Query, { id, from, to, amount }: (typeof transfers)[number], clause: string) {
  const balanceOf = async (account: number) => numberOf(await query(`select balance from accounts where id = $1 ${clause}`, [account]));
  const [source, target] = [await balanceOf(from), await balanceOf(to)];
  await query('update accounts set balance = $1 where id = $2', [source - amount, from]);
  await query('update accounts set balance = $1 where id = $2', [target + amount, to]);
  await query('insert into ledger values ($1)', [id]);
}
