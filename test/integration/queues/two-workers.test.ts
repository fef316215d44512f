import { afterAll, beforeAll, describe, it } from 'vitest';
import { startPostgres } from '../servers/postgres.js';
import { startRedis } from '../servers/redis.js';
import type { Server } from '../servers/server.js';
import { BullMails, clients } from './bullmq.js';
import { expectAllWell, expectTwoWorkers, type MailQueue, workTogether } from './crash.js';
import { Ledger } from './ledger.mjs';
import { BossMails } from './pg-boss.js';
import { openTables, TableMails } from './table.js';

let redis: Server;
let postgres: Server;
let ledgers: Server;
let ledger: Ledger;
beforeAll(async () => {
  [redis, postgres, ledgers] = await Promise.all([startRedis(), startPostgres(), startRedis()]);
  ledger = new Ledger(ledgers.port);
});
afterAll(async () => {
  await ledger.close();
  await Promise.all([redis, postgres, ledgers].map((server) => server.remove()));
});

async function expectNoMeeting(queue: MailQueue): Promise<void> {
  await workTogether(queue);
  await expectAllWell(queue, ledger);
  await expectTwoWorkers(ledger);
  await ledger.clear();
}

describe('two workers of one queue make no attempt twice, and keep each log whole', () => {
  it.each(clients)('%s', async (client) => {
    const queue = await BullMails.on(client, redis.port, ledgers.port);
    await expectNoMeeting(queue);
    await queue.clear();
    await queue.close();
  });

  it('pg-boss', async () => {
    const queue = new BossMails(postgres.port, ledgers.port);
    await expectNoMeeting(queue);
    await queue.close();
  });

  it('table', async () => {
    const pool = await openTables(postgres.port);
    await expectNoMeeting(new TableMails(pool, postgres.port, ledgers.port));
    await pool.end();
  });
});
