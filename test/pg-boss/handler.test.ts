import { type RetryPolicy, TransientFailure } from 'retry-policy';
import type { DeadLetter } from 'retry-policy/durable';
import { retryingHandler } from 'retry-policy/pg-boss';
import { frozenClock } from 'retry-policy/testing';
import { describe, expect, it, vi } from 'vitest';
import { FakeBoss, type Handler } from './fake-boss.js';

const busy = new TransientFailure('503');
const policy: RetryPolicy = { jitter: 'none', backoff: { baseMs: 100 }, maxAttempts: 3 };
const clock = frozenClock(5_000);
const never = () => new Promise<never>(() => {});
const fails = (error: unknown) =>
  vi.fn(() => {
    throw error;
  });

const workOff = async (boss: FakeBoss, row: ReturnType<FakeBoss['send']>, handler: Handler) => {
  const results = [];
  while (row.state === 'created' || row.state === 'retry') results.push(await boss.turn(row, handler));
  return results;
};

describe('a job', () => {
  it('is completed by an attempt that returns', async () => {
    const boss = new FakeBoss();
    const row = boss.send({ to: 'ann' });
    const seen: unknown[] = [];
    const handler = retryingHandler(boss, (job, { attempt, idempotencyKey }) => {
      seen.push(job.data, attempt, idempotencyKey);
      return 'sent';
    });
    expect(await boss.turn(row, handler)).toEqual({ id: row.id, status: 'completed', output: 'sent' });
    expect(seen).toEqual([{ to: 'ann' }, 1, 'mail/id 1']);
    expect(row.state).toBe('completed');
  });

  it('waits as the policy says, with its state beside its payload', async () => {
    const boss = new FakeBoss();
    const row = boss.send({ to: 'ann' });
    const seen: unknown[] = [];
    const handler = retryingHandler(
      boss,
      (job, { attempt, idempotencyKey }) => {
        seen.push([job.data, attempt, idempotencyKey]);
        if (attempt < 3) throw busy;
      },
      policy,
    );
    await boss.turn(row, handler);
    expect(row).toMatchObject({ state: 'retry', startAfter: 0.1, output: { message: '503' } });
    expect(JSON.parse(row.data)).toMatchObject({ to: 'ann', retryPolicy: { state: { attempts: 1 }, starts: 1 } });
    await boss.turn(row, handler);
    expect(row).toMatchObject({ state: 'retry', startAfter: 0.2 });
    await boss.turn(row, handler);
    expect(row.state).toBe('completed');
    expect(seen).toEqual([1, 2, 3].map((attempt) => [{ to: 'ann' }, attempt, 'mail/id 1']));
  });

  it('is dead-lettered in the end, and the copy is its dead letter', async () => {
    const boss = new FakeBoss();
    const row = boss.send({ to: 'ann' });
    const results = await workOff(boss, row, retryingHandler(boss, fails(busy), policy, { clock }));
    expect(results.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'deadletter']);
    expect(results.at(-1)?.output).toMatchObject({ message: '503' });
    const source = { engine: 'pg-boss', queue: 'mail', id: 'id 1' };
    const letter = { reason: 'attempts-exhausted', attempts: 3, payload: { to: 'ann' }, source, diedAt: 5_000 };
    expect(boss.dead).toMatchObject([{ ...letter, log: [{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }] }]);
  });

  it('is buried at once, and not after a wait', async () => {
    const boss = new FakeBoss();
    const row = boss.send({});
    await boss.turn(row, retryingHandler(boss, fails(new Error('400')), policy));
    expect(row).toMatchObject({ state: 'retry', startAfter: 0 });
  });

  it.each([['ann'], [null], [['ann', 1]], [{ retryPolicy: 'mine' }], [{}]])('keeps a payload of any kind: %j', async (payload) => {
    const boss = new FakeBoss();
    const seen: unknown[] = [];
    const note = (job: { data: unknown }) => {
      seen.push(job.data);
      throw busy;
    };
    await workOff(boss, boss.send(payload), retryingHandler(boss, note, policy));
    expect(seen).toEqual([payload, payload, payload]);
    expect(boss.dead).toMatchObject([{ payload }]);
  });

  it.each([
    [0, 0],
    [0.4, 0.001],
    [99.5, 0.1],
    [1e300, 31_536_000],
  ])('waits for whole milliseconds, and a year at the most: %d ms are %d s', async (delayMs, startAfter) => {
    const boss = new FakeBoss();
    const row = boss.send({});
    await boss.turn(row, retryingHandler(boss, fails(busy), { delay: () => delayMs }));
    expect(row.startAfter).toBe(startAfter);
  });

  it('with nonsense for a state is dead, and does not circle', async () => {
    const boss = new FakeBoss();
    const handler = fails(busy);
    const nonsense = { to: 'ann', retryPolicy: { state: { version: 1, attempts: -1 }, starts: 0, stalls: 0 } };
    await workOff(boss, boss.send(nonsense), retryingHandler(boss, handler, policy));
    expect(handler).not.toHaveBeenCalled();
    expect(boss.dead).toMatchObject([
      { reason: 'permanent', payload: { to: 'ann' }, error: { message: expect.stringContaining('state.') } },
    ]);
  });

  it('has lost an attempt whose claim pg-boss ends, and nothing else', async () => {
    const boss = new FakeBoss();
    const row = boss.send({ to: 'ann' });
    const controller = new AbortController();
    const turn = boss.turn(row, retryingHandler(boss, never, policy), controller.signal);
    controller.abort(); // with an AbortError, as pg-boss does
    expect(await turn).toMatchObject({ status: 'failed', output: { name: 'AbortError' } });
    expect(row).toMatchObject({ state: 'retry', data: '{"to":"ann"}' });
    await boss.turn(row, retryingHandler(boss, fails(busy), policy)); // takes note of the lost one, and waits
    expect(JSON.parse(row.data).retryPolicy.state).toMatchObject({
      attempts: 1,
      log: [{ error: { message: 'attempt 1 was lost: its worker went away' } }],
    });
  });
});

describe('a batch', () => {
  it('has an answer for each job, whatever becomes of another', async () => {
    const boss = new FakeBoss();
    const jobs = ['ok', 'busy', 'broken'].map((fate) => boss.claim(boss.send({ fate })));
    const handler = retryingHandler(boss, ({ data }) => {
      const { fate } = data as { fate: string };
      if (fate === 'busy') throw busy;
      if (fate === 'broken') throw new Error('400');
      return fate;
    });
    const results = await handler(jobs);
    expect(results.map(({ id, status }) => [id, status])).toEqual([
      ['id 1', 'completed'],
      ['id 2', 'failed'],
      ['id 3', 'failed'],
    ]);
    expect([...boss.rows.values()].map(({ state }) => state)).toEqual(['active', 'retry', 'retry']);
  });

  it.each(['fail', 'update'] as const)('is not lost where boss.%s fails', async (name) => {
    const boss = new FakeBoss();
    const row = boss.send({ to: 'ann' });
    vi.spyOn(boss, name).mockRejectedValueOnce(new Error('connection terminated'));
    const handler = retryingHandler(boss, fails(busy), policy);
    expect(await boss.turn(row, handler)).toMatchObject({ status: 'failed', output: { message: 'connection terminated' } });
    expect(row).toMatchObject({ state: 'retry', startAfter: undefined });
    await workOff(boss, row, handler);
    expect(boss.dead).toMatchObject([{ attempts: 3, payload: { to: 'ann' } }]);
  });
});

describe('claims', () => {
  it.each([0, 1, 2, 3, 9])(
    'are the limit where they are fewer than the attempts, and the letter is kept: %d retries',
    async (retryLimit) => {
      const boss = new FakeBoss();
      const handler = fails(busy);
      const row = boss.send({ to: 'ann' }, { retryLimit });
      await workOff(boss, row, retryingHandler(boss, handler, { ...policy, maxAttempts: 5 }));
      const attempts = Math.min(5, Math.max(1, retryLimit));
      expect(handler).toHaveBeenCalledTimes(attempts);
      const letter = { reason: 'attempts-exhausted', attempts, payload: { to: 'ann' } };
      if (retryLimit === 0) expect(row.output).toMatchObject(letter);
      else expect(boss.dead).toMatchObject([letter]);
      expect(boss.dead.length).toBe(1);
    },
  );

  it('that are gone leave the data to whoever has the job now', async () => {
    const boss = new FakeBoss();
    const row = boss.send({ to: 'ann' });
    const late = boss.claim(row);
    boss.expire(row);
    const handler = retryingHandler(boss, fails(busy), policy);
    expect(await handler([late])).toMatchObject([{ status: 'failed' }]);
    expect(JSON.parse(row.data)).toEqual({ to: 'ann' });
    await workOff(boss, row, handler);
    expect(boss.dead).toMatchObject([{ attempts: 3 }]);
  });
});

describe('a dead job that comes back', () => {
  const again: [string, (boss: FakeBoss, row: ReturnType<FakeBoss['send']>) => ReturnType<FakeBoss['send']>][] = [
    ['by a redrive of its copy', (boss) => boss.send(boss.dead.at(-1))],
    [
      'by boss.retry',
      (boss, row) => {
        boss.retry(row);
        return row;
      },
    ],
  ];

  it.each(again)('begins afresh %s, and remembers', async (_, comeBack) => {
    const boss = new FakeBoss();
    const row = boss.send({ to: 'ann' });
    const seen: unknown[] = [];
    const note = (job: { data: unknown }, { attempt, idempotencyKey }: { attempt: number; idempotencyKey: string }) => {
      seen.push([job.data, attempt, idempotencyKey]);
      throw busy;
    };
    const handler = retryingHandler(boss, note, policy);
    await workOff(boss, row, handler);
    await workOff(boss, comeBack(boss, row), handler);
    expect(seen).toEqual([1, 2, 3, 1, 2, 3].map((attempt) => [{ to: 'ann' }, attempt, 'mail/id 1']));
    expect(boss.dead).toMatchObject([{ redrives: 0 }, { redrives: 1, attempts: 3, log: [{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }] }]);
  });

  it.each(again)('does so as often as is allowed %s, and keeps its letter', async (_, comeBack) => {
    const boss = new FakeBoss();
    let row = boss.send({ to: 'ann' });
    const task = fails(new Error('400'));
    const handler = retryingHandler(boss, task, policy, { maxRedrives: 2 });
    for (let life = 1; life <= 4; life++) {
      await workOff(boss, row, handler);
      row = comeBack(boss, row);
    }
    expect(task).toHaveBeenCalledTimes(3);
    expect(boss.dead.map((letter) => (letter as DeadLetter).redrives)).toEqual([0, 1, 2, 2]);
    expect(await boss.turn(row, handler)).toMatchObject({
      status: 'deadletter',
      output: { message: expect.stringContaining('maxRedrives (2)') },
    });
  });

  it('is a payload to the consumer of the dead letters', async () => {
    const boss = new FakeBoss();
    await workOff(boss, boss.send({ to: 'ann' }), retryingHandler(boss, fails(new Error('400')), policy));
    const seen: unknown[] = [];
    const consumer = retryingHandler(boss, ({ data }) => {
      seen.push(data);
    });
    await boss.turn(boss.send(boss.dead[0], { name: 'mail-dead' }), consumer);
    const [{ retryPolicy: _, ...letter }] = boss.dead as [{ retryPolicy: unknown }];
    expect(seen).toEqual([letter]);
  });
});

it.each<[string, () => unknown]>([
  ['boss', () => retryingHandler({} as never, never)],
  ['handler', () => retryingHandler(new FakeBoss(), 'send' as never)],
  ['maxAttempts', () => retryingHandler(new FakeBoss(), never, { maxAttempts: 0 })],
  ['options', () => retryingHandler(new FakeBoss(), never, {}, 5 as never)],
  ['maxRedrives', () => retryingHandler(new FakeBoss(), never, {}, { maxRedrives: 0 })],
  ['clock', () => retryingHandler(new FakeBoss(), never, {}, { clock: {} as never })],
])('says what is wrong before any job comes: %s', (name, wire) => {
  expect(wire).toThrow(name);
});
