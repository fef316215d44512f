import type pg from 'pg';
import { type AttemptContext, TransientFailure } from 'retry-policy';
import type { DeadLetter } from 'retry-policy/durable';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { enqueue, redrive, take } from '../../../examples/table-queue/queue.mjs';
import { work } from '../../../examples/table-queue/worker.mjs';
import { startPostgres } from '../servers/postgres.js';
import type { Server } from '../servers/server.js';
import { until } from '../until.js';
import { openTables } from './table.js';

let server: Server;
let pool: pg.Pool;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());
beforeEach(async () => {
  pool = await openTables(server.port);
  return () => pool.end();
});

const policy = { maxAttempts: 2, jitter: 'none', backoff: { baseMs: 10 } } as const;
type Handler = (payload: unknown, context: AttemptContext) => unknown;

const count = async (table: 'jobs' | 'failed_jobs') => (await pool.query(`SELECT count(*)::int FROM ${table}`)).rows[0].count as number;
const letters = async () => (await pool.query('SELECT letter FROM failed_jobs')).rows.map(({ letter }) => letter as DeadLetter);

interface Working {
  readonly db?: Pick<pg.Pool, 'query'>;
  readonly [option: string]: unknown;
}

/** A worker, until that holds. */
async function workUntil(holds: () => Promise<boolean>, handler: Handler, { db = pool, ...options }: Working = {}): Promise<void> {
  const stop = new AbortController();
  const faults: unknown[] = [];
  const onError = (fault: unknown) => faults.push(fault);
  const working = work(db, 'mail', handler, policy, { signal: stop.signal, pollMs: 10, onError, ...options });
  await until(holds).finally(() => stop.abort());
  await working;
  expect(faults).toEqual([]);
}
const allIsDone = async () => (await count('jobs')) === 0;

/** The database, over a line of which something becomes of a statement. */
const lineOf = (trouble: (text: string) => unknown): Pick<pg.Pool, 'query'> => ({
  query: (async (text: string, values: unknown[]) => {
    const result = await pool.query(text, values);
    await trouble(text);
    return result;
  }) as unknown as pg.Pool['query'],
});

describe('the table as a queue', () => {
  it('gives what is due, the longest due first', async () => {
    for (const [to, delayMs] of [
      ['second', -200],
      ['third', -100],
      ['not yet', 1e9],
      ['first', -300],
    ] as const) {
      await enqueue(pool, 'mail', { to }, { delayMs });
    }
    const seen: unknown[] = [];
    const handler = ({ to }: { to: string }) => seen.push(to);
    await workUntil(async () => (await count('jobs')) === 1, handler as Handler, { concurrency: 1 });
    expect(seen).toEqual(['first', 'second', 'third']);
  });

  it('gives a job to one of those that ask at the same time', async () => {
    for (let i = 0; i < 50; i += 1) await enqueue(pool, 'mail', { i });
    const asked = await Promise.all(Array.from({ length: 8 }, () => take(pool, 'mail', { count: 10, leaseMs: 1_000 })));
    const ids = asked.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(0);
  });

  it('has a job when the transaction that has a reason for it is committed', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await enqueue(client, 'mail', { to: 'ann' });
    expect(await take(pool, 'mail', { count: 1, leaseMs: 1_000 })).toEqual([]);
    await client.query('ROLLBACK');
    client.release();
    expect(await count('jobs')).toBe(0);
  });

  it.each([[null], [0], [''], ['text'], [[1, [2]]], [{ retryPolicy: {} }], [{ to: 'ann', nothing: null }]])(
    'brings %j to the handler and into the letter',
    async (payload) => {
      await enqueue(pool, 'mail', payload);
      const seen: unknown[] = [];
      await workUntil(allIsDone, (payload, { attempt }) => {
        seen.push(payload);
        throw attempt === 1 ? new TransientFailure('503') : new Error('400');
      });
      expect(seen).toEqual([payload, payload]);
      expect(await letters()).toMatchObject([{ reason: 'permanent', payload, attempts: 2, source: { engine: 'table', queue: 'mail' } }]);
    },
  );

  it.each([Number.MAX_VALUE, Number.POSITIVE_INFINITY])(
    'waits for a year if the delay is %d ms, which no column holds',
    async (delayMs) => {
      await enqueue(pool, 'mail', {}, { delayMs });
      const { rows } = await pool.query(
        "SELECT available_at - now() BETWEEN interval '364 days' AND interval '365 days' AS holds FROM jobs",
      );
      expect(rows).toEqual([{ holds: true }]);
    },
  );
});

describe('a worker of a table', () => {
  it('ends what it has when it is told to stop, and takes nothing more', async () => {
    for (const to of ['ann', 'bob']) await enqueue(pool, 'mail', { to });
    const stop = new AbortController();
    const seen: unknown[] = [];
    const handler = async ({ to }: { to: string }) => {
      stop.abort();
      await pool.query('SELECT pg_sleep(0.05)');
      seen.push(to);
    };
    await work(pool, 'mail', handler, policy, { signal: stop.signal, concurrency: 1 });
    expect(seen).toEqual(['ann']);
    expect(await count('jobs')).toBe(1);
  });

  it('keeps a job for longer than its lease while the handler runs', async () => {
    await enqueue(pool, 'mail', {});
    let starts = 0;
    const handler = () => {
      starts += 1;
      return pool.query('SELECT pg_sleep(0.6)');
    };
    await Promise.all([1, 2].map(() => workUntil(allIsDone, handler, { leaseMs: 150 })));
    expect(starts).toBe(1);
  });

  it('aborts an attempt whose job another one has, and settles nothing of it', async () => {
    await enqueue(pool, 'mail', {});
    let reason: unknown;
    const handler: Handler = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          reject(new Error('this would kill the job'));
        });
        pool.query('UPDATE jobs SET starts = starts + 1'); // another worker takes it
      });
    await workUntil(async () => reason !== undefined, handler, { leaseMs: 60 });
    expect(reason).toMatchObject({ name: 'TransientFailure', message: 'the lease has ended' });
    expect([await count('jobs'), await count('failed_jobs')]).toEqual([1, 0]);
    await pool.query('UPDATE jobs SET available_at = now()');
    await workUntil(allIsDone, () => expect.fail('both of its attempts are lost'));
    expect(await letters()).toMatchObject([{ reason: 'attempts-exhausted', attempts: 2 }]);
  });

  it.each(['succeed', 'retry', 'dead-letter'])('settles nothing of a job that another one has, unnoticed: %s', async (end) => {
    await enqueue(pool, 'mail', {});
    let calls = 0;
    const handler = async () => {
      await pool.query("UPDATE jobs SET starts = starts + 1, available_at = now() + interval '1 minute'");
      calls += 1;
      if (end === 'retry') throw new TransientFailure('503');
      if (end === 'dead-letter') throw new Error('400');
    };
    await workUntil(async () => calls === 1, handler);
    const { rows } = await pool.query("SELECT state, starts, settled, available_at > now() + interval '50 seconds' AS waits FROM jobs");
    expect(rows).toEqual([{ state: null, starts: 2, settled: 0, waits: true }]);
    expect(await count('failed_jobs')).toBe(0);
  });

  it('settles an end once, though the line breaks while the answer is on its way', async () => {
    await enqueue(pool, 'mail', {});
    const breaks = new Map([
      ['UPDATE', 2],
      ['WITH dead', 2],
    ]);
    const db = lineOf((text) => {
      for (const [start, left] of breaks) {
        if (left === 0 || !text.startsWith(start) || text.includes('SET starts') || !text.includes('starts = $2')) continue;
        breaks.set(start, left - 1);
        throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      }
    });
    let calls = 0;
    await workUntil(
      allIsDone,
      () => {
        calls += 1;
        throw new TransientFailure('503');
      },
      { db },
    );
    expect([...breaks.values()]).toEqual([0, 0]);
    expect(calls).toBe(2);
    expect(await letters()).toMatchObject([{ reason: 'attempts-exhausted', attempts: 2, log: [{ attempt: 1 }, { attempt: 2 }] }]);
  });

  it('tells of a database that is away, and goes on when it is back', async () => {
    await enqueue(pool, 'mail', {});
    const faults: unknown[] = [];
    const db = lineOf((text) => {
      if (text.includes('SKIP LOCKED') && faults.length < 2) throw new Error('terminating connection');
    });
    await workUntil(allIsDone, () => {}, { db, leaseMs: 20, onError: (fault: unknown) => faults.push(fault) });
    expect(faults).toHaveLength(2);
  });
});

describe('a dead job in the table of failed jobs', () => {
  const fail: Handler = () => {
    throw new Error('550 no such address');
  };

  it('comes back with its key, as often as is allowed, then stays', async () => {
    const id = await enqueue(pool, 'mail', { to: 'ann' });
    for (const redrives of [0, 1, 2]) {
      await workUntil(allIsDone, fail);
      const [letter] = await letters();
      expect(letter).toMatchObject({ redrives, attempts: 1, idempotencyKey: `mail/${id}`, source: { id } });
      if (redrives < 2) expect(await redrive(pool, id, { maxRedrives: 2 })).toBe(true);
    }
    await expect(redrive(pool, id, { maxRedrives: 2 })).rejects.toThrow(RangeError);
    expect([await count('jobs'), await count('failed_jobs')]).toEqual([0, 1]);
  });

  it('comes back once, with another payload if there is one', async () => {
    const id = await enqueue(pool, 'mail', { to: 'an' });
    await workUntil(allIsDone, fail);
    const answers = await Promise.all([1, 2, 3].map(() => redrive(pool, id, { payload: { to: 'ann' } })));
    expect(answers.filter(Boolean)).toEqual([true]);
    const seen: unknown[] = [];
    await workUntil(allIsDone, (payload, { attempt }) => seen.push([payload, attempt]));
    expect(seen).toEqual([[{ to: 'ann' }, 1]]);
    expect(await redrive(pool, id)).toBe(false);
  });

  it('does not come back by a letter that is of a life before', async () => {
    const id = await enqueue(pool, 'mail', {});
    await workUntil(allIsDone, fail);
    let isFirst = true;
    const db = lineOf(async (text) => {
      if (!text.startsWith('SELECT letter') || !isFirst) return;
      isFirst = false;
      await redrive(pool, id); // by somebody else, in the meantime
      await workUntil(allIsDone, fail);
    });
    expect(await redrive(db, id)).toBe(false);
    expect(await letters()).toMatchObject([{ redrives: 1 }]);
  });
});
