import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../servers/postgres.js';
import { startRedis } from '../servers/redis.js';
import type { Server } from '../servers/server.js';
import { expectAllWell, workThroughCrashes } from './crash.js';
import { Ledger } from './ledger.mjs';
import { openTables, TableMails } from './table.js';

let postgres: Server;
let ledgers: Server;
let ledger: Ledger;
beforeAll(async () => {
  [postgres, ledgers] = await Promise.all([startPostgres(), startRedis()]);
  ledger = new Ledger(ledgers.port);
});
afterAll(async () => {
  await ledger.close();
  await Promise.all([postgres.remove(), ledgers.remove()]);
});

describe('workers of a table that are killed', () => {
  it.each(['attempt', 'decision', 'wait'] as const)('with 200 jobs, each once, at this point: %s', async (point) => {
    const pool = await openTables(postgres.port);
    try {
      const queue = new TableMails(pool, postgres.port, ledgers.port);
      const { kills } = await workThroughCrashes(queue, point);
      expect(kills).toBeGreaterThanOrEqual({ attempt: 4, decision: 4, wait: 1 }[point]);
      await expectAllWell(queue, ledger);
    } finally {
      await pool.end();
      await ledger.clear();
    }
  });
});
