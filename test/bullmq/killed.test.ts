import { type RetryPolicy, TransientFailure } from 'retry-policy';
import { type BullQueue, retryingProcessor } from 'retry-policy/bullmq';
import type { DeadLetter } from 'retry-policy/durable';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeQueue } from './fake-queue.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 10_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const busy = new TransientFailure('503');
const policy: RetryPolicy = { jitter: 'none', backoff: { baseMs: 100 }, maxAttempts: 3 };
const never = () => new Promise<never>(() => {});
const fails = (error: unknown) =>
  vi.fn(() => {
    throw error;
  });

/** Resolves when the worker has come to the call of `name`, from which it does not return. */
const stuckIn = (job: ReturnType<FakeQueue['take']>, name: 'updateData' | 'moveToDelayed') =>
  new Promise<void>((isThere) => {
    job[name] = () => {
      isThere();
      return never();
    };
  });

describe('a worker that is killed', () => {
  it('in an attempt has made one, which failed, and its job waits', async () => {
    const queue = new FakeQueue({ to: 'ann' });
    await new Promise<void>((isThere) => {
      const hangs = retryingProcessor(() => {
        isThere();
        return never();
      }, policy);
      hangs(queue.take(), queue.token).catch(() => {});
    });
    queue.stall();
    const handler = fails(busy);
    expect(await queue.turn(retryingProcessor(handler, policy))).toEqual({ state: 'delayed', dueAt: 10_100 });
    expect(handler).not.toHaveBeenCalled();
    expect(queue.data.retryPolicy.state.log).toMatchObject([
      { attempt: 1, error: { message: 'attempt 1 was lost: its worker went away' } },
    ]);
    expect(await queue.turn(retryingProcessor(handler, policy))).toMatchObject({ state: 'delayed' });
    expect(await queue.turn(retryingProcessor(handler, policy))).toMatchObject({ state: 'failed' });
    expect(queue.data).toMatchObject({ attempts: 3, log: [{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }], payload: { to: 'ann' } });
  });

  it('with the last attempt leaves a job that is dead', async () => {
    const queue = new FakeQueue({});
    for (let kill = 1; kill <= 3; kill++) {
      queue.take();
      queue.stall();
      expect((await queue.turn(retryingProcessor(fails(busy), { ...policy, maxAttempts: 3 }))).state).toBe(kill < 3 ? 'delayed' : 'failed');
    }
    expect(queue.data).toMatchObject({ reason: 'attempts-exhausted', attempts: 3 });
  });

  it('twice in a row has lost two', async () => {
    const queue = new FakeQueue({});
    for (let kill = 1; kill <= 2; kill++) {
      queue.take();
      queue.stall();
    }
    await queue.turn(retryingProcessor(fails(busy), policy));
    expect(queue.data.retryPolicy.state).toMatchObject({ attempts: 2, log: [{ attempt: 1 }, { attempt: 2 }] });
  });

  it('before it stored a decision has lost the attempt', async () => {
    const queue = new FakeQueue({});
    const job = queue.take();
    const isThere = stuckIn(job, 'updateData');
    retryingProcessor(fails(busy), policy)(job, queue.token).catch(() => {});
    await isThere;
    queue.stall();
    await queue.turn(retryingProcessor(fails(busy), policy));
    expect(queue.data.retryPolicy.state).toMatchObject({ attempts: 1, log: [{ error: { message: expect.stringContaining('lost') } }] });
  });

  it('after it stored that the job waits has lost nothing: the job goes on to wait', async () => {
    const queue = new FakeQueue({});
    const job = queue.take();
    const isThere = stuckIn(job, 'moveToDelayed');
    retryingProcessor(fails(busy), policy)(job, queue.token).catch(() => {});
    await isThere;
    queue.stall();
    vi.setSystemTime(10_060);
    const handler = fails(busy);
    const stored = queue.data.retryPolicy.state;
    expect(await queue.turn(retryingProcessor(handler, policy))).toEqual({ state: 'delayed', dueAt: 10_100 });
    expect(handler).not.toHaveBeenCalled();
    expect(queue.data.retryPolicy.state).toEqual(stored);
    expect(await queue.turn(retryingProcessor(handler, policy))).toMatchObject({ state: 'delayed' });
    expect(queue.data.retryPolicy.state.attempts).toBe(2);
  });

  it('after it stored the dead letter leaves a job that is buried, and not tried again', async () => {
    const queue = new FakeQueue({});
    const added: [DeadLetter, string][] = [];
    let isThere = () => {};
    const deadLetters: BullQueue = {
      add(_, letter, { jobId }) {
        added.push([letter, jobId]);
        isThere();
        return added.length === 1 ? never() : Promise.resolve();
      },
    };
    const handler = fails(new Error('404'));
    const processor = retryingProcessor(handler, policy, { deadLetters });
    await new Promise<void>((resolve) => {
      isThere = resolve;
      processor(queue.take(), queue.token).catch(() => {});
    });
    queue.stall();
    expect(await queue.turn(processor)).toMatchObject({ state: 'failed', error: { name: 'UnrecoverableError', message: '404' } });
    expect(handler).toHaveBeenCalledTimes(1);
    expect(added[1]?.[1]).toBe(added[0]?.[1]);
    expect(added[1]?.[0]).toMatchObject({ reason: 'permanent', attempts: 1 });
    // From here on it is dead, and comes back by hand alone.
    expect(await queue.turn(processor)).toMatchObject({ state: 'failed' });
    expect(queue.data).toMatchObject({ redrives: 1 });
  });

  it('with a job whose starts were since reset by hand leaves one that is new', async () => {
    const queue = new FakeQueue({ to: 'ann' });
    const job = Object.assign(queue.take(), { attemptsStarted: 1, stalledCounter: 1 });
    expect(await retryingProcessor(({ data }) => data, policy)(job, queue.token)).toEqual({ to: 'ann' });
  });

  it('while the job waits has nothing to do with it', async () => {
    const queue = new FakeQueue({});
    await queue.turn(retryingProcessor(fails(busy), policy));
    await queue.turn(retryingProcessor(fails(busy), policy));
    expect(queue.data.retryPolicy.state).toMatchObject({
      attempts: 2,
      log: [{ error: { message: '503' } }, { error: { message: '503' } }],
    });
  });
});
