import { isRetryHookError, type RetryPolicy, type RunOptions, runWithRetry, systemClock, TransientFailure } from 'retry-policy';
import {
  assertNoLeaks,
  type DefaultOverrides,
  frozenClock,
  overrideDefaults,
  type RestorableOverride,
  type ScriptedTask,
  scriptedTask,
  type VirtualClock,
  virtualClock,
} from 'retry-policy/testing';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { onAbort } from '../../src/abort.js';
import { countedSignal } from '../counted-signal.js';

const startAt = Date.UTC(2026, 0, 15, 8);
const busy = new TransientFailure('busy');

let clock: VirtualClock;
let controller: AbortController;
const made: RestorableOverride[] = [];
beforeEach(() => {
  clock = virtualClock({ startAt, autoAdvance: false });
  controller = new AbortController();
});
afterEach(() => {
  vi.unstubAllGlobals();
  for (const override of made.splice(0).reverse()) override.restore();
});

const put = (override: DefaultOverrides) => {
  const restorable = overrideDefaults(override);
  made.push(restorable);
  return restorable;
};

const complaint = (...on: Parameters<typeof assertNoLeaks>): Error => {
  try {
    assertNoLeaks(...on);
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was found');
};

describe('a clock', () => {
  it('on which nothing ever waited is left clean', () => {
    expect(assertNoLeaks(clock)).toBeUndefined();
    expect(assertNoLeaks(clock, undefined)).toBeUndefined();
  });

  it('on which something waits is told with all that waits, its kind and when it is due, in that order', () => {
    clock.schedule(2_000, () => {});
    void clock.sleep(500);
    clock.schedule(500, () => {});
    expect(complaint(clock)).toEqual(
      new Error(
        'left behind: a sleep due at 2026-01-15T08:00:00.500Z; a timer due at 2026-01-15T08:00:00.500Z; ' +
          'a timer due at 2026-01-15T08:00:02.000Z',
      ),
    );
  });

  it('says when by its wall clock', () => {
    void clock.sleep(1_000);
    clock.jumpWallClock(-60_000);
    expect(complaint(clock).message).toBe('left behind: a sleep due at 2026-01-15T07:59:01.000Z');
  });

  it('says in milliseconds what is due beyond all dates', () => {
    void clock.sleep(1e16);
    expect(complaint(clock).message).toMatch(/^left behind: a sleep due at \d+ ms$/);
  });

  it('is clean again when all that waited has come or was cancelled', async () => {
    void clock.sleep(500);
    const cancel = clock.schedule(2_000, () => {});
    await clock.advance(500);
    expect(complaint(clock).message).toBe('left behind: a timer due at 2026-01-15T08:00:02.000Z');
    cancel();
    assertNoLeaks(clock);
  });

  it('is not answerable for another', () => {
    void virtualClock({ autoAdvance: false }).sleep(500);
    assertNoLeaks(clock);
  });
});

describe.each([
  ['with the listeners of Node', undefined],
  ['without process', { process: undefined }],
  ['with a process that has no such modules', { process: {} }],
  ['with a process that does not know the module', { process: { getBuiltinModule: () => undefined } }],
])('a signal, in a runtime %s', (_name, runtime?: { process: object | undefined }) => {
  /** As `assertNoLeaks`, in that runtime: it is put back as soon as the call returns. */
  const check = (signal: AbortSignal) => {
    if (runtime !== undefined) vi.stubGlobal('process', runtime.process);
    try {
      assertNoLeaks(clock, signal);
    } finally {
      vi.unstubAllGlobals();
    }
  };

  it('that nobody listens to is left clean, aborted or not', () => {
    check(controller.signal);
    controller.abort();
    check(controller.signal);
  });

  it("has this library's own listeners counted", async () => {
    const { signal } = controller;
    const sleep = clock.sleep(500, signal);
    expect(() => check(signal)).toThrow('left behind: a sleep due at 2026-01-15T08:00:00.500Z; 1 abort listener on the signal');
    await clock.advance(500);
    await sleep;
    check(signal);
  });

  it('is not answerable for another', () => {
    onAbort(controller.signal, () => {});
    check(new AbortController().signal);
  });

  it(`has ${runtime === undefined ? '' : 'none of '}the listeners of others counted`, () => {
    controller.signal.addEventListener('abort', () => {});
    controller.signal.addEventListener('abort', () => {});
    if (runtime === undefined) expect(() => check(controller.signal)).toThrow(new Error('left behind: 2 abort listeners on the signal'));
    else check(controller.signal);
  });

  it('may have listeners to other events', () => {
    controller.signal.addEventListener('other', () => {});
    check(controller.signal);
  });
});

it('where all listeners cannot be counted, each wait of this library counts for one', () => {
  const forget = [onAbort(controller.signal, () => {}), onAbort(controller.signal, () => {})];
  vi.stubGlobal('process', undefined);
  const both = complaint(clock, controller.signal).message;
  forget[0]?.();
  const one = complaint(clock, controller.signal).message;
  forget[1]?.();
  assertNoLeaks(clock, controller.signal);
  vi.unstubAllGlobals();
  expect([both, one]).toEqual(['left behind: 2 abort listeners on the signal', 'left behind: 1 abort listener on the signal']);
});

it('a signal that a run takes can be asked for, whatever platform it is of', () => {
  const { counts, signal } = countedSignal();
  expect(counts.added).toBe(0);
  assertNoLeaks(clock, signal);
});

describe('an override of the defaults', () => {
  const advance = async () => {};

  it('that was made last is told first', () => {
    const forgetsToRestore = () => put({ maxAttempts: 2 });
    put({ clock: frozenClock(0) });
    forgetsToRestore();
    expect((complaint(clock).cause as Error).stack).toContain('forgetsToRestore');
  });

  it.each<[string, string, () => DefaultOverrides]>([
    ['with a frozen clock', 'clock', () => ({ clock: frozenClock(0) })],
    ['with another virtual clock', 'clock', () => ({ clock: virtualClock({ startAt }), random: undefined })],
    ['with the system clock', 'clock', () => ({ clock: systemClock })],
    ['without a clock', 'random and maxAttempts', () => ({ random: () => 0, maxAttempts: 2 })],
    ['that says nothing', 'nothing', () => ({})],
  ])('%s is told, and where it was made', (_name, names, override) => {
    const forgetsToRestore = () => put(override());
    forgetsToRestore();
    const error = complaint(clock);
    expect(error.message).toBe(`left behind: an override of ${names}, see the cause`);
    expect((error.cause as Error).stack).toMatch(/forgetsToRestore.*no-leaks\.test\.ts/);
  });

  it.each<[string, () => DefaultOverrides]>([
    ['with this clock', () => ({ clock })],
    ['with a copy of this clock, such as spies make', () => ({ clock: { ...clock } })],
  ])('%s may still be in force', (_name, override) => {
    put(override());
    assertNoLeaks(clock, controller.signal);
  });

  it('is told from a virtual clock that somebody has made by hand', () => {
    const own = { ...frozenClock(0), ...{ pending: [], advance, advanceTo: advance, suspend: advance, jumpWallClock: () => {} } };
    const override = put({ clock: own });
    assertNoLeaks(own);
    override.restore();
    put({ clock: frozenClock(0) });
    expect(complaint(own).message).toBe('left behind: an override of clock, see the cause');
  });

  it('that was restored is no leak', () => {
    put({ clock: frozenClock(0) }).restore();
    assertNoLeaks(clock);
  });

  it('that lies beneath one with this clock is told as well', () => {
    put({ maxAttempts: 2 });
    put({ clock });
    expect(complaint(clock).message).toBe('left behind: an override of maxAttempts, see the cause');
  });
});

it('all that is left behind is told in one message', () => {
  void clock.sleep(500, controller.signal);
  put({ clock: frozenClock(0) });
  const error = complaint(clock, controller.signal);
  expect(error.message).toBe(
    'left behind: a sleep due at 2026-01-15T08:00:00.500Z; 1 abort listener on the signal; ' + 'an override of clock, see the cause',
  );
  expect(error.cause).toBeInstanceOf(Error);
});

it('names ten waits and timers, and counts the others', () => {
  for (let i = 1; i <= 11; i++) clock.schedule(i, () => {});
  const { message } = complaint(clock);
  expect(message.match(/a timer due at/g)).toHaveLength(10);
  expect(message).toMatch(/; a timer due at 2026-01-15T08:00:00.010Z; 1 more$/);
});

it('an error about anything but an override has no cause', () => {
  void clock.sleep(500);
  put({ clock });
  expect(complaint(clock)).not.toHaveProperty('cause');
});

describe('arguments that are wrong', () => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['clock', '"clock"'],
    [virtualClock, 'function'],
    [frozenClock(0), 'object'],
    [systemClock, 'object'],
    [{ ...systemClock, pending: 0 }, 'object'],
  ])('%o is no virtual clock', (wrong, shown) => {
    expect(() => assertNoLeaks(wrong as never)).toThrow(
      new TypeError(`clock must be a virtual clock, as virtualClock() makes, got ${shown}`),
    );
  });

  it.each([
    [null, 'null'],
    ['signal', '"signal"'],
    [new AbortController(), 'object'],
    [new EventTarget(), 'object'],
  ])('%o is no signal', (wrong, shown) => {
    expect(() => assertNoLeaks(clock, wrong as never)).toThrow(
      new TypeError(`signal must be an AbortSignal, such as the signal of a controller, got ${shown}`),
    );
  });

  it('are refused by the types', () => {
    expectTypeOf(assertNoLeaks).parameters.toEqualTypeOf<[VirtualClock, AbortSignal?]>();
    expectTypeOf(assertNoLeaks).returns.toBeVoid();
  });
});

describe('a run leaves nothing behind that ends', () => {
  interface Ending {
    script: (task: ScriptedTask<never>) => ScriptedTask<unknown>;
    policy?: RetryPolicy;
    options?: RunOptions;
    abortAt?: number;
    outcome: object;
  }
  const limits = { attemptTimeoutMs: 1_000, totalBudgetMs: 60_000, maxAttempts: 2, backoff: { baseMs: 100 }, jitter: 'none' } as const;
  const boom = () => {
    throw new Error('boom');
  };

  it.each<[string, Ending]>([
    ['in success at once', { script: (task) => task.returns('done'), outcome: { ok: true, attempts: 1 } }],
    [
      'in success after a failure and a timeout',
      {
        script: (task) => task.fails(busy, { afterMs: 200 }).hangs().returns('done', { afterMs: 500 }),
        policy: { maxAttempts: 3 },
        outcome: { ok: true, attempts: 3 },
      },
    ],
    ['in a failure for good', { script: (task) => task.fails(new Error('404')), outcome: { reason: 'permanent' } }],
    ['with all attempts made', { script: (task) => task.fails(busy).fails(busy), outcome: { reason: 'attempts-exhausted' } }],
    [
      'with all attempts timed out, the task being deaf',
      { script: (task) => task.hangs().hangs(), outcome: { reason: 'attempts-exhausted', elapsedMs: 2_100 } },
    ],
    [
      'with all attempts timed out, the task being polite',
      {
        script: (task) => task.hangs({ untilAborted: true }).returns('late', { afterMs: 5_000 }),
        outcome: { reason: 'attempts-exhausted', elapsedMs: 2_100 },
      },
    ],
    [
      'with the budget used up in an attempt',
      { script: (task) => task.hangs(), policy: { totalBudgetMs: 300 }, outcome: { reason: 'budget-exhausted', elapsedMs: 300 } },
    ],
    [
      'with no budget for the next wait',
      { script: (task) => task.fails(busy), policy: { totalBudgetMs: 1_050 }, outcome: { reason: 'budget-exhausted', elapsedMs: 0 } },
    ],
    ['aborted before it began', { script: (task) => task, abortAt: 0, outcome: { reason: 'aborted', attempts: 0 } }],
    ['aborted in an attempt', { script: (task) => task.hangs(), abortAt: 400, outcome: { reason: 'aborted', elapsedMs: 400 } }],
    [
      'aborted in an attempt that waits',
      { script: (task) => task.returns('late', { afterMs: 900 }), abortAt: 400, outcome: { reason: 'aborted', elapsedMs: 400 } },
    ],
    ['aborted in a wait', { script: (task) => task.fails(busy), abortAt: 50, outcome: { reason: 'aborted', elapsedMs: 50 } }],
    [
      'aborted while a hook is pending',
      {
        script: (task) => task.returns('done'),
        options: { onDecision: () => new Promise(() => {}) },
        abortAt: 50,
        outcome: { ok: true },
      },
    ],
    ['in the fault of classify', { script: (task) => task.fails('unmarked'), policy: { classify: boom }, outcome: { hook: 'classify' } }],
    ['in the fault of delay', { script: (task) => task.fails(busy), policy: { delay: boom }, outcome: { hook: 'delay' } }],
    ['in the fault of onDecision', { script: (task) => task.fails(busy), options: { onDecision: boom }, outcome: { hook: 'onDecision' } }],
    [
      'in the fault of the random source',
      { script: (task) => task.fails(busy), policy: { jitter: 'full' }, options: { random: boom }, outcome: { hook: 'random' } },
    ],
  ])('%s', async (_name, { script, policy, options, abortAt, outcome }) => {
    const { signal } = controller;
    if (abortAt === 0) controller.abort();
    const task = script(scriptedTask(clock));
    const clean = vi.fn(() => assertNoLeaks(clock, signal)); // at the very end of the run, before what it forgot could come due
    const run = runWithRetry(task, { ...limits, ...policy }, { clock, signal, ...options })
      .catch((error) => error)
      .finally(clean);
    if (abortAt !== 0) expect(() => assertNoLeaks(clock, signal)).toThrow(/1 abort listener on the signal/);
    if (abortAt !== undefined) {
      await clock.advance(abortAt);
      controller.abort();
    }
    await clock.advance(10_000);
    const end = await run;
    expect(end).toMatchObject(outcome);
    expect(isRetryHookError(end)).toBe('hook' in outcome);
    expect(clean).toHaveReturnedTimes(1);
  });
});
