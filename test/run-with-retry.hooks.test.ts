import {
  type Clock,
  type Decision,
  isRetryHookError,
  isTransient,
  type RetryHookError,
  type RetryPolicy,
  type RunOptions,
  runWithRetry,
  TransientFailure,
} from 'retry-policy';
import { frozenClock } from 'retry-policy/testing';
import { describe, expect, test, vi } from 'vitest';
import { ManualClock, settled } from './manual-clock.js';

const clock = frozenClock(0);
const failure = new TransientFailure('busy');
const busy = () => {
  throw failure;
};
const boom = new Error('boom');
const throws = () => {
  throw boom;
};

/** What a run rejects with, which must be a fault of a hook. */
async function faultOf(task: () => unknown, policy: RetryPolicy<unknown>, options: RunOptions = {}): Promise<RetryHookError> {
  const error = await runWithRetry(task, policy, { clock, ...options }).then(
    (result) => expect.fail(`resolved with ${JSON.stringify(result)}`),
    (rejected) => rejected,
  );
  if (!isRetryHookError(error)) throw error;
  return error;
}

describe('a hook that throws', () => {
  const cases: [string, () => unknown, RetryPolicy<unknown>, RunOptions, object][] = [
    ['classify', () => Promise.reject('unmarked'), { classify: throws }, {}, { error: 'unmarked', log: [] }],
    ['classifyValue', () => 'value', { classifyValue: throws }, {}, { value: 'value', log: [] }],
    ['delay', busy, { delay: throws }, {}, { error: failure, log: [] }],
    ['random', busy, {}, { random: throws }, { error: failure, log: [] }],
    ['random', busy, { delay: (_context, random) => random(0, 9) }, { random: throws }, { error: failure, log: [] }],
    ['onDecision', () => 'value', {}, { onDecision: throws }, { value: 'value', log: [{ action: 'succeed' }] }],
    ['onDecision', busy, {}, { onDecision: throws }, { error: failure, log: [{ action: 'retry' }] }],
    ['onDecision', busy, {}, { onDecision: () => Promise.reject(boom) }, { error: failure, log: [{ action: 'retry' }] }],
    ['onDecision', () => 1, { classifyValue: () => 'permanent' }, { onDecision: throws }, { error: 1, log: [{ reason: 'permanent' }] }],
    ['clock', () => 'value', {}, { clock: { ...clock, monotonicNow: throws } }, { log: [] }],
    ['clock', () => 'value', {}, { clock: { ...clock, now: throws } }, { log: [] }],
    ['clock', () => 'value', { attemptTimeoutMs: 5 }, { clock: { ...clock, schedule: throws } }, { log: [] }],
    ['clock', () => 'value', { attemptTimeoutMs: 5 }, { clock: { ...clock, schedule: () => throws } }, { value: 'value', log: [] }],
    ['clock', busy, {}, { clock: { ...clock, sleep: throws } }, { error: failure, log: [{ action: 'retry' }] }],
    ['clock', busy, {}, { clock: { ...clock, sleep: () => Promise.reject(boom) } }, { error: failure, log: [{ action: 'retry' }] }],
    [
      'clock',
      busy,
      {},
      { clock: { ...clock, sleep: () => Promise.reject(boom) }, signal: new AbortController().signal },
      { error: failure, log: [{ action: 'retry' }] },
    ],
  ];

  test.each(cases)('is told by name, beside what the task did: %s', async (hook, task, policy, options, known) => {
    const fault = await faultOf(task, policy, options);
    expect(fault).toMatchObject({ hook, cause: boom, ...known, message: `the ${hook} hook failed: boom` });
    expect(['error', 'value'].filter((key) => key in fault)).toEqual(Object.keys(known).filter((key) => key !== 'log'));
    expect(isTransient(fault)).toBe(false);
  });

  test('on the second attempt settles the run with what the task did last', async () => {
    const classify = vi.fn().mockReturnValueOnce('transient').mockImplementationOnce(throws);
    let calls = 0;
    const fault = await faultOf(() => Promise.reject(++calls), { classify });
    expect(fault).toMatchObject({ hook: 'classify', error: 2, log: [{ action: 'retry', error: 1 }] });
  });

  test('ends a run in which the clock fails before the second attempt', async () => {
    let reads = 0;
    const fault = await faultOf(busy, { jitter: 'none' }, { clock: { ...clock, now: () => (++reads > 2 ? throws() : 0) } });
    expect(fault).toMatchObject({ hook: 'clock', error: failure, log: [{ action: 'retry' }] });
  });

  test('keeps an outer run from repeating: the error bears the permanent mark', async () => {
    const inner = vi.fn(() => faultOf(busy, { delay: throws }).then((fault) => Promise.reject(fault)));
    const result = await runWithRetry(inner, { classify: () => 'transient' }, { clock });
    expect(result).toMatchObject({ ok: false, reason: 'permanent' });
    expect(inner).toHaveBeenCalledTimes(1);
  });

  test('and whose fault is itself such an error is named with that error as its cause', async () => {
    const nested = await faultOf(busy, { delay: throws });
    const fault = await faultOf(() => Promise.reject('unmarked'), {
      classify: () => {
        throw nested;
      },
    });
    expect(fault).toMatchObject({ hook: 'classify', cause: nested, error: 'unmarked' });
    expect(fault).not.toBe(nested);
  });
});

describe('a hook that answers nonsense', () => {
  const cases: [string, RetryPolicy<unknown>, RunOptions, RegExp][] = [
    ['classify', { classify: () => Promise.resolve('transient') as never }, {}, /a verdict must be 'transient', 'permanent' or/],
    ['classify', { classify: () => null as never }, {}, /verdict must be .* got null/],
    ['classify', { classify: () => true as never }, {}, /got true/],
    ['classify', { classify: () => ({ verdict: 'transient', retryAfterMs: '5' }) as never }, {}, /verdict must be/],
    ['classifyValue', { classifyValue: () => 'retry' as never }, {}, /got "retry"/],
    ['delay', { delay: () => Number.NaN }, {}, /delay\(\) must be a finite number >= 0, got NaN/],
    ['delay', { delay: () => -1 }, {}, /got -1/],
    ['delay', { delay: () => Infinity }, {}, /got Infinity/],
    ['delay', { delay: () => '5' as never }, {}, /got "5"/],
    ['random', {}, { random: Math.random }, /random must answer an integer in \[0, 2000\] .*randomFrom/],
    ['random', { jitter: 'equal' }, { random: () => 999 }, /\[1000, 2000\]/],
    ['clock', {}, { clock: { ...clock, now: () => Number.NaN } }, /clock\.now\(\) must be a finite number, got NaN/],
    ['clock', {}, { clock: { ...clock, monotonicNow: () => '1' as never } }, /clock\.monotonicNow\(\) must be a finite number, got "1"/],
    ['clock', {}, { clock: { ...clock, sleep: () => undefined as never } }, /clock\.sleep\(\)\.then must be a function, got undefined/],
    [
      'clock',
      { attemptTimeoutMs: 1 },
      { clock: { ...clock, schedule: () => 7 as never } },
      /clock\.schedule\(\) must be a function, got 7/,
    ],
  ];

  test.each(cases)('is told by name: %s %#', async (hook, policy, options, cause) => {
    const task = () => (hook === 'classifyValue' ? 1 : Promise.reject(hook === 'classify' ? 'unmarked' : failure));
    const fault = await faultOf(task, policy, options);
    expect(fault.hook).toBe(hook);
    expect((fault.cause as Error).message).toMatch(cause);
  });

  test.each([Number.NaN, -1, Infinity, -Infinity])('but a number that is no wait is only no hint: %d', async (retryAfterMs) => {
    const classify = () => ({ verdict: 'transient', retryAfterMs }) as const;
    const result = await runWithRetry(() => Promise.reject('x'), { classify, jitter: 'none', maxAttempts: 2 }, { clock });
    expect(result.log[0]).toMatchObject({ action: 'retry', delayMs: 2_000 });
    expect(result.log[0]).not.toHaveProperty('retryAfterMs');
  });
});

describe('onDecision', () => {
  test('is called once for each decision, in order, before the wait', async () => {
    const manual = new ManualClock();
    const told: Decision[] = [];
    const run = runWithRetry(
      ({ attempt }) => (attempt < 3 ? busy() : 'done'),
      { jitter: 'none' },
      { clock: manual, onDecision: (d) => void told.push(d) },
    );
    await settled();
    expect(told.map(({ action }) => action)).toEqual(['retry']);
    await manual.advance(2_000);
    expect(told.map(({ action }) => action)).toEqual(['retry', 'retry']);
    await manual.advance(4_000);
    const { log } = await run;
    expect(told).toEqual(log);
    expect(told.every((decision, i) => decision === log[i])).toBe(true);
  });

  test('holds the run up while the promise that it returns is pending', async () => {
    const manual = new ManualClock();
    let go: () => void = () => {};
    const onDecision = () =>
      new Promise<void>((resolve) => {
        go = resolve;
      });
    const run = runWithRetry(({ attempt }) => (attempt === 1 ? busy() : 'done'), { jitter: 'none' }, { clock: manual, onDecision });
    await settled();
    expect(manual.waits).toEqual([]);
    go();
    await settled();
    expect(manual.waits).toEqual([2_000]);
    await manual.advance(2_000);
    go();
    expect(await run).toMatchObject({ ok: true });
  });

  test('may return anything that is no promise', async () => {
    const onDecision = (() => 'ignored') as never;
    expect(await runWithRetry(() => 1, {}, { clock, onDecision })).toMatchObject({ ok: true, value: 1 });
  });

  test('cannot change what the run does by writing on a decision that is still to be carried out', async () => {
    const onDecision = (decision: Decision) => {
      if (decision.action !== 'succeed') expect(Object.isFrozen(decision)).toBe(true);
    };
    await runWithRetry(({ attempt }) => (attempt < 2 ? busy() : 1), {}, { clock, onDecision });
    await runWithRetry(busy, { maxAttempts: 1 }, { clock, onDecision });
  });
});

describe('commit', () => {
  test.each(['by its attempt', 'taken off the context'])('makes whatever fails from then on final: %s', async (how) => {
    const task = vi.fn((context: { commit: () => void }) => {
      if (how === 'by its attempt') context.commit();
      else {
        const { commit } = context;
        commit();
      }
      throw failure;
    });
    const result = await runWithRetry(task, {}, { clock });
    expect(task).toHaveBeenCalledTimes(1);
    expect(result).toMatchObject({ ok: false, reason: 'committed', error: failure });
    expect(result.log).toMatchObject([{ action: 'dead-letter', reason: 'committed' }]);
    expect(result.log[0]).not.toHaveProperty('judgedBy');
  });

  test('does not stand in the way of a success', async () => {
    expect(
      await runWithRetry(
        ({ commit }) => {
          commit();
          return 'done';
        },
        {},
        { clock },
      ),
    ).toMatchObject({ ok: true, value: 'done' });
  });

  test('outranks a permanent failure, a spent budget and the last attempt', async () => {
    const manual = new ManualClock();
    const task = ({ commit }: { commit: () => void }) => {
      commit();
      manual.pass(1_000);
      throw new Error('permanent');
    };
    expect(await runWithRetry(task, { totalBudgetMs: 500, maxAttempts: 1 }, { clock: manual })).toMatchObject({ reason: 'committed' });
  });

  test('counts from a listener of the signal, at the attempt’s limit', async () => {
    const manual = new ManualClock();
    const run = runWithRetry(
      ({ signal, commit }) => {
        signal.addEventListener('abort', commit);
        return new Promise(() => {});
      },
      { attemptTimeoutMs: 100 },
      { clock: manual },
    );
    await manual.advance(100);
    expect(await run).toMatchObject({ reason: 'committed', attempts: 1, error: { limit: 'attempt' } });
  });

  test('counts when an attempt that was left behind calls it during the wait', async () => {
    const manual = new ManualClock();
    const task = vi.fn(async ({ commit }: { commit: () => void }) => {
      await manual.sleep(500);
      commit();
    });
    const run = runWithRetry(task, { attemptTimeoutMs: 100, jitter: 'none' }, { clock: manual });
    await manual.advance(5_000);
    const result = await run;
    expect(task).toHaveBeenCalledTimes(1);
    expect(result).toMatchObject({ ok: false, reason: 'committed', attempts: 1, elapsedMs: 2_100, error: { limit: 'attempt' } });
    expect(result.log.map(({ action }) => action)).toEqual(['retry', 'dead-letter']);
    expect(result.log[1]).not.toHaveProperty('judgedBy');
  });

  test('counts when an earlier attempt calls it during a later one', async () => {
    const manual = new ManualClock();
    const task = async ({ attempt, commit }: { attempt: number; commit: () => void }) => {
      await manual.sleep(attempt === 1 ? 150 : 90);
      commit();
      throw failure;
    };
    const run = runWithRetry(task, { attemptTimeoutMs: 100, backoff: { baseMs: 0 } }, { clock: manual });
    await manual.advance(1_000);
    expect(await run).toMatchObject({ reason: 'committed', attempts: 2 });
  });
});

describe('a custom delay', () => {
  test('chooses waits, and lifts neither the limit of attempts nor the budget', async () => {
    const task = vi.fn(busy);
    expect(await runWithRetry(task, { delay: () => 1_000, maxAttempts: 3 }, { clock })).toMatchObject({ attempts: 3 });
    expect(await runWithRetry(task, { delay: () => 1_000, totalBudgetMs: 1_000 }, { clock })).toMatchObject({
      reason: 'budget-exhausted',
      attempts: 1,
    });
  });

  test('is told what is known, and its answer is rounded up', async () => {
    const contexts: unknown[] = [];
    const manual = new ManualClock();
    const policy: RetryPolicy = {
      delay: (context) => {
        contexts.push({ ...context });
        return 10.2;
      },
      maxAttempts: 3,
    };
    const run = runWithRetry(() => Promise.reject(new TransientFailure('x', { retryAfterMs: 5 })), policy, { clock: manual as Clock });
    await manual.advance(100);
    expect((await run).log).toMatchObject([{ backoffMs: 11, delayMs: 16 }, { backoffMs: 11 }, {}]);
    expect(contexts).toMatchObject([
      { attempt: 1, elapsedMs: 0, retryAfterMs: 5, previousDelayMs: undefined },
      { attempt: 2, elapsedMs: 16, retryAfterMs: 5, previousDelayMs: 11 },
    ]);
  });
});
