import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis } from '../servers/redis.js';
import type { Server } from '../servers/server.js';
import { BullMails, clients } from './bullmq.js';
import { expectAllWell, workThroughCrashes } from './crash.js';
import { Ledger } from './ledger.mjs';

let server: Server;
let ledgers: Server;
let ledger: Ledger;
beforeAll(async () => {
  [server, ledgers] = await Promise.all([startRedis(), startRedis()]);
  ledger = new Ledger(ledgers.port);
});
afterAll(async () => {
  await ledger.close();
  await Promise.all([server.remove(), ledgers.remove()]);
});

describe.each(clients)('workers of %s that are killed', (client) => {
  it.each(['attempt', 'decision', 'retry', 'burial', 'wait'] as const)('with 200 jobs, each once, at this point: %s', async (point) => {
    const queue = await BullMails.on(client, server.port, ledgers.port);
    try {
      const { kills } = await workThroughCrashes(queue, point);
      expect(kills).toBeGreaterThanOrEqual({ attempt: 4, decision: 4, retry: 3, burial: 2, wait: 1 }[point]);
      await expectAllWell(queue, ledger);
      const own = await queue.deadLetters();
      const sent = await queue.sentLetters();
      expect(byMail(sent)).toEqual(byMail(own.map(withoutNote)));
    } finally {
      await queue.clear();
      await queue.close();
      await ledger.clear();
    }
  });
});

const byMail = <T extends { payload: { mail: number } }>(letters: readonly T[]) =>
  [...letters].sort((one, other) => one.payload.mail - other.payload.mail);

/** The letter in a job has the engine's counters beside it. */
function withoutNote(letter: Awaited<ReturnType<BullMails['deadLetters']>>[number]) {
  const { retryPolicy: _, ...rest } = letter as typeof letter & { retryPolicy: unknown };
  return rest;
}
