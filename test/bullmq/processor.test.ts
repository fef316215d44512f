import { AttemptTimeout, type RetryPolicy, TransientFailure } from 'retry-policy';
import { type BullQueue, type ProcessorOptions, retryingProcessor, workerOptions } from 'retry-policy/bullmq';
import { type DeadLetter, replay } from 'retry-policy/durable';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeQueue, type Turn } from './fake-queue.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 10_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const busy = new TransientFailure('503');
const exact: RetryPolicy = { jitter: 'none', backoff: { baseMs: 100 }, maxAttempts: 3 };
const fails = (error: unknown) => () => {
  throw error;
};
const never = () => new Promise<never>(() => {});

/** Turns until the job is done or dead, each when it is due. */
async function workOff(queue: FakeQueue, processor: ReturnType<typeof retryingProcessor>): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  for (;;) {
    const turn = await queue.turn(processor);
    turns.push(turn);
    if (turn.state !== 'delayed') return turns;
    vi.setSystemTime(turn.dueAt);
  }
}

class FakeDeadLetters implements BullQueue {
  readonly letters = new Map<string, DeadLetter>();
  async add(_: string, letter: DeadLetter, { jobId }: { jobId: string }) {
    if (!this.letters.has(jobId)) this.letters.set(jobId, letter);
  }
}

describe('a job', () => {
  it('is done by an attempt that returns', async () => {
    const queue = new FakeQueue({ to: 'ann' });
    const seen: unknown[] = [];
    const processor = retryingProcessor((job, { attempt, idempotencyKey }) => {
      seen.push(job.data, attempt, idempotencyKey);
      return 'sent';
    });
    expect(await queue.turn(processor)).toEqual({ state: 'completed', value: 'sent' });
    expect(seen).toEqual([{ to: 'ann' }, 1, 'mail/7/123']);
  });

  it('waits as the policy says, with its state beside its payload', async () => {
    const queue = new FakeQueue({ to: 'ann' });
    const seen: unknown[] = [];
    const processor = retryingProcessor((job, { attempt, idempotencyKey }) => {
      seen.push([job.data, attempt, idempotencyKey]);
      if (attempt < 3) throw busy;
      return 'sent';
    }, exact);
    const turns = await workOff(queue, processor);
    expect(turns).toEqual([
      { state: 'delayed', dueAt: 10_100 },
      { state: 'delayed', dueAt: 10_300 },
      { state: 'completed', value: 'sent' },
    ]);
    expect(seen).toEqual([1, 2, 3].map((attempt) => [{ to: 'ann' }, attempt, 'mail/7/123']));
    expect(queue.data).toMatchObject({ to: 'ann', retryPolicy: { state: { attempts: 2 }, starts: 2, stalls: 0 } });
  });

  it('fails as unrecoverable in the end, with its dead letter as its data', async () => {
    const queue = new FakeQueue({ to: 'ann' });
    const turns = await workOff(queue, retryingProcessor(fails(busy), exact));
    expect(turns.map(({ state }) => state)).toEqual(['delayed', 'delayed', 'failed']);
    expect(turns.at(-1)).toMatchObject({ error: { name: 'UnrecoverableError', message: '503', cause: busy, stack: busy.stack } });
    const source = { engine: 'bullmq', queue: 'mail', id: '7' };
    expect(queue.data).toMatchObject({ reason: 'attempts-exhausted', attempts: 3, payload: { to: 'ann' }, source });
    expect(replay(exact, queue.data.log)).toMatchObject({ equal: true });
  });

  it.each([['ann'], [null], [['ann', 1]], [{ retryPolicy: 'mine' }], [{}]])('keeps a payload of any kind: %j', async (payload) => {
    const queue = new FakeQueue(payload);
    const seen: unknown[] = [];
    await workOff(
      queue,
      retryingProcessor((job) => {
        seen.push(job.data);
        throw busy;
      }, exact),
    );
    expect(seen).toEqual([payload, payload, payload]);
    expect(queue.data.payload).toEqual(payload);
  });

  it('has no id where BullMQ gives none', async () => {
    const queue = new FakeQueue({});
    const job = Object.assign(queue.take(), { id: undefined });
    await retryingProcessor(fails(new Error('400')))(job, queue.token).catch(() => {});
    expect(queue.data.source.id).toBe('');
  });

  it('is worked on without a token where a test has none', async () => {
    const queue = new FakeQueue({});
    const job = queue.take();
    queue.token = undefined;
    await expect(retryingProcessor(fails(busy), exact)(job)).rejects.toMatchObject({ name: 'DelayedError' });
  });
});

describe('the delay', () => {
  it.each([
    [0, 10_000],
    [0.4, 10_001],
    [99.5, 10_100],
    [1e300, 10_000 + 31_536_000_000],
  ])('of %d ms is a whole one, and of a year at the most', async (delayMs, dueAt) => {
    const queue = new FakeQueue({});
    expect(await queue.turn(retryingProcessor(fails(busy), { delay: () => delayMs }))).toEqual({ state: 'delayed', dueAt });
  });

  it('that is none, since a hook throws, ends the job', async () => {
    const queue = new FakeQueue({});
    const turn = await queue.turn(retryingProcessor(fails(busy), { delay: fails(new Error('oops')) }));
    expect(turn).toMatchObject({ state: 'failed', error: { name: 'UnrecoverableError', message: expect.stringContaining('oops') } });
    expect(queue.data).toMatchObject({ reason: 'permanent', payload: {} });
  });

  it('counts from when the decision is stored', async () => {
    const queue = new FakeQueue({});
    const onDecision = () => {
      vi.setSystemTime(10_050);
    };
    expect(await queue.turn(retryingProcessor(fails(busy), exact, { onDecision }))).toEqual({ state: 'delayed', dueAt: 10_150 });
  });
});

describe('what a handler throws', () => {
  const lenient: RetryPolicy = { ...exact, classify: () => 'transient' };

  it.each([
    ['itself', Object.assign(new Error('gone'), { name: 'UnrecoverableError' })],
    ['behind a cause', new Error('503', { cause: Object.assign(new Error('gone'), { name: 'UnrecoverableError' }) })],
  ])('is permanent as an UnrecoverableError %s', async (_, error) => {
    const queue = new FakeQueue({});
    expect(await queue.turn(retryingProcessor(fails(error), lenient))).toMatchObject({ state: 'failed' });
    expect(queue.data).toMatchObject({ reason: 'permanent' });
  });

  it('is looked at no deeper than a chain of causes can be', async () => {
    const circle = new Error('503');
    circle.cause = circle;
    const queue = new FakeQueue({});
    expect(await queue.turn(retryingProcessor(fails(circle), lenient))).toMatchObject({ state: 'delayed' });
  });

  it.each(['DelayedError', 'WaitingError', 'WaitingChildrenError'])('passes through as %s', async (name) => {
    const queue = new FakeQueue({ to: 'ann' });
    const signal = Object.assign(new Error('elsewhere'), { name });
    const decisions: unknown[] = [];
    const onDecision = (decision: unknown) => {
      decisions.push(decision);
    };
    const processor = retryingProcessor(fails(signal), exact, { onDecision });
    await expect(processor(queue.take(), queue.token)).rejects.toBe(signal);
    expect([queue.data, decisions]).toEqual([{ to: 'ann' }, []]);
  });

  it('passes through as a rate limit', async () => {
    const queue = new FakeQueue({});
    const limit = new Error('bullmq:rateLimitExceeded');
    expect(await queue.turn(retryingProcessor(fails(limit), exact))).toEqual({ state: 'failed', error: limit });
    expect(queue.data).toEqual({});
  });
});

describe('an abort', () => {
  it('by the worker ends the attempt, as its reason says', async () => {
    const turnAbortedBy = async (reason: unknown) => {
      const queue = new FakeQueue({});
      const controller = new AbortController();
      const turn = queue.turn(retryingProcessor(never, exact), controller.signal);
      controller.abort(reason);
      return turn;
    };
    expect(await turnAbortedBy(busy)).toMatchObject({ state: 'delayed' });
    expect(await turnAbortedBy(new Error('cancelled by hand'))).toMatchObject({ state: 'failed', error: { message: 'cancelled by hand' } });
  });

  it('has a third parameter to come by, which BullMQ counts', () => {
    expect(retryingProcessor(never).length).toBe(3);
  });
});

describe('the data that a handler stores', () => {
  it('is the new payload, in this attempt and the next', async () => {
    const queue = new FakeQueue({ step: 0 });
    const seen: unknown[] = [];
    const processor = retryingProcessor(async (job, { attempt }) => {
      seen.push(job.data);
      await job.updateData({ step: attempt });
      seen.push(job.data);
      throw busy;
    }, exact);
    await workOff(queue, processor);
    expect(seen).toEqual([0, 1, 1, 2, 2, 3].map((step) => ({ step })));
    expect(queue.data.payload).toEqual({ step: 3 });
  });

  it('is there after the worker was killed, and the attempt counts', async () => {
    const queue = new FakeQueue({ step: 0 });
    expect(await queue.turn(retryingProcessor(fails(busy), exact))).toMatchObject({ state: 'delayed' });
    await new Promise<void>((isThere) => {
      const stores = retryingProcessor(async (job) => {
        await job.updateData({ step: 1 });
        isThere();
        return never();
      }, exact);
      stores(queue.take(), queue.token).catch(() => {});
    });
    queue.stall();
    expect(await queue.turn(retryingProcessor(fails(busy), { ...exact, maxAttempts: 9 }))).toMatchObject({ state: 'delayed' });
    expect(queue.data).toMatchObject({ step: 1, retryPolicy: { state: { attempts: 2 } } });
  });

  it('comes too late after the attempt, and spoils nothing', async () => {
    const queue = new FakeQueue({ step: 0 });
    let late: (() => Promise<void>) | undefined;
    const keep = retryingProcessor((job, { attempt }) => {
      late = () => job.updateData({ step: 9 });
      if (attempt === 1) throw busy;
    }, exact);
    for (const state of ['delayed', 'completed']) {
      expect(await queue.turn(keep)).toMatchObject({ state });
      await expect(late?.()).rejects.toThrow('the attempt is over');
      expect(queue.data).toMatchObject({ step: 0, retryPolicy: { state: { attempts: 1 } } });
    }
  });
});

describe('a lost lock', () => {
  it('leaves the job to whoever has it now', async () => {
    const queue = new FakeQueue({ to: 'ann' });
    const processor = retryingProcessor(() => {
      queue.stall();
      throw busy;
    }, exact);
    expect(await queue.turn(processor)).toMatchObject({ state: 'failed', error: { message: 'the lock of job 7 is lost' } });
    expect(queue.data).toEqual({ to: 'ann' });
  });
});

describe('the queue of the dead letters', () => {
  const dies = (deadLetters: BullQueue, options: ProcessorOptions = {}) =>
    retryingProcessor(fails(new Error('404')), exact, { deadLetters, ...options });

  it('gets each letter once, under a name without colons', async () => {
    const deadLetters = new FakeDeadLetters();
    const queue = new FakeQueue({ to: 'ann' });
    await queue.turn(dies(deadLetters));
    expect([...deadLetters.letters.keys()]).toEqual(['mail%2F7%2F123%2F0%2F7']);
    expect([...deadLetters.letters.values()]).toMatchObject([{ reason: 'permanent', payload: { to: 'ann' }, error: { message: '404' } }]);
    await queue.turn(dies(deadLetters)); // job.retry()
    expect([...deadLetters.letters.values()]).toMatchObject([{ redrives: 0 }, { redrives: 1, payload: { to: 'ann' } }]);
  });

  it('that takes none leaves it in the job, and says so', async () => {
    const queue = new FakeQueue({});
    const turn = await queue.turn(dies({ add: async () => Promise.reject(new Error('OOM')) }));
    const message = '404 (and its dead letter stays here: OOM)';
    expect(turn).toMatchObject({ state: 'failed', error: { name: 'UnrecoverableError', message, cause: { message: '404' } } });
    expect(queue.data).toMatchObject({ reason: 'permanent' });
  });
});

describe('a dead job that comes back', () => {
  it.each([
    ['by job.retry()', (queue: FakeQueue) => queue],
    ['by its letter, sent anew', (queue: FakeQueue) => new FakeQueue({ ...queue.data, retryPolicy: undefined })],
  ])('begins afresh %s, and remembers', async (_, again) => {
    const queue = new FakeQueue({ to: 'ann' });
    await workOff(queue, retryingProcessor(fails(busy), exact));
    const next = again(queue);
    const seen: unknown[] = [];
    const processor = retryingProcessor((job, { attempt, idempotencyKey }) => {
      seen.push([job.data, attempt, idempotencyKey]);
      throw busy;
    }, exact);
    expect((await workOff(next, processor)).length).toBe(3);
    expect(seen).toEqual([1, 2, 3].map((attempt) => [{ to: 'ann' }, attempt, 'mail/7/123']));
    expect(next.data).toMatchObject({ redrives: 1, attempts: 3, log: [{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }] });
  });

  it('does so as often as is allowed, and stays dead then with its letter', async () => {
    const queue = new FakeQueue({});
    const handler = vi.fn(fails(new Error('404')));
    const processor = retryingProcessor(handler, exact, { maxRedrives: 2 });
    for (let life = 1; life <= 4; life++) await queue.turn(processor);
    expect(handler).toHaveBeenCalledTimes(3);
    const turn = await queue.turn(processor);
    expect(turn).toMatchObject({ error: { name: 'UnrecoverableError', message: expect.stringContaining('maxRedrives (2)') } });
    expect(queue.data).toMatchObject({ redrives: 2, reason: 'permanent' });
  });
});

it('is bound by the limits of time that the policy has', async () => {
  const queue = new FakeQueue({});
  const turn = await queue.turn(retryingProcessor(never, { attemptTimeoutMs: 1, maxAttempts: 1 }));
  expect(turn).toMatchObject({ state: 'failed', error: { cause: expect.any(AttemptTimeout) } });
});

it('leaves jobs of killed workers to the policy, and not to a count of BullMQ', () => {
  expect(workerOptions).toEqual({ maxStalledCount: 2_147_483_647 });
  expect(Object.isFrozen(workerOptions)).toBe(true);
});

it.each<[string, () => unknown]>([
  ['handler', () => retryingProcessor('send' as never)],
  ['maxAttempts', () => retryingProcessor(never, { maxAttempts: 0 })],
  ['options', () => retryingProcessor(never, {}, 5 as never)],
  ['deadLetters', () => retryingProcessor(never, {}, { deadLetters: {} as never })],
  ['maxRedrives', () => retryingProcessor(never, {}, { maxRedrives: 0 })],
  ['random', () => retryingProcessor(never, {}, { random: 5 as never })],
  ['signal', () => retryingProcessor(never, {}, { signal: 5 } as never)],
  ['nothing', () => retryingProcessor(never, {}, { nothing: 5 } as never)],
])('says what is wrong before any job comes: %s', (name, wire) => {
  expect(wire).toThrow(name);
});
