import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { definePolicy, runWithRetry } from 'retry-policy';
import { failureStage } from 'retry-policy/classifiers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { crowd } from '../crowd.js';
import { patientSqlPolicy, sqlPolicy } from '../policies.js';
import { remedy } from '../remedy.js';
import { SHUTDOWN, startPostgres } from '../servers/postgres.js';
import type { Server } from '../servers/server.js';
import { failuresOf, retriedKinds, told } from '../told.js';
import { until } from '../until.js';
import { type Database, drivers, numberOf, withPg } from './drivers.js';

let server: Server;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.remove());

describe.each(drivers)('PostgreSQL through %s', (name, connect) => {
  let db: Database;
  beforeEach(() => {
    db = connect(server);
    return () => db.close();
  });
  const count = async (text: string) => numberOf(await db.query(`select count(*) from ${text}`));

  test('a server that has no connection left has one later', async () => {
    await db.query('drop role if exists guest');
    await db.query('create role guest login connection limit 1');
    const [holder, guest] = [connect({ ...server, user: 'guest' }), connect({ ...server, user: 'guest' })];
    await holder.query('select 1');
    const result = await runWithRetry(
      () => guest.query('select 1'),
      sqlPolicy,
      remedy(async () => {
        await holder.close();
        await until(async () => (await count("pg_stat_activity where usename = 'guest'")) === 0);
      }),
    );
    await guest.close();
    expect(told(result)).toEqual(['1 retry: 53300, by classifier', '2 succeed']);
  });

  test('a server that starts up is ready later', async () => {
    await server.stop();
    const hold = join(server.folder, 'hold'); // recovery asks for an archive that has nothing, and does not say so yet
    writeFileSync(hold, '');
    writeFileSync(join(server.folder, 'data/recovery.signal'), '');
    await server.start({ restore_command: `while test -e ${hold}; do sleep 0.02; done; false` }, 'database system was');
    const result = await runWithRetry(
      () => db.query('select 1'),
      sqlPolicy,
      remedy(() => {
        rmSync(hold);
        return server.wrote();
      }),
    );
    expect(told(result)).toEqual(['1 retry: 57P03, by classifier', '2 succeed']);
  });

  test('a server that shuts down and comes back is there later; what it refused was not sent', async () => {
    const late = connect(server);
    await db.query('select 1');
    const stopped = server.stop(SHUTDOWN.smart); // it waits for the connection that is open
    await server.wrote('received smart shutdown request');
    const remedies = [() => db.close().then(() => stopped), () => server.start()];
    const result = await runWithRetry(
      () => late.query('select 1'),
      sqlPolicy,
      remedy(() => remedies.shift()?.()),
    );
    await late.close();
    expect(told(result)).toEqual(['1 retry: 57P03, by classifier', '2 retry: ECONNREFUSED, by classifier', '3 succeed']);
    expect(failuresOf(result).map(failureStage)).toEqual(['unknown', 'not-sent']);
  });

  test('a query whose connection is cut goes again on another; nobody knows how far it came', async () => {
    const sleeping = "pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active'";
    const result = runWithRetry(({ attempt }) => db.query(attempt === 1 ? 'select pg_sleep(60)' : 'select 1'), sqlPolicy);
    await until(async () => (await count(sleeping)) === 1);
    await db.query(`select pg_terminate_backend(pid) from ${sleeping}`);
    const code = { pg: '57P01', postgres: 'CONNECTION_CLOSED' }[name]; // postgres keeps the server's reason to itself
    expect(told(await result)).toEqual([`1 retry: ${code}, by classifier`, '2 succeed']);
    expect(failuresOf(await result).map(failureStage)).toEqual(['unknown']);
  });

  test.each(['fast', 'immediate'] as const)('work goes on over two %s restarts: all of it is done, each piece once', async (how) => {
    await db.query('drop table if exists done, total');
    await db.query('create table done (key text primary key)');
    await db.query('create table total (count int not null)');
    await db.query('insert into total values (0)');
    let started = 0;
    const restarts: Promise<void>[] = [];
    const results = await crowd(8, keys, (idempotencyKey) => {
      started += 1;
      if (started === 100 || started === 200) restarts.push(server.restart(SHUTDOWN[how]));
      return runWithRetry((context) => db.query(countOnce, [context.idempotencyKey]), restartPolicy, { idempotencyKey });
    });
    await Promise.all(restarts);
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(retriedKinds(results)).toContain('ECONNREFUSED');
    expect(await count('done')).toBe(keys.length);
    expect(await db.query('select count from total')).toEqual([{ count: keys.length }]);
  });
});

test('through pg, a transaction whose connection breaks between two statements goes again as a whole', async () => {
  const db = withPg(server);
  await db.query('create table pieces (name text)');
  const result = await runWithRetry(
    ({ attempt }) =>
      db.transaction(async (query) => {
        await query("insert into pieces values ('first')");
        const own = numberOf(await query('select pg_backend_pid()'));
        if (attempt === 1) {
          await db.query('select pg_terminate_backend($1)', [own]);
          await sleep(50); // so that the client mostly knows before the next statement
        }
        await query("insert into pieces values ('second')");
      }),
    sqlPolicy,
  );
  const pieces = await db.query('select name from pieces');
  await db.close();
  expect(told(result)).toEqual([
    expect.stringMatching(/^1 retry: (57P01|Client has encountered a connection error and is not queryable), by classifier$/),
    '2 succeed',
  ]);
  expect(pieces).toEqual([{ name: 'first' }, { name: 'second' }]);
});

const keys = Array.from({ length: 300 }, (_, index) => `piece ${index}`);
/** An attempt that hangs with its client is given up. */
const restartPolicy = definePolicy({ ...patientSqlPolicy, attemptTimeoutMs: 5_000 });
/**
 * One statement, not a transaction: postgres 3.4.9 throws where nobody can catch it when a connection breaks between two statements of one.
 */
const countOnce = `
  with new as (insert into done values ($1) on conflict do nothing returning key)
  update total set count = count + 1 where exists (select from new)`;
