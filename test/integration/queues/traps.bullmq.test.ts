import type { Job, JobsOptions, Worker, WorkerOptions } from 'bullmq';
import { type AttemptContext, type RetryPolicy, TransientFailure } from 'retry-policy';
import { type ProcessorOptions, retryingProcessor, workerOptions } from 'retry-policy/bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startRedis } from '../servers/redis.js';
import type { Server } from '../servers/server.js';
import { until } from '../until.js';
import { clients } from './bullmq.js';

let server: Server;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.remove());

type Handler = (job: Job, context: AttemptContext) => unknown;
interface Setting extends ProcessorOptions {
  readonly policy?: RetryPolicy<unknown>;
  readonly worker?: Partial<WorkerOptions>;
}

const busy = new TransientFailure('503');
const soon = { maxAttempts: 3, jitter: 'none', backoff: { baseMs: 5 } } as const;
const never = () => new Promise(() => {});

describe.each(clients)('a job of %s', (client) => {
  const closing: (() => unknown)[] = [];
  afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

  let count = 0;
  /** A queue of its own with one worker. */
  async function open(handler: Handler, { policy = soon, worker: special, ...options }: Setting = {}) {
    const engine = (await import(client)) as typeof import('bullmq');
    const connection = { host: '127.0.0.1', port: server.port };
    count += 1;
    const name = `${client}-traps-${count}`;
    const queue = new engine.Queue(name, { connection });
    const calls: number[] = [];
    const recording: Handler = (job, context) => {
      calls.push(context.attempt);
      return handler(job, context);
    };
    const processor = retryingProcessor(recording, policy, options);
    const worker: Worker = new engine.Worker(name, processor, { connection, ...workerOptions, ...special });
    const failed: Job[] = [];
    worker.on('failed', (job) => failed.push(job as Job));
    worker.on('error', () => {}); // of a worker that lost its lock
    closing.push(
      () => worker.close(true),
      () => queue.close(),
    );
    const end = async (data: unknown = {}, jobOptions?: JobsOptions) => {
      const { id = '' } = await queue.add('mail', data, jobOptions);
      return settled(id);
    };
    const settled = async (id: string) => {
      await until(async () => ['completed', 'failed'].includes(await queue.getJobState(id)));
      return (await queue.getJob(id)) as Job;
    };
    const state = (job: Job) => queue.getJobState(job.id ?? '');
    return { engine, queue, worker, calls, failed, end, settled, state };
  }

  const untilThird: Handler = (_, { attempt }) => {
    if (attempt < 3) throw busy;
    return 'done';
  };

  it.each([0, 0.2, 10.7, -0])('does not hang by a delay of %d ms', async (delay) => {
    const { end, calls, queue } = await open(untilThird, { policy: { ...soon, delay: () => delay } });
    expect((await end()).returnvalue).toBe('done');
    expect(calls).toEqual([1, 2, 3]);
    expect(await queue.getActiveCount()).toBe(0);
  });

  it.each([Number.MAX_SAFE_INTEGER, Number.MAX_VALUE])('waits long, and does not come at once, by a delay of %d ms', async (delay) => {
    const { queue, calls } = await open(untilThird, { policy: { ...soon, delay: () => delay } });
    const { id = '' } = await queue.add('mail', {});
    await until(async () => (await queue.getJobState(id)) === 'delayed');
    const { delay: told } = (await queue.getJob(id)) as Job;
    expect(told).toBeGreaterThan(86_400_000);
    expect(calls).toEqual([1]);
  });

  it.each<[string, Error, RetryPolicy<unknown>]>([
    ['delay that throws', busy, { delay: () => expect.fail('broken') }],
    ['delay that is no number', busy, { delay: () => Number.NaN }],
    ['classifier that throws', new Error('unmarked'), { classify: () => expect.fail('broken') }],
  ])('is dead by a %s, and not active for ever', async (_, error, hooks) => {
    const handler = () => {
      throw error;
    };
    const { end, state, failed } = await open(handler, { policy: { ...soon, ...hooks } });
    const job = await end({ to: 'ann' });
    expect(await state(job)).toBe('failed');
    expect(job.data).toMatchObject({ reason: 'permanent', payload: { to: 'ann' }, attempts: 1 });
    expect(failed).toHaveLength(1);
  });

  it('is not retried after an UnrecoverableError, also behind a cause', async () => {
    const handler = async () => {
      const { UnrecoverableError } = (await import(client)) as typeof import('bullmq');
      throw new Error('not sent', { cause: new UnrecoverableError('no such address') });
    };
    const { end, calls } = await open(handler, { policy: { ...soon, classify: () => 'transient' } });
    expect((await end()).data).toMatchObject({ reason: 'permanent', error: { cause: { message: 'no such address' } } });
    expect(calls).toEqual([1]);
  });

  it('has failed once, when it is dead', async () => {
    const { end, calls, failed } = await open(() => {
      throw busy;
    });
    const { data } = await end();
    expect(calls).toEqual([1, 2, 3]);
    expect(failed).toHaveLength(1);
    expect(data).toMatchObject({
      reason: 'attempts-exhausted',
      log: [{ action: 'retry' }, { action: 'retry' }, { action: 'dead-letter' }],
    });
  });

  it.each<JobsOptions>([
    { attempts: 1 },
    { attempts: 2, backoff: { type: 'fixed', delay: 86_400_000 } },
    { attempts: 9, backoff: { type: 'custom' } },
  ])('is ruled by the policy, whatever BullMQ itself is told: %j', async (options) => {
    const { end, calls, state, failed } = await open(() => {
      throw busy;
    });
    expect(await state(await end({}, options))).toBe('failed');
    expect(calls).toEqual([1, 2, 3]);
    expect(failed).toHaveLength(1);
  });

  it.each(['delayed', 'waiting', 'rate limit'])('goes elsewhere at the word of its handler, and has lost no attempt: %s', async (where) => {
    let isFirst = true;
    const { end, calls, engine, worker } = await open(
      async (job, { attempt }) => {
        if (!isFirst) return `attempt ${attempt}`;
        isFirst = false;
        if (where === 'delayed') {
          await job.moveToDelayed(Date.now() + 20, job.token);
          throw new engine.DelayedError();
        }
        if (where === 'waiting') {
          await job.moveToWait(job.token);
          throw new engine.WaitingError();
        }
        await worker.rateLimit(20);
        throw engine.Worker.RateLimitError();
      },
      { worker: { limiter: { max: 100, duration: 100 } } },
    );
    const job = await end({ to: 'ann' });
    expect(job.returnvalue).toBe('attempt 1');
    expect(calls).toEqual([1, 1]);
    expect(job.data).toEqual({ to: 'ann' });
  });

  const impatient = { lockDuration: 100, stalledInterval: 100, skipLockRenewal: true, concurrency: 5 };

  it('counts each attempt whose worker went away, and lives on', async () => {
    const handler: Handler = (_, { attempt }) => (attempt < 3 ? never() : 'done');
    const { end, calls, failed } = await open(handler, { worker: impatient });
    const job = await end();
    expect(job.returnvalue).toBe('done');
    expect(calls).toEqual([1, 2, 3]);
    expect(failed).toEqual([]);
    const lost = [1, 2].map((attempt) => ({
      attempt,
      action: 'retry',
      error: { message: `attempt ${attempt} was lost: its worker went away` },
    }));
    expect(job.data.retryPolicy.state.log).toMatchObject(lost);
  });

  it('that is lost for the last time is dead, with a letter', async () => {
    const { end, calls } = await open(never, { worker: impatient });
    expect((await end({ to: 'ann' })).data).toMatchObject({ reason: 'attempts-exhausted', payload: { to: 'ann' }, attempts: 3 });
    expect(calls).toEqual([1, 2, 3]);
  });

  it('is failed by BullMQ itself, without a letter, if the worker has no workerOptions', async () => {
    const { end } = await open(never, { worker: { ...impatient, maxStalledCount: 1 } });
    const { data, failedReason } = await end({ to: 'ann' });
    expect(failedReason).toMatch(/stalled/);
    expect(data.reason).toBeUndefined();
  });

  it.each([['ann'], [null], [0], [['ann', 1]], [{ retryPolicy: 'mine' }], [{}]])('keeps its payload: %j', async (payload) => {
    const seen: unknown[] = [];
    const { end } = await open((job, { attempt }) => {
      seen.push(job.data);
      throw attempt === 1 ? busy : new Error('400');
    });
    expect((await end(payload)).data).toMatchObject({ reason: 'permanent', payload });
    expect(seen).toEqual([payload, payload]);
  });

  it('keeps what its handler has stored, for the next attempt and for the letter', async () => {
    const seen: unknown[] = [];
    const { end } = await open(async (job, { attempt }) => {
      seen.push(job.data);
      await job.updateData({ ...job.data, progress: attempt });
      throw attempt === 1 ? busy : new Error('400');
    });
    expect((await end({ to: 'ann' })).data).toMatchObject({ payload: { to: 'ann', progress: 2 } });
    expect(seen).toEqual([{ to: 'ann' }, { to: 'ann', progress: 1 }]);
  });

  it('comes back by job.retry, fresh, as often as is allowed', async () => {
    const keys = new Set<string>();
    const { end, settled, calls } = await open(
      (_, { idempotencyKey }) => {
        keys.add(idempotencyKey);
        throw new Error('400');
      },
      { maxRedrives: 2 },
    );
    let job = await end({ to: 'ann' });
    for (const redrives of [0, 1, 2]) {
      expect(job.data).toMatchObject({ reason: 'permanent', redrives, attempts: 1, payload: { to: 'ann' } });
      await job.retry();
      job = await settled(job.id ?? '');
    }
    expect(job.failedReason).toMatch(/redrive/);
    expect(job.data).toMatchObject({ redrives: 2, payload: { to: 'ann' } });
    expect(calls).toEqual([1, 1, 1]);
    expect(keys.size).toBe(1);
  });

  it('comes back as a letter that is sent anew', async () => {
    let isUp = false;
    const seen: unknown[] = [];
    const { end, queue } = await open((job, { idempotencyKey }) => {
      seen.push([job.data, idempotencyKey]);
      if (!isUp) throw new Error('400');
    });
    const dead = await end({ to: 'ann' });
    isUp = true;
    const letter = JSON.parse(JSON.stringify(dead.data));
    await dead.remove();
    const again = await end(letter);
    expect(await queue.getJobState(again.id ?? '')).toBe('completed');
    expect(seen[1]).toEqual(seen[0]);
  });

  it.each([
    ['transient', 2],
    ['permanent', 1],
  ] as const)('that is cancelled ends its attempt, as its reason is judged: %s', async (verdict, attempts) => {
    const { end, calls, worker } = await open(
      (job, { attempt, signal }) => {
        if (attempt > 1) return 'done';
        expect(signal.aborted).toBe(false);
        setImmediate(() => worker.cancelJob(job.id ?? '', 'the room is wanted'));
        return never();
      },
      {
        policy: {
          ...soon,
          classify: (error) => (JSON.stringify(error)?.includes('wanted') || String(error).includes('wanted') ? verdict : undefined),
        },
      },
    );
    const job = await end();
    expect(calls).toHaveLength(attempts);
    if (verdict === 'permanent')
      expect(job.data).toMatchObject({ reason: 'permanent', error: { message: expect.stringContaining('wanted') } });
  });
});
