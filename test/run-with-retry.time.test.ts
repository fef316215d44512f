import { type Clock, isAttemptTimeout, isTransient, type RunOptions, runWithRetry, TransientFailure } from 'retry-policy';
import { fixedRandom, frozenClock } from 'retry-policy/testing';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ManualClock } from './manual-clock.js';

const never = () => new Promise<never>(() => {});
const busy = () => {
  throw new TransientFailure('busy');
};

let clock: ManualClock;
let options: RunOptions;
beforeEach(() => {
  clock = new ManualClock();
  options = { clock, random: fixedRandom(Infinity) };
});

/** A task whose attempts take so long each, whatever its signal says. */
const lasting =
  (...durationsMs: number[]) =>
  async ({ attempt }: { attempt: number }) => {
    await clock.sleep(durationsMs[attempt - 1] ?? 0);
    busy();
  };

describe('the limit of one attempt', () => {
  test('cuts a hanging attempt off and tries again', async () => {
    const run = runWithRetry(({ attempt }) => (attempt === 1 ? never() : 'done'), { attemptTimeoutMs: 8_000, jitter: 'none' }, options);
    await clock.advance(7_999);
    expect(clock.waits).toEqual([]);
    await clock.advance(1);
    expect(clock.waits).toEqual([2_000]);
    await clock.advance(2_000);
    const result = await run;
    expect(result).toMatchObject({ ok: true, value: 'done', attempts: 2, elapsedMs: 10_000 });
    const [first] = result.log;
    const error = first?.action === 'retry' && first.error;
    expect(isAttemptTimeout(error) && isTransient(error)).toBe(true);
    expect(error).toMatchObject({ limit: 'attempt', timeoutMs: 8_000, name: 'AttemptTimeout' });
    expect(error).not.toHaveProperty('cause');
    expect(first).toMatchObject({ durationMs: 8_000, judgedBy: 'mark' });
  });

  test('aborts the signal of the attempt with that very error, and only that signal', async () => {
    const signals: AbortSignal[] = [];
    const task = ({ signal, attempt }: { signal: AbortSignal; attempt: number }) => {
      signals.push(signal);
      return attempt === 1 ? never() : 'done';
    };
    const run = runWithRetry(task, { attemptTimeoutMs: 100, backoff: { baseMs: 0 } }, options);
    await clock.advance(100);
    const { log } = await run;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(signals[0]?.reason).toBe(log[0]?.action === 'retry' && log[0].error);
  });

  test('is what the attempt fails with, whatever the task throws when its signal aborts', async () => {
    const run = runWithRetry(
      ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
      { attemptTimeoutMs: 100, maxAttempts: 1 },
      options,
    );
    await clock.advance(100);
    const result = await run;
    expect(!result.ok && isAttemptTimeout(result.error)).toBe(true);
  });

  test('tells a signal that is read only after the limit that it was aborted', async () => {
    let late: AbortSignal | undefined;
    const run = runWithRetry(
      async (context) => {
        await clock.sleep(200);
        late = context.signal;
      },
      { attemptTimeoutMs: 100, maxAttempts: 1 },
      options,
    );
    await clock.advance(300);
    await run;
    expect(late?.aborted).toBe(true);
    expect(isAttemptTimeout(late?.reason)).toBe(true);
  });

  test('gives an attempt one signal, however often it is read', async () => {
    const result = await runWithRetry(
      (context) => {
        const [first, second] = [context.signal, context.signal];
        return first === second && !first.aborted;
      },
      {},
      options,
    );
    expect(result).toMatchObject({ ok: true, value: true });
  });

  test('never aborts the signal of an attempt that has settled', async () => {
    const controller = new AbortController();
    const signals: AbortSignal[] = [];
    const run = runWithRetry(
      ({ signal, attempt }) => {
        signals.push(signal);
        return attempt === 1 ? busy() : never();
      },
      { attemptTimeoutMs: 100, jitter: 'none' },
      { ...options, signal: controller.signal },
    );
    await clock.advance(2_050);
    controller.abort();
    await run;
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });

  test('never aborts it in the wait after the attempt either', async () => {
    const controller = new AbortController();
    let signal: AbortSignal | undefined;
    const run = runWithRetry(
      (context) => {
        signal = context.signal;
        return busy();
      },
      { jitter: 'none' },
      { ...options, signal: controller.signal },
    );
    await clock.advance(1_000);
    controller.abort();
    await run;
    expect(signal?.aborted).toBe(false);
  });

  test('never aborts it by a hook that aborts once the attempt is over', async () => {
    const controller = new AbortController();
    let signal: AbortSignal | undefined;
    const classify = () => {
      controller.abort();
      return 'transient' as const;
    };
    const task = (context: { signal: AbortSignal }) => {
      signal = context.signal;
      return Promise.reject(new Error('unmarked'));
    };
    expect(await runWithRetry(task, { classify }, { ...options, signal: controller.signal })).toMatchObject({ reason: 'aborted' });
    expect(signal?.aborted).toBe(false);
  });

  test('drops what an attempt does after its limit', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const run = runWithRetry(lasting(500, 0, 0, 0), { attemptTimeoutMs: 100, maxAttempts: 2, jitter: 'none' }, options);
    await clock.advance(3_000);
    const result = await run;
    await clock.advance(3_000);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(result).toMatchObject({ ok: false, attempts: 2, reason: 'attempts-exhausted' });
    expect(result.log).toHaveLength(2);
  });

  test('leaves no timer behind, however the attempt ends', async () => {
    await runWithRetry(() => 'value', { attemptTimeoutMs: 100 }, options);
    await runWithRetry(() => Promise.reject(new Error('permanent')), { attemptTimeoutMs: 100, totalBudgetMs: 1_000 }, options);
    await runWithRetry(
      () => {
        throw new Error('synchronous');
      },
      { totalBudgetMs: 1_000 },
      options,
    );
    expect(clock.limits).toEqual([100, 100, 1_000]);
    expect(clock.pending).toBe(0);
  });

  test('holds also on a clock that calls back at once', async () => {
    const task = vi.fn();
    const hasty: Clock = {
      ...frozenClock(0),
      schedule: (_ms, callback) => {
        callback();
        return () => {};
      },
    };
    const result = await runWithRetry(task, { attemptTimeoutMs: 100, maxAttempts: 1 }, { clock: hasty });
    expect(result).toMatchObject({ ok: false, error: { limit: 'attempt' } });
    expect(task).not.toHaveBeenCalled();
  });

  test('is not set where there is none', async () => {
    await runWithRetry(busy, { jitter: 'none', maxAttempts: 1, attemptTimeoutMs: Infinity, totalBudgetMs: Infinity }, options);
    expect(clock.limits).toEqual([]);
  });

  test('never fires on a frozen clock', async () => {
    const frozen = { clock: frozenClock(0) };
    const result = await runWithRetry(() => new Promise((resolve) => setImmediate(resolve, 'done')), { attemptTimeoutMs: 1 }, frozen);
    expect(result).toMatchObject({ ok: true, value: 'done' });
  });
});

describe('the budget of a run', () => {
  const policy = { totalBudgetMs: 30_000, attemptTimeoutMs: 8_000, maxAttempts: 10, backoff: { baseMs: 0 } };

  test('counts attempts and waits, and begins no attempt that may not fit', async () => {
    const run = runWithRetry(lasting(6_000, 7_000, 7_900, 7_900), { ...policy, backoff: { baseMs: 1_000, factor: 1 } }, options);
    await clock.advance(60_000);
    const result = await run;
    expect(result).toMatchObject({ ok: false, reason: 'budget-exhausted', attempts: 3, elapsedMs: 22_900 });
    expect(clock.waits.filter((ms) => ms === 1_000)).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  test('plans ahead: no wait is begun that the budget cannot take', async () => {
    const result = runWithRetry(busy, { totalBudgetMs: 5_000, jitter: 'none', backoff: { baseMs: 1_000 } }, options);
    await clock.advance(10_000);
    expect(await result).toMatchObject({ reason: 'budget-exhausted', elapsedMs: 3_000, attempts: 3 });
    expect(clock.waits).toEqual([1_000, 2_000]);
  });

  test('cuts an attempt off that is in flight at its end', async () => {
    let signal: AbortSignal | undefined;
    const run = runWithRetry(
      (context) => {
        signal = context.signal;
        return never();
      },
      { totalBudgetMs: 5_000 },
      options,
    );
    await clock.advance(5_000);
    const result = await run;
    expect(result).toMatchObject({ ok: false, reason: 'budget-exhausted', attempts: 1, elapsedMs: 5_000 });
    expect(!result.ok && result.error).toMatchObject({ limit: 'budget', timeoutMs: 5_000 });
    expect(signal?.reason).toBe(!result.ok && result.error);
  });

  test('does not hide the real trouble: the error of the cut-off attempt has the failure before as its cause', async () => {
    const error = new TransientFailure('the real trouble');
    const task = ({ attempt }: { attempt: number }) => (attempt === 1 ? Promise.reject(error) : never());
    const run = runWithRetry(task, { totalBudgetMs: 5_000, jitter: 'none' }, options);
    await clock.advance(5_000);
    const result = await run;
    expect(result).toMatchObject({ ok: false, reason: 'budget-exhausted', error: { limit: 'budget', timeoutMs: 3_000 } });
    expect(!result.ok && (result.error as Error).cause).toBe(error);
  });

  test('limits each attempt to what is left of it', async () => {
    const task = async ({ attempt }: { attempt: number }) => {
      if (attempt === 3) return never();
      await clock.sleep(400);
      return busy();
    };
    const run = runWithRetry(task, { totalBudgetMs: 1_000, backoff: { baseMs: 0 } }, options);
    await clock.advance(1_000);
    const result = await run;
    expect(clock.limits).toEqual([1_000, 600, 200]);
    expect(result).toMatchObject({ reason: 'budget-exhausted', attempts: 3, elapsedMs: 1_000 });
  });

  test('names the budget where both limits end together', async () => {
    const run = runWithRetry(never, { totalBudgetMs: 1_000, attemptTimeoutMs: 1_000 }, options);
    await clock.advance(1_000);
    expect(await run).toMatchObject({ reason: 'budget-exhausted', error: { limit: 'budget' } });
  });

  test('does not begin an attempt after a wait that took longer than asked', async () => {
    const task = vi.fn(busy);
    const error = new TransientFailure('first');
    task.mockImplementationOnce(() => {
      throw error;
    });
    const told = vi.fn();
    const run = runWithRetry(task, { totalBudgetMs: 10_000, jitter: 'none' }, { ...options, onDecision: told });
    await clock.advance(0);
    clock.pass(3_600_000);
    await clock.advance(0);
    const result = await run;
    expect(task).toHaveBeenCalledTimes(1);
    expect(result).toMatchObject({ ok: false, reason: 'budget-exhausted', error, attempts: 1, elapsedMs: 3_600_000 });
    expect(result.log.map(({ action, attempt }) => [action, attempt])).toEqual([
      ['retry', 1],
      ['dead-letter', 1],
    ]);
    expect(result.log[1]).toMatchObject({ error, judgedBy: 'mark', elapsedMs: 3_600_000, durationMs: 0 });
    expect(told).toHaveBeenCalledTimes(2);
  });

  test('begins the attempt after a long wait if something is left', async () => {
    const run = runWithRetry(({ attempt }) => (attempt === 1 ? busy() : 'late'), { totalBudgetMs: 10_000, jitter: 'none' }, options);
    await clock.advance(0);
    clock.pass(9_999);
    await clock.advance(0);
    expect(await run).toMatchObject({ ok: true, value: 'late' });
    expect(clock.limits).toEqual([10_000, 1]);
  });

  test('a failure by itself at the end of the budget is the end too', async () => {
    const run = runWithRetry(
      () => {
        clock.pass(5_000);
        return busy();
      },
      { totalBudgetMs: 5_000 },
      options,
    );
    expect(await run).toMatchObject({ reason: 'budget-exhausted', error: { message: 'busy' } });
  });

  test('a value that comes at the last moment is a success', async () => {
    const run = runWithRetry(
      () => {
        clock.pass(9_000);
        return 'late';
      },
      { totalBudgetMs: 5_000 },
      options,
    );
    expect(await run).toMatchObject({ ok: true, value: 'late', elapsedMs: 9_000 });
  });
});

describe('remainingMs', () => {
  test.each([
    ['the attempt', { attemptTimeoutMs: 8_000, totalBudgetMs: 12_000 }],
    ['the budget', { attemptTimeoutMs: 12_000, totalBudgetMs: 8_000 }],
  ])('is live, and ends at the nearer limit: %s', async (_name, policy) => {
    const seen: number[] = [];
    await runWithRetry(
      (context) => {
        seen.push(context.remainingMs);
        clock.pass(2_500);
        seen.push(context.remainingMs);
        clock.pass(10_000);
        seen.push(context.remainingMs);
      },
      policy,
      options,
    );
    expect(seen).toEqual([8_000, 5_500, 0]);
  });

  test('counts waits against the budget', async () => {
    const seen: number[] = [];
    const run = runWithRetry(
      (context) => {
        seen.push(context.remainingMs);
        return context.attempt === 1 ? busy() : 1;
      },
      { totalBudgetMs: 8_000, jitter: 'none' },
      options,
    );
    await clock.advance(2_000);
    await run;
    expect(seen).toEqual([8_000, 6_000]);
  });

  test('is Infinity without a limit', async () => {
    expect(await runWithRetry(({ remainingMs }) => remainingMs, {}, options)).toMatchObject({ value: Infinity });
  });
});

describe('two clocks', () => {
  test('a wall clock that jumps changes the instants of the log and no decision', async () => {
    const run = (jumpMs: number) => {
      clock = new ManualClock();
      const result = runWithRetry(
        () => {
          clock.jumpWallClock(jumpMs);
          return busy();
        },
        { totalBudgetMs: 10_000, attemptTimeoutMs: 1_000, jitter: 'none' },
        { clock },
      );
      return clock.advance(20_000).then(() => result);
    };
    const [steady, jumping, backward] = [await run(0), await run(3_600_000), await run(-3_600_000)];
    const durations = ({ log }: typeof steady) => log.map(({ action, durationMs, elapsedMs }) => [action, durationMs, elapsedMs]);
    expect(durations(jumping)).toEqual(durations(steady));
    expect(durations(backward)).toEqual(durations(steady));
    expect(jumping.log[1]?.startedAt).toBe((steady.log[1]?.startedAt ?? 0) + 3_600_000);
  });

  test('a retry is told as an instant of the wall clock', async () => {
    const result = await runWithRetry(({ attempt }) => (attempt === 1 ? busy() : 1), { jitter: 'none' }, { clock: frozenClock(1_000) });
    expect(result.log[0]).toMatchObject({ startedAt: 1_000, retryAt: 3_000 });
  });

  test('durations are rounded to whole microseconds', async () => {
    const result = await runWithRetry(
      () => {
        clock.pass(1.234_567_8);
        return 1;
      },
      {},
      options,
    );
    expect(result.log[0]).toMatchObject({ durationMs: 1.235, elapsedMs: 1.235 });
  });
});
