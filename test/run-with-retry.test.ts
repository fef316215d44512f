import { formatDecision, isTransient, markTransient, type RetryResult, runWithRetry, TransientFailure } from 'retry-policy';
import { fixedRandom, frozenClock, seededRandom } from 'retry-policy/testing';
import { describe, expect, test, vi } from 'vitest';

const clock = frozenClock(new Date('2026-01-15T01:00:00Z'));
const plain = { maxAttempts: 4, backoff: { baseMs: 2_000, capMs: 60_000 }, jitter: 'none' } as const;
const story = ({ log }: RetryResult<unknown>) => log.map((decision) => formatDecision(decision, { timeZone: 'Asia/Jakarta' }));
const busy = () => {
  throw new TransientFailure('busy');
};

describe('runWithRetry', () => {
  test('heals on the third attempt', async () => {
    const result = await runWithRetry(({ attempt }) => (attempt < 3 ? busy() : 'done'), plain, { clock });
    expect(story(result)).toEqual([
      'attempt 1: transient, retry scheduled at 08:00:02',
      'attempt 2: transient, retry scheduled at 08:00:04',
      'attempt 3: succeeded',
    ]);
    expect(result).toMatchObject({ ok: true, value: 'done', attempts: 3, elapsedMs: 0, droppedDecisions: 0 });
  });

  test('sends a failure that nobody knows straight to the dead letter', async () => {
    const error = new Error('404');
    const result = await runWithRetry(() => Promise.reject(error), plain, { clock });
    expect(story(result)).toEqual(['attempt 1: permanent, straight to the dead letter']);
    expect(result).toEqual({
      ok: false,
      error,
      reason: 'permanent',
      attempts: 1,
      elapsedMs: 0,
      droppedDecisions: 0,
      log: [
        {
          action: 'dead-letter',
          attempt: 1,
          startedAt: clock.now(),
          durationMs: 0,
          elapsedMs: 0,
          error,
          reason: 'permanent',
          judgedBy: 'default',
        },
      ],
    });
  });

  test('gives up a transient failure at the limit', async () => {
    const result = await runWithRetry(busy, plain, { clock });
    expect(story(result)).toEqual([
      'attempt 1: transient, retry scheduled at 08:00:02',
      'attempt 2: transient, retry scheduled at 08:00:04',
      'attempt 3: transient, retry scheduled at 08:00:08',
      'attempt 4: transient, attempts exhausted, to the dead letter',
    ]);
  });

  test.each([1, 2, 5])('calls a task that always fails %i times, the first call included', async (maxAttempts) => {
    const task = vi.fn(busy);
    const result = await runWithRetry(task, { ...plain, maxAttempts }, { clock });
    expect(task).toHaveBeenCalledTimes(maxAttempts);
    expect(result).toMatchObject({ ok: false, reason: 'attempts-exhausted', attempts: maxAttempts });
  });

  test('needs neither a policy nor options', async () => {
    expect(await runWithRetry(() => 7)).toMatchObject({ ok: true, value: 7, attempts: 1, log: [{ action: 'succeed', attempt: 1 }] });
    expect(await runWithRetry(() => Promise.reject(undefined))).toMatchObject({ ok: false, error: undefined, reason: 'permanent' });
  });

  test('tells each attempt its number and gives every attempt of a run the same key', async () => {
    const seen: unknown[] = [];
    const task = ({ attempt, idempotencyKey }: { attempt: number; idempotencyKey: string }) => {
      seen.push([attempt, idempotencyKey]);
      busy();
    };
    await runWithRetry(task, plain, { clock, idempotencyKey: 'order-7' });
    expect(seen).toEqual([1, 2, 3, 4].map((attempt) => [attempt, 'order-7']));
  });

  test('makes a fresh UUID for each run when no key is given, and never draws it from the random source', async () => {
    const random = vi.fn(fixedRandom(0));
    const keys: string[][] = [];
    for (let run = 0; run < 2; run++) {
      const ofRun: string[] = [];
      await runWithRetry(
        (context) => {
          ofRun.push(context.idempotencyKey, context.idempotencyKey);
          busy();
        },
        { maxAttempts: 2 },
        { clock, random },
      );
      keys.push(ofRun);
    }
    expect(new Set(keys[0]).size).toBe(1);
    expect(keys[0]?.[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(keys[1]?.[0]).not.toBe(keys[0]?.[0]);
    expect(random).toHaveBeenCalledTimes(2);
  });

  test('draws each wait from the injected source', async () => {
    const run = () => runWithRetry(busy, { maxAttempts: 5 }, { clock, random: seededRandom(7) });
    const delays = ({ log }: RetryResult<unknown>) => log.map((decision) => ('delayMs' in decision ? decision.delayMs : 'end'));
    const first = delays(await run());
    expect(first).toEqual(delays(await run()));
    expect(new Set(first).size).toBe(5);
  });

  test('feeds each wait into the next where the jitter is decorrelated', async () => {
    const result = await runWithRetry(busy, { jitter: 'decorrelated', maxAttempts: 4 }, { clock, random: (_min, max) => max });
    expect(result.log.map((decision) => 'drawnFrom' in decision && decision.drawnFrom)).toEqual([
      [2_000, 6_000],
      [2_000, 18_000],
      [2_000, 54_000],
      false,
    ]);
  });

  test('adds the jittered backoff to the wait that a server demands', async () => {
    const task = ({ attempt }: { attempt: number }) => {
      throw new TransientFailure('429', attempt === 1 ? { retryAfterMs: 5_000 } : {});
    };
    const result = await runWithRetry(task, { maxAttempts: 3 }, { clock, random: fixedRandom(300) });
    expect(result.log).toMatchObject([
      { retryAfterMs: 5_000, backoffMs: 300, delayMs: 5_300 },
      { backoffMs: 300, delayMs: 300 },
      { reason: 'attempts-exhausted' },
    ]);
    expect(result.log[1]).not.toHaveProperty('retryAfterMs');
  });

  test('stops at once when the server demands a longer wait than allowed, and says which', async () => {
    const task = vi.fn(() => Promise.reject(markTransient(new Error('429'), { retryAfterMs: 277_403_000 })));
    const result = await runWithRetry(task, {}, { clock });
    expect(task).toHaveBeenCalledTimes(1);
    expect(result).toMatchObject({ reason: 'retry-after-too-long', log: [{ retryAfterMs: 277_403_000 }] });
  });
});

describe('what a task may do', () => {
  const thrown: [string, unknown][] = [
    ['a string', 'x'],
    ['a number', 42],
    ['null', null],
    ['undefined', undefined],
    ['a symbol', Symbol('s')],
    ['a frozen object', Object.freeze({ code: 'E' })],
    ['a DOMException', new DOMException('no', 'NotFoundError')],
    [
      'a Proxy whose traps throw',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('trap');
          },
          has: () => {
            throw new Error('trap');
          },
          getPrototypeOf: () => {
            throw new Error('trap');
          },
          ownKeys: () => {
            throw new Error('trap');
          },
        },
      ),
    ],
  ];

  test.each(thrown)('hands %s back as it was thrown', async (_name, reason) => {
    const judged = await runWithRetry(() => Promise.reject(reason), { maxAttempts: 2, classify: () => 'transient' }, { clock });
    const unknown = await runWithRetry(
      () => {
        throw reason;
      },
      {},
      { clock },
    );
    expect(!judged.ok && Object.is(judged.error, reason) && judged.attempts).toBe(2);
    expect(!unknown.ok && Object.is(unknown.error, reason) && unknown.attempts).toBe(1);
    expect(judged.log.every((decision) => 'error' in decision && Object.is(decision.error, reason))).toBe(true);
  });

  test('never writes on what was thrown', async () => {
    const error = new TransientFailure('busy');
    const before = Object.getOwnPropertyDescriptors(error);
    await runWithRetry(() => Promise.reject(error), plain, { clock });
    expect(Object.getOwnPropertyDescriptors(error)).toEqual(before);
    expect(isTransient(error)).toBe(true);
  });

  test('may return a thenable that settles twice: the first counts', async () => {
    const twice = {
      // biome-ignore lint/suspicious/noThenProperty: a hostile thenable
      then(resolve: (value: string) => void, reject: (reason: unknown) => void): void {
        resolve('first');
        reject(new Error('second'));
        resolve('third');
      },
    } as unknown as PromiseLike<string>;
    expect(await runWithRetry(() => twice, {}, { clock })).toMatchObject({ ok: true, value: 'first', attempts: 1 });
    expect(await runWithRetry(() => twice, { attemptTimeoutMs: 5 }, { clock })).toMatchObject({ ok: true, value: 'first', attempts: 1 });
  });

  test('may return a thenable whose then throws: that is a failure of the task', async () => {
    const error = new TransientFailure('then');
    const hostile = Object.defineProperty({}, 'then', {
      get: () => {
        throw error;
      },
    }) as PromiseLike<string>;
    const result = await runWithRetry(() => hostile, { ...plain, maxAttempts: 2 }, { clock });
    expect(result).toMatchObject({ ok: false, error, attempts: 2 });
  });

  test.each([
    ['runWithRetry(promise)', Promise.resolve(1)],
    ['nothing', undefined],
    ['a name', 'task'],
  ])('must be a function: %s is refused as a rejection that names the argument', async (_name, task) => {
    await expect(runWithRetry(task as never)).rejects.toThrow(/^task must be a function, got /);
    await expect(runWithRetry(task as never)).rejects.toBeInstanceOf(TypeError);
  });

  test('a returned value is turned into a failure by classifyValue, and is the error itself', async () => {
    const answers = [{ status: 503 }, { status: 429 }, { status: 200 }];
    const policy = {
      ...plain,
      classifyValue: ({ status }: { status: number }) => {
        if (status === 429) return { verdict: 'transient', retryAfterMs: 1_500 } as const;
        return status >= 500 ? 'transient' : undefined;
      },
    };
    const result = await runWithRetry(({ attempt }) => answers[attempt - 1] as { status: number }, policy, { clock });
    expect(result).toMatchObject({ ok: true, value: answers[2] });
    expect(result.log).toMatchObject([
      { action: 'retry', error: answers[0], judgedBy: 'classifier', delayMs: 2_000 },
      { action: 'retry', error: answers[1], judgedBy: 'classifier', delayMs: 5_500, retryAfterMs: 1_500 },
      { action: 'succeed' },
    ]);
  });

  test('a value that classifyValue calls permanent ends the run with the value as its error', async () => {
    const result = await runWithRetry(() => 'gone', { classifyValue: () => 'permanent' }, { clock });
    expect(result).toMatchObject({ ok: false, reason: 'permanent', error: 'gone', attempts: 1 });
  });

  test('every attempt that fails by a value counts against the limit', async () => {
    const result = await runWithRetry(() => null, { ...plain, classifyValue: () => 'transient' }, { clock });
    expect(result).toMatchObject({ ok: false, reason: 'attempts-exhausted', error: null, attempts: 4 });
  });
});

describe('what a task is told', () => {
  test('cannot be written on, so that a task cannot count its own attempts', async () => {
    const task = vi.fn((context: { attempt: number }) => {
      context.attempt = 1;
    });
    const result = await runWithRetry(task as never, { ...plain, classify: () => 'transient' }, { clock });
    expect(result).toMatchObject({ ok: false, reason: 'attempts-exhausted', attempts: 4 });
    expect(result.log.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  });

  test('has nothing that is for the runner alone', async () => {
    const members = await runWithRetry((context) => Object.getOwnPropertyNames(Object.getPrototypeOf(context)).sort(), {}, { clock });
    expect(members).toMatchObject({ value: ['attempt', 'commit', 'constructor', 'idempotencyKey', 'remainingMs', 'signal'] });
  });
});

describe('runs beside each other', () => {
  test('a hundred interleaved runs on one policy make exactly their own attempts', async () => {
    const limits = Array.from({ length: 100 }, (_, i) => (i % 4) + 1);
    const results = await Promise.all(
      limits.map((successAt) => runWithRetry(({ attempt }) => (attempt < successAt ? busy() : successAt), plain, { clock })),
    );
    expect(results.map(({ attempts }) => attempts)).toEqual(limits);
  });

  test('a run that was exhausted takes nothing from the next one', async () => {
    const lengths: number[] = [];
    for (let run = 0; run < 3; run++) lengths.push((await runWithRetry(busy, plain, { clock })).log.length);
    expect(lengths).toEqual([4, 4, 4]);
  });

  test('an unlimited policy starts at once and keeps a bounded log', async () => {
    const result = await runWithRetry(
      ({ attempt }) => (attempt <= 5_000 ? busy() : attempt),
      { ...plain, maxAttempts: Infinity, backoff: { baseMs: 0 } },
      { clock, logLimit: 3 },
    );
    expect(result).toMatchObject({ ok: true, value: 5_001, attempts: 5_001, droppedDecisions: 4_998 });
    expect(result.log.map(({ attempt }) => attempt)).toEqual([4_999, 5_000, 5_001]);
  });

  test('a log limit of 0 keeps nothing and counts all', async () => {
    expect(await runWithRetry(busy, plain, { clock, logLimit: 0 })).toMatchObject({ log: [], droppedDecisions: 4 });
  });

  test('a policy that is changed while a run goes on does not change the run', async () => {
    const policy: { maxAttempts: number; jitter: 'none'; backoff: { baseMs: number } } = {
      maxAttempts: 3,
      jitter: 'none',
      backoff: { baseMs: 10 },
    };
    const result = await runWithRetry(
      () => {
        policy.maxAttempts = 50;
        policy.backoff.baseMs = 9_999;
        busy();
      },
      policy,
      { clock },
    );
    expect(result).toMatchObject({ attempts: 3, log: [{ delayMs: 10 }, { delayMs: 20 }, {}] });
  });
});

describe('a faulty set-up', () => {
  test('an invalid policy rejects before the first attempt', async () => {
    const task = vi.fn();
    await expect(runWithRetry(task, { maxAttempts: 0 })).rejects.toThrow(RangeError);
    await expect(runWithRetry(task, { maxAttempts: '4' as never })).rejects.toThrow(TypeError);
    await expect(runWithRetry(task, null as never)).rejects.toThrow(/policy must be an object, got null/);
    await expect(runWithRetry(task, {}, { logLimit: -1 })).rejects.toThrow(/invalid run options: logLimit must be an integer >= 0, got -1/);
    expect(task).not.toHaveBeenCalled();
  });
});
