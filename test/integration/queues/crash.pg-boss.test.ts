import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../servers/postgres.js';
import { startRedis } from '../servers/redis.js';
import type { Server } from '../servers/server.js';
import { expectAllWell, workThroughCrashes } from './crash.js';
import { Ledger } from './ledger.mjs';
import { BossMails } from './pg-boss.js';

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

describe('workers of pg-boss that are killed', () => {
  it.each(['attempt', 'decision', 'retry', 'burial', 'wait'] as const)('with 200 jobs, each once, at this point: %s', async (point) => {
    const queue = new BossMails(postgres.port, ledgers.port);
    try {
      const { kills } = await workThroughCrashes(queue, point);
      expect(kills).toBeGreaterThanOrEqual({ attempt: 4, decision: 4, retry: 3, burial: 2, wait: 1 }[point]);
      await expectAllWell(queue, ledger);
    } finally {
      await queue.close();
      await ledger.clear();
    }
  });
});
