import fc from 'fast-check';
import {
  type AttemptContext,
  isAttemptTimeout,
  isTransient,
  type RetryResult,
  runWithRetry,
  systemClock,
  TransientFailure,
  withRetry,
} from 'retry-policy';
import {
  assertNoLeaks,
  frozenClock,
  overrideDefaults,
  type ScriptedCall,
  type ScriptedTask,
  scriptedTask,
  type VirtualClock,
  virtualClock,
} from 'retry-policy/testing';
import { beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { countedSignal } from '../counted-signal.js';

const startAt = Date.UTC(2026, 0, 15, 8);
const busy = new TransientFailure('busy');
const policy = { backoff: { baseMs: 0 } } as const;
const everything = () => 'transient' as const;

let clock: VirtualClock;
beforeEach(() => {
  clock = virtualClock({ startAt });
});

/** What a task is told of an attempt, as far as a script looks at it. */
const attemptOf = (attempt: number, signal = new AbortController().signal) => ({ attempt, signal }) as AttemptContext;

/** Lets other work have its turn so many times. */
const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** Whether it is still open after far more turns than the clock stands idle for. */
const isOpen = async (promise: Promise<unknown>) => {
  const settled = vi.fn();
  promise.then(settled, settled);
  await turns(100);
  return settled.mock.calls.length === 0;
};

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('it was to fail');
    },
    (error) => error,
  );

describe('a script', () => {
  it('is done step by step, one for each attempt', async () => {
    const task = scriptedTask(clock).fails(busy, { afterMs: 200 }).hangs().returns('done', { afterMs: 50 });
    const run = await runWithRetry(task, { attemptTimeoutMs: 1_000, backoff: { baseMs: 100 }, jitter: 'none' }, { clock });
    expect(run).toMatchObject({ ok: true, value: 'done', attempts: 3, elapsedMs: 1_550 });
    expect(run.log[0]).toMatchObject({ error: busy, durationMs: 200 });
    const second = run.log[1];
    expect(second?.action === 'retry' && isAttemptTimeout(second.error)).toBe(true);
    expect(task.calls.map(({ startedAt }) => startedAt - startAt)).toEqual([0, 300, 1_500]);
  });

  it('gives an attempt the step of its number, in whatever order they are called', async () => {
    const task = scriptedTask(clock).returns('one').returns('two').returns('three');
    expect(await task(attemptOf(3))).toBe('three');
    expect(await task(attemptOf(1))).toBe('one');
    expect(await task(attemptOf(2))).toBe('two');
  });

  it('is done from its beginning by each run', async () => {
    const task = scriptedTask(clock).fails(busy).returns('done');
    for (let run = 1; run <= 2; run++) expect(await runWithRetry(task, policy, { clock })).toMatchObject({ value: 'done', attempts: 2 });
    expect(task.calls.map(({ attempt }) => attempt)).toEqual([1, 2, 1, 2]);
  });

  it('takes a call without a context for the next attempt', async () => {
    const task = scriptedTask(clock).returns('one').returns('two').returns('three');
    expect([await task(), await task(), await task()]).toEqual(['one', 'two', 'three']);
    expect(task.calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  });

  it('takes a call without a context for the one after the call before, whatever number that had', async () => {
    const task = scriptedTask(clock).returns('one').returns('two').returns('three');
    await task(attemptOf(2));
    expect(await task()).toBe('three');
  });

  it('takes no argument for a context that is none, such as the job that a function with retries gets', async () => {
    const task = scriptedTask(clock).fails(busy).returns('done');
    const perform = withRetry(task as unknown as (job: object) => Promise<string>, policy, { clock });
    expect(await perform({ attempt: 7 })).toBe('done');
    const request = { signal: new AbortController().signal };
    await expect(perform(request)).rejects.toThrow('gave up after 1 attempt (permanent): the script has no step for attempt 3');
    expect(task.calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  });

  it('serves withRetry, whose function is told nothing of its attempt', async () => {
    const task = scriptedTask(clock).fails(busy).returns('done');
    expect(await withRetry(() => task(), policy, { clock })()).toBe('done');
  });

  it('may grow while it is being done', async () => {
    const task = scriptedTask(clock).fails(busy);
    const onDecision = () => void task.returns('done');
    expect(await runWithRetry(task, policy, { clock, onDecision })).toMatchObject({ ok: true, value: 'done' });
  });

  it('is one and the same task at each step', () => {
    const task = scriptedTask(clock);
    for (const longer of [task.fails(busy), task.hangs(), task.returns(1)]) expect(longer).toBe(task);
  });

  it('lets each attempt last as long as its step says, and begin when the wait before it is over', async () => {
    const durations = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(durations, fc.integer({ min: -1e12, max: 1e12 }), async (failing, beginning) => {
        const ownClock = virtualClock({ startAt: beginning });
        const task = scriptedTask(ownClock);
        for (const afterMs of failing) task.fails(busy, { afterMs });
        const { log } = await runWithRetry(task, { maxAttempts: failing.length }, { clock: ownClock });
        expect(log.map(({ durationMs }) => durationMs)).toEqual(failing);
        const due = log.flatMap((decision) => (decision.action === 'retry' ? [decision.retryAt] : []));
        expect(task.calls.map(({ startedAt }) => startedAt)).toEqual([beginning, ...due]);
      }),
      { numRuns: 50 },
    );
  });

  it.each([undefined, null, 'clock', {}, { now: () => 0 }])('needs a clock, which is not %o', (wrong) => {
    expect(() => scriptedTask(wrong as never)).toThrow(TypeError);
    expect(() => scriptedTask(wrong as never)).toThrow(/^clock must be a Clock, with now, /);
  });
});

describe('a call', () => {
  it('is noted with the number of its attempt, its start and its signal', () => {
    const { signal } = new AbortController();
    const task = scriptedTask(virtualClock({ startAt, autoAdvance: false })).hangs();
    void task(attemptOf(1, signal));
    expect(task.calls).toEqual([{ attempt: 1, startedAt: startAt, signal }]);
    expect(task.calls[0]?.signal).toBe(signal);
  });

  it('is noted with the signal that the run aborts', async () => {
    const task = scriptedTask(clock).hangs().returns('done');
    await runWithRetry(task, { ...policy, attemptTimeoutMs: 1_000 }, { clock });
    expect(task.calls.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(isAttemptTimeout(task.calls[0]?.signal.reason)).toBe(true);
  });

  it('begins by the wall clock', async () => {
    const task = scriptedTask(clock).returns(1).returns(2);
    await task();
    clock.jumpWallClock(-5_000);
    await task();
    expect(task.calls.map(({ startedAt }) => startedAt)).toEqual([startAt, startAt - 5_000]);
  });

  it('without a context has a signal of its own, which never aborts', async () => {
    const task = scriptedTask(clock).returns(1).returns(2);
    await Promise.all([task(), task()]);
    const [first, second] = task.calls.map(({ signal }) => signal);
    expect(first).toBeInstanceOf(AbortSignal);
    expect(first?.aborted).toBe(false);
    expect(first).not.toBe(second);
  });

  it('is noted also if the script has no step for it', async () => {
    const task = scriptedTask(clock);
    await errorOf(task());
    expect(task.calls).toHaveLength(1);
  });

  it('never throws, but rejects', async () => {
    const task = scriptedTask(clock).fails('first');
    expect(await errorOf(task())).toBe('first');
    expect(await errorOf(task())).toBeInstanceOf(Error);
  });
});

describe('a step that fails', () => {
  it.each([busy, new Error('404'), 'a string', undefined, null, { code: 503 }])('throws the very thing: %o', async (thrown) => {
    expect(await errorOf(scriptedTask(clock).fails(thrown)())).toBe(thrown);
    expect(await errorOf(scriptedTask(clock).fails(thrown, { afterMs: 10 })())).toBe(thrown);
  });
});

describe('a step that returns', () => {
  const value = { price: 42 };

  it.each([value, 'done', undefined, null, 0])('gives the very value: %o', async (given) => {
    expect(await scriptedTask(clock).returns(given)()).toBe(given);
    expect(await scriptedTask(clock).returns(given, { afterMs: 10 })()).toBe(given);
  });
});

describe.each(['fails', 'returns'] as const)('a step that %s', (kind) => {
  const add = (options?: object) => scriptedTask(clock)[kind]('end', options);
  const outcome = (promise: Promise<unknown>) => promise.catch((error) => error);

  it.each([undefined, {}, { afterMs: undefined }])('comes to its end at once with the options %o', async (options) => {
    const call = add(options)();
    expect(clock.pending).toEqual([]);
    expect(await outcome(call)).toBe('end');
    expect(clock.now()).toBe(startAt);
  });

  it.each([0, 1.5, 3_600_000])('comes to its end after %d ms of its clock', async (afterMs) => {
    const ended = vi.fn(() => clock.now());
    const call = outcome(add({ afterMs })()).then(ended);
    expect(clock.pending).toEqual([{ dueAt: startAt + afterMs, kind: 'sleep' }]);
    await call;
    expect(ended).toHaveReturnedWith(startAt + afterMs);
  });

  it('waits on the clock that it was given, whatever kind it is', async () => {
    const frozen = frozenClock(startAt);
    const slept = vi.fn(frozen.sleep);
    await outcome(scriptedTask({ ...frozen, sleep: slept })[kind]('end', { afterMs: 60_000 })());
    expect(slept).toHaveBeenCalledExactlyOnceWith(60_000, expect.any(AbortSignal));
  });

  it('waits no longer than its signal lets it, and leaves nothing on the clock', async () => {
    const controller = new AbortController();
    const reason = new Error('the user left');
    const call = add({ afterMs: 1_000 })(attemptOf(1, controller.signal));
    controller.abort(reason);
    expect(await errorOf(call)).toBe(reason);
    expect(clock.pending).toEqual([]);
  });

  it.each([
    [{ afterMs: -1 }, RangeError, 'afterMs must be a finite number >= 0, got -1'],
    [{ afterMs: NaN }, RangeError, 'afterMs must be a finite number >= 0, got NaN'],
    [{ afterMs: Infinity }, RangeError, 'afterMs must be a finite number >= 0, got Infinity'],
    [{ afterMs: null }, TypeError, 'afterMs must be a finite number >= 0, got null'],
    [{ afterMs: '5' }, TypeError, 'afterMs must be a finite number >= 0, got "5"'],
    [{ afterMS: 5 }, TypeError, 'unknown option afterMS (known: afterMs)'],
    [{ afterMs: 5, untilAborted: true }, TypeError, 'unknown option untilAborted (known: afterMs)'],
  ])('refuses the options %o at once, and adds nothing to the script', async (options, Fault, message) => {
    const task = scriptedTask(clock);
    expect(() => task[kind]('end', options as never)).toThrow(new Fault(message));
    await expect(task()).rejects.toThrow('only 0');
  });
});

describe('a step that hangs', () => {
  const reason = new Error('shutting down');

  it('is cut off by the time limit of the attempt', async () => {
    const result = await runWithRetry(scriptedTask(clock).hangs(), { attemptTimeoutMs: 8_000, maxAttempts: 1 }, { clock });
    expect(!result.ok && isAttemptTimeout(result.error)).toBe(true);
    expect(result.elapsedMs).toBe(8_000);
  });

  it('is cut off by the budget of the run', async () => {
    const result = await runWithRetry(scriptedTask(clock).hangs({ untilAborted: true }), { totalBudgetMs: 500 }, { clock });
    expect(result).toMatchObject({ ok: false, reason: 'budget-exhausted', elapsedMs: 500, error: { limit: 'budget' } });
  });

  it.each([undefined, {}, { untilAborted: undefined }, { untilAborted: false }])('stays deaf to its signal with %o', async (options) => {
    const controller = new AbortController();
    const call = scriptedTask(clock).hangs(options)(attemptOf(1, controller.signal));
    controller.abort(reason);
    expect(await isOpen(call)).toBe(true);
    expect(await isOpen(scriptedTask(clock).hangs(options)(attemptOf(1, controller.signal)))).toBe(true);
  });

  it('fails with the very reason of its signal, if it hangs until aborted', async () => {
    const controller = new AbortController();
    const task = scriptedTask(clock).hangs({ untilAborted: true }).hangs({ untilAborted: true });
    const call = task(attemptOf(1, controller.signal));
    controller.abort(reason);
    expect(await errorOf(call)).toBe(reason);
    expect(await errorOf(task(attemptOf(2, controller.signal)))).toBe(reason);
  });

  it.each([true, false])('leaves no listener on a signal that has aborted (untilAborted: %s)', async (untilAborted) => {
    const controller = new AbortController();
    const call = scriptedTask(clock).hangs({ untilAborted })(attemptOf(1, controller.signal));
    controller.abort(reason);
    await Promise.race([call.catch(() => {}), turns(1)]);
    assertNoLeaks(clock, controller.signal);
  });

  it.each([
    ['a copy of its clock, such as spies make', () => ({ ...clock })],
    ['the system clock, in whose place it is', () => systemClock],
  ])('is found out on %s', async (_name, its) => {
    const override = overrideDefaults({ clock });
    const call = scriptedTask(its()).hangs()(attemptOf(1, new AbortController().signal));
    await expect(call).rejects.toThrow('attempt 1 of the scripted task is stuck');
    override.restore();
  });

  it('ends with an abort on a clock that is not virtual, too', async () => {
    const controller = new AbortController();
    const call = scriptedTask(frozenClock(0)).hangs({ untilAborted: true })(attemptOf(1, controller.signal));
    controller.abort(reason);
    expect(await errorOf(call)).toBe(reason);
  });

  it('fails with an AbortError where the signal gives no reason', async () => {
    const { signal, counts } = countedSignal();
    counts.abort();
    expect(await errorOf(scriptedTask(clock).hangs({ untilAborted: true })(attemptOf(1, signal)))).toMatchObject({ name: 'AbortError' });
  });

  it.each([
    [{ untilAborted: 1 }, 'untilAborted must be a boolean, got 1'],
    [{ untilAborted: null }, 'untilAborted must be a boolean, got null'],
    [{ afterMs: 5 }, 'unknown option afterMs (known: untilAborted)'],
  ])('refuses the options %o at once', async (options, message) => {
    const task = scriptedTask(clock);
    expect(() => task.hangs(options as never)).toThrow(new TypeError(message));
    await expect(task()).rejects.toThrow('only 0');
  });
});

describe.each([true, false])('a step that nothing can end any more (untilAborted: %s)', (untilAborted) => {
  const hanging = (on = clock) => scriptedTask(on).hangs({ untilAborted });

  it('fails with an error that names what is stuck, since when, and what to do', async () => {
    const error = await errorOf(scriptedTask(clock).returns(1).hangs({ untilAborted })(attemptOf(2)));
    expect(error).toEqual(
      new Error(
        'attempt 2 of the scripted task is stuck: it hangs since 2026-01-15T08:00:00.000Z, nothing is pending on its clock, ' +
          'and it was not aborted; hand this clock to the run and set a time limit, or abort it, with autoAdvance: false if real time passes first',
      ),
    );
  });

  it('tells when it began, and not when it was found out', async () => {
    const call = hanging()();
    void clock.sleep(60_000);
    await expect(call).rejects.toThrow('it hangs since 2026-01-15T08:00:00.000Z');
    expect(clock.now()).toBe(startAt + 60_000);
  });

  it('ends the run, whatever the policy says of errors', async () => {
    const task = scriptedTask(clock).fails(busy).hangs({ untilAborted });
    const result = await runWithRetry(task, { ...policy, classify: everything }, { clock });
    expect(result).toMatchObject({
      ok: false,
      reason: 'permanent',
      attempts: 2,
      error: { message: expect.stringMatching(/^attempt 2 .* stuck/) },
    });
  });

  it('is found out only when all that was pending has come and gone', async () => {
    const controller = new AbortController();
    clock.schedule(1_000, () => clock.schedule(1_000, () => controller.abort('in the end')));
    const result = await runWithRetry(hanging(), {}, { clock, signal: controller.signal });
    expect(result).toMatchObject({ ok: false, reason: 'aborted', error: 'in the end' });
    expect(clock.now()).toBe(startAt + 2_000);
  });

  it.each([0, 1, 5, 15])('is not found out before the test aborts the run %d turns later', async (later) => {
    const controller = new AbortController();
    const run = runWithRetry(hanging(), {}, { clock, signal: controller.signal });
    await turns(later);
    controller.abort('by the test');
    expect(await run).toMatchObject({ ok: false, reason: 'aborted', error: 'by the test' });
  });

  it('leaves no listener on its signal when it is found out', async () => {
    const { signal } = new AbortController();
    await errorOf(hanging()(attemptOf(1, signal)));
    assertNoLeaks(clock, signal);
  });

  it('is found out in each of the tasks that are stuck', async () => {
    const [one, other] = [hanging(), hanging()];
    const errors = await Promise.all([errorOf(one()), errorOf(other())]);
    expect(errors.map(String)).toEqual([expect.stringContaining('attempt 1'), expect.stringContaining('attempt 1')]);
    expect(errors[0]).not.toBe(errors[1]);
  });

  it('is found out anew, after one that was', async () => {
    const task = hanging().hangs({ untilAborted });
    await expect(task()).rejects.toThrow('attempt 1 of the scripted task is stuck');
    await clock.sleep(1_000);
    await expect(task()).rejects.toThrow(/^attempt 2 of the scripted task is stuck: it hangs since 2026-01-15T08:00:01.000Z/);
  });

  it('is found out once, and never looked at again', async () => {
    await errorOf(hanging()());
    const toISOString = vi.spyOn(Date.prototype, 'toISOString'); // which each message is made with
    await expect(hanging()()).rejects.toThrow('stuck');
    expect(toISOString).toHaveBeenCalledOnce();
    toISOString.mockRestore();
  });

  it('stays a hang on a clock that is moved by hand, until somebody aborts', async () => {
    const controller = new AbortController();
    const byHand = virtualClock({ autoAdvance: false });
    const run = runWithRetry(hanging(byHand), {}, { clock: byHand, signal: controller.signal });
    await byHand.advance(3_600_000);
    expect(await isOpen(run)).toBe(true);
    controller.abort();
    expect(await run).toMatchObject({ ok: false, reason: 'aborted' });
  });

  it('stays a hang on a clock that is not virtual', async () => {
    expect(await isOpen(scriptedTask(frozenClock(0)).hangs({ untilAborted })())).toBe(true);
  });
});

describe('an attempt beyond the script', () => {
  it.each([0, 1, 3])('fails with an error that says so, after %d steps', async (steps) => {
    const task = scriptedTask(clock);
    for (let step = 1; step <= steps; step++) task.fails(busy);
    const result = await runWithRetry(task, { ...policy, maxAttempts: 10 }, { clock });
    expect(!result.ok && result.error).toEqual(
      new Error(`the script has no step for attempt ${task.calls.length}, only ${steps}: add one, or lower maxAttempts`),
    );
    expect(task.calls).toHaveLength(steps + 1);
  });

  it('ends the run, whatever the policy says of errors', async () => {
    const task = scriptedTask(clock).fails(busy);
    const result = await runWithRetry(task, { ...policy, classify: everything, maxAttempts: 10 }, { clock });
    expect(result).toMatchObject({ ok: false, reason: 'permanent', attempts: 2 });
    expect(!result.ok && isTransient(result.error)).toBe(false);
  });
});

describe('the type of a script', () => {
  it('gathers what its steps return', () => {
    expectTypeOf(scriptedTask(clock)).toEqualTypeOf<ScriptedTask<never>>();
    expectTypeOf(scriptedTask(clock).fails(busy).hangs()).toEqualTypeOf<ScriptedTask<never>>();
    expectTypeOf(scriptedTask(clock).returns(1)).toEqualTypeOf<ScriptedTask<number>>();
    expectTypeOf(scriptedTask(clock).returns(1).fails(busy).returns('done').hangs()).toEqualTypeOf<ScriptedTask<number | string>>();
    expectTypeOf(scriptedTask(clock).returns(Promise.resolve(1))).toEqualTypeOf<ScriptedTask<number>>();
    expectTypeOf(scriptedTask(clock).returns<'done'>('done')).toEqualTypeOf<ScriptedTask<'done'>>();
  });

  it('is that of a task', () => {
    const run = (task: ScriptedTask<number>) => runWithRetry(task);
    expectTypeOf(run).returns.resolves.toEqualTypeOf<RetryResult<number>>();
    expectTypeOf<ScriptedTask<number>>().toBeCallableWith();
    expectTypeOf<ScriptedTask<number>>().returns.resolves.toEqualTypeOf<number>();
  });

  it('lets nobody write on the calls', () => {
    expectTypeOf<ScriptedTask<number>['calls']>().toEqualTypeOf<readonly ScriptedCall[]>();
    // @ts-expect-error the number of the attempt is read-only
    void ((call: ScriptedCall) => (call.attempt = 2));
  });
});
