import { type RetryPolicy, TransientFailure } from 'retry-policy';
import { retryingHandler } from 'retry-policy/pg-boss';
import { describe, expect, it, vi } from 'vitest';
import { FakeBoss, type Handler } from './fake-boss.js';

const busy = new TransientFailure('503');
const policy: RetryPolicy = { jitter: 'none', backoff: { baseMs: 100 }, maxAttempts: 3 };
const never = () => new Promise<never>(() => {});
const fails = (error: unknown) =>
  vi.fn(() => {
    throw error;
  });
const stateOf = (row: { data: string }) => JSON.parse(row.data).retryPolicy.state;

/** The worker that has the job is killed in a call of `name`, before or after it had its effect. */
async function killedIn(
  name: 'fail' | 'update',
  when: 'before' | 'after',
  boss: FakeBoss,
  row: ReturnType<FakeBoss['send']>,
  handler: Handler,
) {
  const act = boss[name].bind(boss) as (...args: unknown[]) => Promise<unknown>;
  await new Promise<void>((isThere) => {
    vi.spyOn(boss, name).mockImplementationOnce(async (...args: unknown[]) => {
      if (when === 'after') await act(...args);
      isThere();
      return never();
    });
    handler([boss.claim(row)]);
  });
  if (row.state === 'active') boss.expire(row);
}

describe('a worker that is killed', () => {
  it('in an attempt has made one, which failed, and its job waits', async () => {
    const boss = new FakeBoss();
    const row = boss.send({ to: 'ann' });
    boss.claim(row);
    boss.expire(row);
    const handler = fails(busy);
    await boss.turn(row, retryingHandler(boss, handler, policy));
    expect(handler).not.toHaveBeenCalled();
    expect(row).toMatchObject({ state: 'retry', startAfter: 0.1 });
    expect(stateOf(row).log).toMatchObject([{ attempt: 1, error: { message: 'attempt 1 was lost: its worker went away' } }]);
  });

  it('in each attempt leaves a job that is dead', async () => {
    const boss = new FakeBoss();
    const row = boss.send({ to: 'ann' });
    const handler = fails(busy);
    for (let kill = 1; kill <= 3; kill++) {
      boss.claim(row);
      boss.expire(row);
      await boss.turn(row, retryingHandler(boss, handler, policy));
    }
    await boss.turn(row, retryingHandler(boss, handler, policy));
    expect(handler).not.toHaveBeenCalled();
    expect(boss.dead).toMatchObject([{ reason: 'attempts-exhausted', attempts: 3, payload: { to: 'ann' } }]);
  });

  it('before the job was failed has lost the attempt', async () => {
    const boss = new FakeBoss();
    const row = boss.send({});
    const handler = retryingHandler(boss, fails(busy), policy);
    await killedIn('fail', 'before', boss, row, handler);
    await boss.turn(row, handler);
    expect(stateOf(row)).toMatchObject({ attempts: 1, log: [{ error: { message: expect.stringContaining('lost') } }] });
  });

  it('between the two calls leaves a job that comes late, with the attempt counted', async () => {
    const boss = new FakeBoss();
    const row = boss.send({ to: 'ann' });
    const task = fails(busy);
    const handler = retryingHandler(boss, task, policy);
    await killedIn('update', 'before', boss, row, handler);
    expect(row).toMatchObject({ state: 'retry', startAfter: undefined, output: { message: '503' } });
    while (row.state === 'retry') await boss.turn(row, handler);
    expect(task).toHaveBeenCalledTimes(3);
    expect(boss.dead).toMatchObject([{ attempts: 3, log: [{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }], payload: { to: 'ann' } }]);
  });

  it('after both calls has lost nothing', async () => {
    const boss = new FakeBoss();
    const row = boss.send({});
    const handler = retryingHandler(boss, fails(busy), policy);
    await killedIn('update', 'after', boss, row, handler);
    await boss.turn(row, handler);
    expect(stateOf(row)).toMatchObject({ attempts: 2, log: [{ error: { message: '503' } }, { error: { message: '503' } }] });
  });

  it('between the two calls of a burial leaves a job that is buried later, once', async () => {
    const boss = new FakeBoss();
    const row = boss.send({ to: 'ann' });
    const task = fails(new Error('400'));
    const handler = retryingHandler(boss, task, { ...policy, maxAttempts: 1 });
    await killedIn('update', 'before', boss, row, handler);
    while (row.state === 'retry') await boss.turn(row, handler);
    expect(task).toHaveBeenCalledTimes(1);
    expect(boss.dead).toMatchObject([{ attempts: 1, payload: { to: 'ann' } }]);
  });

  it('with a dead job in hand leaves one that is buried by the next', async () => {
    const boss = new FakeBoss();
    const row = boss.send({ to: 'ann' });
    const task = fails(new Error('400'));
    const handler = retryingHandler(boss, task, policy);
    await boss.turn(row, handler);
    boss.claim(row);
    boss.expire(row);
    expect(await boss.turn(row, handler)).toMatchObject({ status: 'deadletter' });
    expect(task).toHaveBeenCalledTimes(1);
    expect(boss.dead).toMatchObject([{ reason: 'permanent', attempts: 1 }]);
  });

  it('in the first attempt after boss.retry has made one', async () => {
    const boss = new FakeBoss();
    const row = boss.send({});
    const handler = retryingHandler(boss, fails(new Error('400')), policy);
    await boss.turn(row, handler);
    await boss.turn(row, handler);
    boss.retry(row);
    boss.claim(row);
    boss.expire(row);
    await boss.turn(row, handler);
    expect(stateOf(row)).toMatchObject({ attempts: 1, redrives: 1, log: [{ error: { message: expect.stringContaining('lost') } }] });
  });
});
