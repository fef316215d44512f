import { type Clock, type Decision, isAttemptTimeout, type RunOptions, runWithRetry, TransientFailure, unwrap } from 'retry-policy';
import { fixedRandom, frozenClock } from 'retry-policy/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ManualClock, settled } from './manual-clock.js';

const never = () => new Promise<never>(() => {});
const failure = new TransientFailure('busy');
const busy = () => {
  throw failure;
};

let clock: ManualClock;
let controller: AbortController;
let options: RunOptions;
const unhandled = vi.fn();
beforeEach(() => {
  clock = new ManualClock();
  controller = new AbortController();
  options = { clock, random: fixedRandom(Infinity), signal: controller.signal };
  process.on('unhandledRejection', unhandled);
});
afterEach(async () => {
  await settled();
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

const reason = new Error('the user left');
const aborted = { ok: false, reason: 'aborted', error: reason };

describe('an abort', () => {
  test('before the start means zero attempts and an empty log', async () => {
    controller.abort(reason);
    const task = vi.fn();
    const told = vi.fn();
    const result = await runWithRetry(task, {}, { ...options, onDecision: told });
    expect(result).toEqual({ ...aborted, attempts: 0, elapsedMs: 0, log: [], droppedDecisions: 0 });
    expect(task).not.toHaveBeenCalled();
    expect(told).not.toHaveBeenCalled();
  });

  test('during an attempt ends the run at once, even when the task does not listen', async () => {
    const run = runWithRetry(never, {}, options);
    await settled();
    controller.abort(reason);
    const result = await run;
    expect(result).toMatchObject({ ...aborted, attempts: 1 });
    expect(result.log).toMatchObject([{ action: 'dead-letter', reason: 'aborted', attempt: 1, error: reason }]);
    expect(result.log[0]).not.toHaveProperty('judgedBy');
  });

  test('reaches the signal of the attempt with its reason', async () => {
    const run = runWithRetry(
      ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      {},
      options,
    );
    await settled();
    controller.abort(reason);
    const result = await run;
    expect(result).toMatchObject(aborted);
    expect(result.attempts).toBe(1);
  });

  test('by the task itself, which fails then, is told with what the attempt failed with', async () => {
    const run = runWithRetry(
      async () => {
        await settled();
        queueMicrotask(() => controller.abort(reason));
        throw failure;
      },
      {},
      options,
    );
    const result = await run;
    expect(result).toMatchObject(aborted);
    expect(result.log.at(-1)).toMatchObject({ action: 'dead-letter', reason: 'aborted' });
    expect(clock.waits).toEqual([]);
  });

  test('that was there when the attempt failed plans no wait', async () => {
    const random = vi.fn(fixedRandom(0));
    const classify = vi.fn(() => 'transient' as const);
    const foreign: { aborted: boolean; reason: unknown; addEventListener(): void; removeEventListener(): void } = {
      aborted: false,
      reason,
      addEventListener() {},
      removeEventListener() {},
    };
    const result = await runWithRetry(
      () => {
        foreign.aborted = true; // without an event, as a signal that lost the race
        throw new Error('unmarked');
      },
      { classify },
      { ...options, random, signal: foreign as never },
    );
    expect(result).toMatchObject(aborted);
    expect(result.log).toMatchObject([{ reason: 'aborted', error: { message: 'unmarked' } }]);
    expect(random).not.toHaveBeenCalled();
    expect(classify).not.toHaveBeenCalled();
  });

  test('during the wait ends it at once, adds a decision about the attempt before, and leaves no timer', async () => {
    const told = vi.fn();
    const run = runWithRetry(busy, { jitter: 'none' }, { ...options, onDecision: told });
    await clock.advance(500);
    controller.abort(reason);
    const result = await run;
    expect(result).toMatchObject({ ...aborted, attempts: 1, elapsedMs: 500 });
    expect(result.log).toMatchObject([
      { action: 'retry', attempt: 1 },
      { action: 'dead-letter', attempt: 1, reason: 'aborted', error: failure, elapsedMs: 500 },
    ]);
    expect(clock.pending).toBe(0);
    expect(told).toHaveBeenCalledTimes(2);
  });

  test('outranks a permanent judgement that a classifier makes while it aborts', async () => {
    const result = await runWithRetry(
      () => Promise.reject(new Error('404')),
      {
        classify: () => {
          controller.abort(reason);
          return 'permanent';
        },
      },
      options,
    );
    expect(result).toMatchObject(aborted);
    expect(result.log).toHaveLength(1);
  });

  test.each(['delay', 'random', 'classifyValue'] as const)('by the %s hook is noticed before the wait', async (hook) => {
    const abortAndAnswer = <A>(answer: A): A => {
      controller.abort(reason);
      return answer;
    };
    const result = await runWithRetry<number>(
      () => (hook === 'classifyValue' ? 1 : busy()),
      {
        ...(hook === 'delay' && { delay: () => abortAndAnswer(5) }),
        ...(hook === 'classifyValue' && { classifyValue: () => abortAndAnswer('transient') }),
      },
      { ...options, ...(hook === 'random' && { random: abortAndAnswer }) },
    );
    expect(result).toMatchObject(aborted);
    expect(result.log).toMatchObject([{ action: 'dead-letter', reason: 'aborted' }]);
    expect(clock.waits).toEqual([]);
  });

  test('by onDecision means no wait and no further attempt', async () => {
    const task = vi.fn(busy);
    const decisions: Decision[] = [];
    const onDecision = (decision: Decision) => {
      decisions.push(decision);
      if (decision.action === 'retry') controller.abort(reason);
    };
    const result = await runWithRetry(task, {}, { ...options, onDecision });
    expect(task).toHaveBeenCalledTimes(1);
    expect(clock.waits).toEqual([]);
    expect(result).toMatchObject(aborted);
    expect(decisions.map(({ action }) => action)).toEqual(['retry', 'dead-letter']);
    expect(result.log).toEqual(decisions);
  });

  test('drops a pending promise of onDecision', async () => {
    const actions: string[] = [];
    const onDecision = ({ action }: Decision) => {
      actions.push(action);
      return never();
    };
    const run = runWithRetry(busy, {}, { ...options, onDecision });
    await settled();
    controller.abort(reason);
    expect(await run).toMatchObject(aborted);
    expect(actions).toEqual(['retry', 'dead-letter']);
  });

  test('drops a promise of onDecision that rejects later', async () => {
    let reject: (reason: unknown) => void = () => {};
    const pending = new Promise<void>((_, later) => {
      reject = later;
    });
    const run = runWithRetry(busy, {}, { ...options, onDecision: () => pending });
    await settled();
    controller.abort(reason);
    expect(await run).toMatchObject(aborted);
    reject(new Error('too late'));
  });

  test('leaves a decision that was made: a success is told and stays one', async () => {
    const run = runWithRetry(() => 'value', {}, { ...options, onDecision: never });
    await settled();
    controller.abort(reason);
    expect(await run).toMatchObject({ ok: true, value: 'value' });
  });

  test('leaves a decision that was made: a dead letter keeps its reason', async () => {
    const run = runWithRetry(() => Promise.reject(new Error('404')), {}, { ...options, onDecision: never });
    await settled();
    controller.abort(reason);
    expect(await run).toMatchObject({ ok: false, reason: 'permanent', error: { message: '404' } });
  });

  test('after the value was returned changes nothing', async () => {
    const result = await runWithRetry(() => 'value', { classifyValue: () => controller.abort(reason) as undefined }, options);
    expect(result).toMatchObject({ ok: true, value: 'value' });
  });

  test.each([
    ['an error', reason],
    ['a text', 'text'],
    ['null', null],
    ['an object', { code: 7 }],
  ])('keeps its reason by identity, and unwrap throws it: %s', async (_name, given) => {
    const run = runWithRetry(never, {}, options);
    controller.abort(given);
    const result = await run;
    expect(!result.ok && Object.is(result.error, given)).toBe(true);
    const thrown = (() => {
      try {
        return unwrap(result);
      } catch (error) {
        return error;
      }
    })();
    expect(Object.is(thrown, given)).toBe(true);
  });

  test('without a reason gets the platform its own AbortError', async () => {
    const run = runWithRetry(never, {}, options);
    controller.abort();
    expect(await run).toMatchObject({ error: { name: 'AbortError' } });
  });

  test('that no signal of ours gave is an error like any other: nobody knows it, so it is final', async () => {
    const result = await runWithRetry(() => Promise.reject(new DOMException('stopped', 'AbortError')), {}, { clock });
    expect(result).toMatchObject({ reason: 'permanent', attempts: 1 });
  });

  test('is another thing than both time limits', async () => {
    const byAbort = runWithRetry(never, {}, options);
    const byAttempt = runWithRetry(never, { attemptTimeoutMs: 10, maxAttempts: 1 }, { clock });
    const byBudget = runWithRetry(never, { totalBudgetMs: 10 }, { clock });
    await clock.advance(10);
    controller.abort(reason);
    const [first, second, third] = await Promise.all([byAbort, byAttempt, byBudget]);
    expect([first, second, third].map((result) => !result.ok && result.reason)).toEqual([
      'aborted',
      'attempts-exhausted',
      'budget-exhausted',
    ]);
    expect([first, second, third].map((result) => !result.ok && isAttemptTimeout(result.error))).toEqual([false, true, true]);
  });

  test('by the clock itself, as an attempt starts, keeps the task from being called', async () => {
    const task = vi.fn();
    const aborting: Clock = {
      ...frozenClock(0),
      now: () => {
        controller.abort(reason);
        return 0;
      },
    };
    expect(await runWithRetry(task, {}, { ...options, clock: aborting })).toMatchObject(aborted);
    expect(task).not.toHaveBeenCalled();
  });

  test('ends the wait at once also on a clock that does not listen', async () => {
    const deaf: Clock = { ...frozenClock(0), sleep: never };
    const run = runWithRetry(busy, {}, { ...options, clock: deaf });
    await settled();
    controller.abort(reason);
    expect(await run).toMatchObject({ ...aborted, attempts: 1 });
  });

  test.each<[string, () => unknown]>([
    ['a plain value', () => 'value'],
    ['an asynchronous value', async () => 'value'],
  ])('comes too late in the turn in which the task has returned: %s', async (_name, task) => {
    const run = runWithRetry(task, {}, options);
    controller.abort(reason);
    expect(await run).toMatchObject({ ok: true, value: 'value', attempts: 1 });
  });

  test('keeps the failure of the task that came before it in the same turn', async () => {
    let reject: (error: unknown) => void = () => {};
    const pending = new Promise((_, refuse) => {
      reject = refuse;
    });
    const run = runWithRetry(() => pending, {}, options);
    await settled();
    reject(failure);
    controller.abort(reason);
    const result = await run;
    expect(result).toMatchObject(aborted);
    expect(result.log).toMatchObject([{ action: 'dead-letter', reason: 'aborted', error: failure }]);
  });
});

describe('the caller’s signal', () => {
  const counted = () => {
    const target = new EventTarget();
    const live = { now: 0, most: 0, added: 0 };
    const signal = {
      aborted: false,
      reason: undefined as unknown,
      addEventListener: (type: 'abort', listener: () => void) => {
        live.added++;
        live.now++;
        live.most = Math.max(live.most, live.now);
        target.addEventListener(type, listener);
      },
      removeEventListener: (type: 'abort', listener: () => void) => {
        live.now--;
        target.removeEventListener(type, listener);
      },
    };
    const abort = () => {
      signal.aborted = true;
      target.dispatchEvent(new Event('abort'));
    };
    return { live, abort, signal: signal as unknown as AbortSignal };
  };

  test('has no listener left after a run of a thousand attempts, and never more than one', async () => {
    const { live, signal } = counted();
    await runWithRetry(busy, { maxAttempts: 1_000, backoff: { baseMs: 0 }, attemptTimeoutMs: 1_000 }, { clock: frozenClock(0), signal });
    expect(live).toEqual({ now: 0, most: 1, added: 1 });
  });

  test('is shared by many runs at once through one listener', async () => {
    const { live, signal, abort } = counted();
    const runs = Array.from({ length: 50 }, () => runWithRetry(never, {}, { clock, signal }));
    await settled();
    expect(live.now).toBe(1);
    abort();
    const results = await Promise.all(runs);
    expect(results.every((result) => !result.ok && result.reason === 'aborted')).toBe(true);
    expect(live.now).toBe(0);
  });

  test('needs only aborted, reason and the two listener methods, and no reason where the platform has none', async () => {
    const { signal, abort } = counted();
    const run = runWithRetry(busy, { jitter: 'none' }, { signal, clock });
    await settled();
    abort();
    clock.pass(0);
    await clock.advance(2_000);
    expect(await run).toMatchObject({ reason: 'aborted', error: { name: 'AbortError' } });
  });

  test.each([
    ['a success', () => 1],
    ['a permanent failure', () => Promise.reject(new Error('404'))],
    ['a faulty hook', busy],
  ])('is let go of after %s', async (name, task) => {
    const { live, signal } = counted();
    const policy = name === 'a faulty hook' ? { delay: () => Number.NaN } : {};
    await runWithRetry<unknown>(task, policy, { clock, signal }).catch(() => {});
    expect(live).toMatchObject({ now: 0, added: 1 });
  });
});
