import { runWithRetry } from 'retry-policy';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { meetingOf } from '../meeting.js';
import { sqlPolicy } from '../policies.js';
import { remedy } from '../remedy.js';
import { startPostgres } from '../servers/postgres.js';
import type { Server } from '../servers/server.js';
import { told } from '../told.js';
import { type Database, drivers, numberOf } from './drivers.js';

let server: Server;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.remove());

describe.each(drivers)('PostgreSQL through %s', (_, connect) => {
  let db: Database;
  beforeEach(async () => {
    db = connect(server);
    await db.query('drop table if exists accounts');
    await db.query('create table accounts (id int primary key, balance int not null)');
    await db.query('insert into accounts values (1, 100), (2, 100)');
    return () => db.close();
  });
  const balances = async () => (await db.query('select balance from accounts order by id')).map(({ balance }) => balance);

  test('a deadlock is healed: one of the two is chosen, rolls back and goes again', async () => {
    const bothHoldOne = meetingOf(2);
    const transfer = (from: number, to: number) =>
      runWithRetry(
        ({ attempt }) =>
          db.transaction(async (query) => {
            await query('update accounts set balance = balance - 10 where id = $1', [from]);
            if (attempt === 1) await bothHoldOne();
            await query('update accounts set balance = balance + 10 where id = $1', [to]);
          }),
        sqlPolicy,
      );
    const logs = (await Promise.all([transfer(1, 2), transfer(2, 1)])).map(told);
    expect(logs.sort((one, other) => one.length - other.length)).toEqual([['1 succeed'], ['1 retry: 40P01, by classifier', '2 succeed']]);
    expect(await balances()).toEqual([100, 100]);
  });

  test('a serialization failure at an UPDATE is healed with what is true then', async () => {
    const result = await runWithRetry(
      ({ attempt }) =>
        db.transaction(async (query) => {
          const balance = numberOf(await query('select balance from accounts where id = 1'));
          if (attempt === 1) await db.query('update accounts set balance = balance + 5 where id = 1');
          await query('update accounts set balance = $1 where id = 1', [balance - 10]);
        }, 'repeatable read'),
      sqlPolicy,
    );
    expect(told(result)).toEqual(['1 retry: 40001, by classifier', '2 succeed']);
    expect(await balances()).toEqual([95, 100]);
  });

  test('a serialization failure at COMMIT is healed: of two that empty one of both accounts, one sees that the other did', async () => {
    const bothHaveRead = meetingOf(2);
    const bothHaveWritten = meetingOf(2);
    const empty = (id: number) =>
      runWithRetry(
        ({ attempt }) =>
          db.transaction(async (query) => {
            const all = numberOf(await query('select sum(balance) from accounts'));
            if (attempt === 1) await bothHaveRead();
            if (all === 200) await query('update accounts set balance = 0 where id = $1', [id]);
            if (attempt === 1) await bothHaveWritten();
          }, 'serializable'),
        sqlPolicy,
      );
    const logs = (await Promise.all([empty(1), empty(2)])).map(told);
    expect(logs.sort((one, other) => one.length - other.length)).toEqual([['1 succeed'], ['1 retry: 40001, by classifier', '2 succeed']]);
    expect((await balances()).sort()).toEqual([0, 100]);
  });

  /** Keeps account 1 locked until it is told to let go. */
  async function lockFirst(): Promise<() => Promise<void>> {
    const isLocked = meetingOf(2);
    const isReleased = meetingOf(2);
    const holder = db.transaction(async (query) => {
      await query('select from accounts where id = 1 for update');
      await isLocked();
      await isReleased();
    });
    await isLocked();
    return async () => {
      await isReleased();
      await holder;
    };
  }

  test.each([
    ['lock_timeout', "set local lock_timeout = '20ms'", 'for update'],
    ['NOWAIT', 'select', 'for update nowait'],
  ])('a row that %s finds locked is had later', async (_, prepare, clause) => {
    const release = await lockFirst();
    const result = await runWithRetry(
      () =>
        db.transaction(async (query) => {
          await query(prepare);
          await query(`select from accounts where id = 1 ${clause}`);
        }),
      sqlPolicy,
      remedy(release),
    );
    await release();
    expect(told(result)).toEqual(['1 retry: 55P03, by classifier', '2 succeed']);
  });

  test.each([
    ['a unique violation', '23505', 'insert into accounts values (1, 0)'],
    ['a fault of syntax', '42601', 'selec 1'],
    ['a statement that took longer than statement_timeout', '57014', "set statement_timeout = '20ms'; select pg_sleep(10)"],
  ])('%s is permanent: one attempt', async (_, code, text) => {
    const own = connect({ ...server, connections: 1 });
    const result = await runWithRetry(() => own.query(text), sqlPolicy);
    await own.close();
    expect(told(result)).toEqual([`1 dead-letter permanent: ${code}, by default`]);
  });
});
