import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../servers/postgres.js';
import { startRedis } from '../servers/redis.js';
import type { Server } from '../servers/server.js';
import { inMemory, onBullMq, onPgBoss, onTable, onTemporal } from './engines.js';
import { type Played, scripts } from './script.mjs';
import { openTables } from './table.js';

let redis: Server;
let postgres: Server;
beforeAll(async () => {
  [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
});
afterAll(() => Promise.all([redis.stop(), postgres.stop()]));

describe('one policy, in memory and on each engine', () => {
  const played = new Map<string, readonly Played[]>();
  beforeAll(async () => {
    played.set('in memory', await Promise.all(scripts.map(inMemory)));
    played.set('BullMQ 6', await Promise.all(scripts.map((script) => onBullMq(script, 'bullmq', redis.port))));
    played.set('BullMQ 5', await Promise.all(scripts.map((script) => onBullMq(script, 'bullmq5', redis.port))));
    played.set('pg-boss', await onPgBoss(`postgres://postgres@127.0.0.1:${postgres.port}/postgres`));
    const pool = await openTables(postgres.port);
    played.set('table', await Promise.all(scripts.map((script) => onTable(script, pool))));
    await pool.end();
    played.set('Temporal (mock)', await Promise.all(scripts.map(onTemporal)));
  });

  it.each(scripts.map(({ name }, i) => [name, i] as const))('decides the same, draw by draw: %s', (_, i) => {
    const [reference, ...others] = [...played.values()].map((runs) => runs[i]?.decisions);
    expect(reference?.at(-1)?.action).not.toBe('retry');
    for (const decisions of others) expect(decisions).toEqual(reference);
  });

  it.each(['BullMQ 6', 'BullMQ 5', 'pg-boss', 'table'])('never begins an attempt before it is due: %s', (engine) => {
    for (const { decisions, begins } of played.get(engine) ?? []) {
      const gaps = begins.slice(1).map((at, i) => at - (begins[i] ?? 0));
      gaps.forEach((gap, i) => {
        expect(gap).toBeGreaterThanOrEqual((decisions[i]?.delayMs ?? 0) - 2); // two clocks, cut to whole milliseconds
      });
    }
  });

  afterAll(() => {
    const rows = scripts.map(({ name }, i) => {
      const runs = [...played].map(([engine, all]) => [engine, all[i]?.decisions ?? []] as const);
      const reference = runs[0]?.[1] ?? [];
      const told = reference.map(({ action, delayMs, reason }) => (action === 'retry' ? `${delayMs} ms` : (reason ?? action)));
      const same = runs.map(([engine, decisions]) => [engine, isDeepStrictEqual(decisions, reference) ? 'same' : 'OTHER']);
      return { script: name, decisions: told.join(', '), ...Object.fromEntries(same.slice(1)) };
    });
    console.table(rows);
  });
});
