import fc from 'fast-check';
import {
  type AttemptContext,
  type Clock,
  createSystemClock,
  cryptoRandom,
  decide,
  definePolicy,
  previewSchedule,
  type RetryPolicy,
  type RunOptions,
  runWithRetry,
  systemClock,
  TransientFailure,
  withRetry,
} from 'retry-policy';
import {
  type DefaultOverrides,
  fixedRandom,
  frozenClock,
  overrideDefaults,
  type RestorableOverride,
  type VirtualClock,
  virtualClock,
} from 'retry-policy/testing';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { overrides } from '../../src/override.js';
import { nextTurn } from '../../src/testing/turn.js';

const startAt = Date.UTC(2026, 0, 15, 8);
const today = Date.UTC(2026, 5, 1);
const longest = fixedRandom(Infinity);
const steady = { jitter: 'none', backoff: { baseMs: 2_000, factor: 1 } } as const;
const busy = () => Promise.reject(new TransientFailure('busy'));

const made: RestorableOverride[] = [];
const put = (override: DefaultOverrides) => {
  const restorable = overrideDefaults(override);
  made.push(restorable);
  return restorable;
};

let clock: VirtualClock;
beforeEach(() => {
  vi.useFakeTimers({ now: today }); // the host's time, which stands still unless it is told
  clock = virtualClock({ startAt });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  for (const override of made.splice(0).reverse()) override.restore();
  expect(overrides().inForce).toBeUndefined();
});

const errorOf = (call: () => unknown): Error => {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it was to throw');
};

const attemptsOf = async (policy: RetryPolicy = {}) => (await runWithRetry(busy, policy)).attempts;

/** Code under test, with the run deep inside. */
const fetchPrice = async () => ({ price: await withRetry(busy)() });

describe('code under test, which takes no clock from outside', () => {
  it('runs on the clock and the chance of the test', async () => {
    put({ clock, random: longest });
    await expect(fetchPrice()).rejects.toMatchObject({ attempts: 4, reason: 'attempts-exhausted' });
    expect(clock.now()).toBe(startAt + 14_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('may have been wrapped long before, with options of its own', async () => {
    const controller = new AbortController();
    const wrapped = withRetry(busy, {}, { clock: systemClock, signal: controller.signal, logLimit: 2 });
    put({ clock, random: longest, maxAttempts: 3 });
    await expect(wrapped()).rejects.toMatchObject({ attempts: 3, log: { length: 2 } });
    expect(clock.now()).toBe(startAt + 6_000);
  });
});

describe('a clock that is put in force', () => {
  const ofSystem: [string, Clock][] = [
    ['the system clock', systemClock],
    ['one that createSystemClock made', createSystemClock()],
    ['one that lets the process end', createSystemClock({ unref: true })],
  ];

  it.each<[string, RunOptions | undefined]>([
    ['no options', undefined],
    ['empty options', {}],
    ['a clock that is undefined', { clock: undefined }],
    ...ofSystem.map(([name, named]): [string, RunOptions] => [name, { clock: named }]),
  ])('stands in for the clock of a run with %s', async (_name, options) => {
    put({ clock });
    const result = await runWithRetry(busy, { ...steady, maxAttempts: 2 }, options);
    expect(result).toMatchObject({ attempts: 2, elapsedMs: 2_000, log: [{ startedAt: startAt }, { startedAt: startAt + 2_000 }] });
    expect(clock.now()).toBe(startAt + 2_000);
  });

  describe.each(ofSystem)('stands in for %s where it is called directly', (_name, direct) => {
    it('and tells the time', async () => {
      put({ clock });
      await clock.sleep(500);
      clock.jumpWallClock(-100);
      expect([direct.now(), direct.monotonicNow()]).toEqual([startAt + 400, 500]);
    });

    it('and waits', async () => {
      put({ clock });
      await direct.sleep(3_600_000);
      expect(clock.monotonicNow()).toBe(3_600_000);
    });

    it('and listens to the signal in the wait', async () => {
      put({ clock: virtualClock({ autoAdvance: false }) });
      const controller = new AbortController();
      const sleep = direct.sleep(1_000, controller.signal);
      controller.abort('enough');
      await expect(sleep).rejects.toBe('enough');
    });

    it('and sets timers, which can be cancelled', async () => {
      put({ clock });
      const [kept, cancelled] = [vi.fn(), vi.fn()];
      direct.schedule(500, kept);
      direct.schedule(500, cancelled)();
      expect(clock.pending).toEqual([{ dueAt: startAt + 500, kind: 'timer' }]);
      await clock.sleep(1_000);
      expect([kept.mock.calls.length, cancelled.mock.calls.length]).toEqual([1, 0]);
    });

    it('and no longer once it is restored', () => {
      put({ clock }).restore();
      expect(direct.now()).toBe(today);
      void direct.sleep(1_000);
      direct.schedule(1_000, () => {});
      expect([clock.pending.length, vi.getTimerCount()]).toEqual([0, 2]);
    });

    it('and keeps what began on it after it is restored', async () => {
      const byHand = virtualClock({ autoAdvance: false });
      const override = put({ clock: byHand });
      const woken = vi.fn();
      void direct.sleep(1_000).then(woken);
      const cancel = direct.schedule(1_000, woken);
      override.restore();
      cancel();
      expect(byHand.pending).toEqual([{ dueAt: 1_000, kind: 'sleep' }]);
      await byHand.advance(1_000);
      expect(woken).toHaveBeenCalledOnce();
    });

    it('and may be the very same, which then runs on the host', async () => {
      put({ clock: direct });
      for (const [, other] of ofSystem) expect(other.now()).toBe(today);
      expect(direct.monotonicNow()).toBe(performance.now());
      const run = runWithRetry(busy, { ...steady, maxAttempts: 2 });
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await run).toMatchObject({ attempts: 2, log: [{ startedAt: today }, { startedAt: today + 2_000 }] });
    });
  });

  it('does not stand in for a clock that a caller injects', async () => {
    put({ clock });
    const result = await runWithRetry(busy, steady, { clock: frozenClock(7) });
    expect(result.log.map(({ startedAt }) => startedAt)).toEqual([7, 7, 7, 7]);
    expect(clock.now()).toBe(startAt);
  });

  it('does not stand in for what a caller made of the system clock', async () => {
    put({ clock });
    const result = await runWithRetry(busy, { maxAttempts: 1 }, { clock: { ...systemClock, now: () => 7 } });
    expect(result.log).toMatchObject([{ startedAt: 7 }]);
  });
});

describe('a clock that is made of the system clock', () => {
  it('may be put in force, and goes on by the host where it does not know better', async () => {
    const slept: number[] = [];
    const sleep = (ms: number) => {
      slept.push(ms);
      return systemClock.sleep(0);
    };
    put({ clock: { ...systemClock, sleep } });
    expect(systemClock.now()).toBe(today);
    const run = runWithRetry(busy, { ...steady, maxAttempts: 2 });
    await vi.advanceTimersByTimeAsync(1);
    expect(await run).toMatchObject({ attempts: 2 });
    expect(slept[0]).toBe(2_000);
  });
});

it('a clock that waits on itself without end gets an error, and does not freeze the process', async () => {
  const sleep = async (ms: number) => {
    await undefined; // from here on it is the override that is in force
    await systemClock.sleep(ms);
  };
  put({ clock: { ...systemClock, sleep } });
  await expect(systemClock.sleep(1)).rejects.toThrow('the clock of this override waits on the system clock, and so on itself');
});

it('a clock may be waited on as often as one likes, as long as it has its turns', async () => {
  let sleeps = 0;
  const sleep = async () => {
    sleeps += 1;
  };
  put({ clock: { ...systemClock, sleep } });
  for (let turn = 0; turn < 3; turn++) {
    await Promise.all(Array.from({ length: 100_000 }, () => systemClock.sleep(1)));
    await new Promise<void>(nextTurn);
  }
  expect(sleeps).toBe(300_000);
});

describe('a random source that is put in force', () => {
  it('may be made of cryptoRandom, to look on', () => {
    const drawn: number[] = [];
    put({
      random(min, max) {
        const n = cryptoRandom(min, max);
        drawn.push(n);
        return n;
      },
    });
    const answers = [cryptoRandom(3, 30), cryptoRandom(4, 40)];
    expect(drawn).toEqual(answers);
  });

  it.each([
    [5, 1, 'max must be a safe integer in [5, 9007199254740996], got 1'],
    [0, 0.5, 'max must be a safe integer in [0, 9007199254740991], got 0.5'],
    [0, 10, 'random must answer an integer in [0, 10] (adapt Math.random with randomFrom), got 0.5'],
  ])('is checked as cryptoRandom is, and its answers are, where %d to %d is asked for', (min, max, message) => {
    put({ random: () => 0.5 });
    expect(() => cryptoRandom(min, max)).toThrow(new RangeError(message));
  });

  it('stands in for cryptoRandom where it is called directly', () => {
    const random = vi.fn(() => 3);
    put({ random });
    expect(cryptoRandom(1, 6)).toBe(3);
    expect(random).toHaveBeenCalledExactlyOnceWith(1, 6);
  });

  it.each([
    ['no options', undefined],
    ['empty options', {}],
    ['a source that is undefined', { random: undefined }],
    ['cryptoRandom by name', { random: cryptoRandom }],
  ])('stands in for the chance of a run with %s', async (_name, options) => {
    put({ clock, random: fixedRandom(7) });
    const { log } = await runWithRetry(busy, { maxAttempts: 3 }, options);
    expect(log).toMatchObject([{ backoffMs: 7 }, { backoffMs: 7 }, {}]);
  });

  it('does not stand in for a source that a caller injects', async () => {
    put({ clock, random: fixedRandom(7) });
    const { log } = await runWithRetry(busy, { maxAttempts: 2 }, { random: fixedRandom(9) });
    expect(log[0]).toMatchObject({ backoffMs: 9 });
  });

  it('may be cryptoRandom itself, which then draws as ever', () => {
    put({ random: cryptoRandom });
    const draws = Array.from({ length: 100 }, () => cryptoRandom(1, 1_000_000));
    expect(new Set(draws).size).toBeGreaterThan(90);
  });

  it('is called by its name if it answers nonsense', async () => {
    put({ clock, random: () => NaN });
    await expect(runWithRetry(busy)).rejects.toMatchObject({ name: 'RetryHookError', hook: 'random' });
  });

  it('is never asked for an idempotency key', async () => {
    const random = vi.fn(fixedRandom(0));
    put({ clock, random });
    const keyOf = async () => {
      const result = await runWithRetry(({ idempotencyKey }: AttemptContext) => idempotencyKey);
      return result.ok && result.value;
    };
    const keys = await Promise.all([keyOf(), keyOf()]);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(keys[0]).not.toBe(keys[1]);
    expect(random).not.toHaveBeenCalled();
  });

  it('leaves the other defaults alone', async () => {
    put({ random: longest });
    expect(systemClock.now()).toBe(today);
    expect((await runWithRetry(busy, { maxAttempts: 1 })).log).toMatchObject([{ startedAt: today }]);
  });
});

describe('a limit of attempts that is put in force', () => {
  it.each([
    [10, 2, 2],
    [2, 10, 2],
    [3, 3, 3],
    [undefined, 3, 3],
    [undefined, 10, 4],
    [Infinity, 5, 5],
    [3, Infinity, 3],
    [2, 1, 1],
  ])('only lowers: of %s attempts in the policy and %d in force, %d are made', async (maxAttempts, inForce, attempts) => {
    put({ clock, maxAttempts: inForce });
    const policy = { maxAttempts, backoff: { baseMs: 0 } };
    expect(await attemptsOf(policy)).toBe(attempts);
    expect(await attemptsOf(definePolicy(policy))).toBe(attempts);
    expect((await runWithRetry(busy, policy, { clock })).attempts).toBe(attempts);
  });

  it('holds where there is no policy', async () => {
    put({ clock, maxAttempts: 2 });
    expect(await runWithRetry(busy)).toMatchObject({ ok: false, reason: 'attempts-exhausted', attempts: 2 });
  });

  it('changes nothing else of the policy, nor the policy itself', async () => {
    put({ clock, maxAttempts: 2 });
    const delay = () => 5;
    const classifyValue = () => 'transient' as const;
    const policy = definePolicy({ maxAttempts: 9, delay, classifyValue, attemptTimeoutMs: 10, totalBudgetMs: 1_000 });
    const { log } = await runWithRetry(({ remainingMs }) => remainingMs, policy);
    expect(log).toMatchObject([{ delayMs: 5, error: 10, judgedBy: 'classifier' }, { reason: 'attempts-exhausted' }]);
    expect(policy.maxAttempts).toBe(9);
  });

  it('is that of the beginning of a run, whatever comes later', async () => {
    const byHand = virtualClock({ autoAdvance: false });
    const runs = [runWithRetry(busy, steady, { clock: byHand })];
    const override = put({ maxAttempts: 2 });
    runs.push(runWithRetry(busy, steady, { clock: byHand }));
    override.restore();
    await byHand.advance(60_000);
    expect((await Promise.all(runs)).map(({ attempts }) => attempts)).toEqual([4, 2]);
  });

  it('is nothing to decide and previewSchedule, which are told all', () => {
    const failure = { attempt: 2, error: new TransientFailure(), elapsedMs: 0 };
    const before = [decide(failure, {}, { now: 0, random: longest }), previewSchedule({})];
    put({ maxAttempts: 1 });
    expect([decide(failure, {}, { now: 0, random: longest }), previewSchedule({})]).toEqual(before);
    expect(before).toMatchObject([{ action: 'retry' }, { length: 3 }]);
  });
});

describe('a run that waits keeps the clock that it began with', () => {
  it.each<[string, RunOptions | undefined]>([
    ['by default', undefined],
    ['as the system clock', { clock: systemClock }],
    ['as one that createSystemClock made', { clock: createSystemClock() }],
  ])('%s, while one is put in its place', async (_name, options) => {
    const run = runWithRetry(busy, { ...steady, maxAttempts: 3 }, options);
    await vi.advanceTimersByTimeAsync(500);
    put({ clock });
    await vi.advanceTimersByTimeAsync(1_500);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await run).toMatchObject({
      attempts: 3,
      elapsedMs: 4_000,
      log: [{ startedAt: today }, { startedAt: today + 2_000 }, { startedAt: today + 4_000 }],
    });
    expect(clock.now()).toBe(startAt);
  });

  it('from an override, while that is restored', async () => {
    const byHand = virtualClock({ startAt, autoAdvance: false });
    const override = put({ clock: byHand });
    const run = runWithRetry(busy, { ...steady, maxAttempts: 3, attemptTimeoutMs: 60_000 }, { clock: systemClock });
    await byHand.advance(500);
    override.restore();
    await byHand.advance(10_000);
    expect(await run).toMatchObject({
      attempts: 3,
      elapsedMs: 4_000,
      log: [{ startedAt: startAt }, { startedAt: startAt + 2_000 }, { startedAt: startAt + 4_000 }],
    });
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('a run that began while a system clock was in force keeps to it', async () => {
  put({ clock: systemClock });
  const run = runWithRetry(busy, { ...steady, maxAttempts: 3 });
  await vi.advanceTimersByTimeAsync(500);
  put({ clock });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(clock.now()).toBe(startAt);
  expect(await run).toMatchObject({ attempts: 3, elapsedMs: 4_000 });
});

describe('overrides that nest', () => {
  it('add the inner one to the outer, and the inner one wins', async () => {
    put({ clock, random: fixedRandom(7), maxAttempts: 3 });
    put({ random: fixedRandom(9) });
    expect(await runWithRetry(busy)).toMatchObject({ attempts: 3, elapsedMs: 18 });
    put({ clock: frozenClock(5) });
    expect([systemClock.now(), cryptoRandom(0, 100)]).toEqual([5, 9]);
  });

  it.each([
    [2, 3, 2],
    [3, 2, 2],
    [Infinity, 2, 2],
    [2, Infinity, 2],
    [2, undefined, 2],
    [undefined, 2, 2],
  ])('with the limits %s and %s let %d attempts be made', async (outer, inner, attempts) => {
    put({ clock, maxAttempts: outer });
    put({ maxAttempts: inner });
    expect(await attemptsOf()).toBe(attempts);
  });

  it('are taken away again one by one, down to what was there before', async () => {
    const layer = fc.record(
      {
        clock: fc.integer({ min: 1, max: 1_000 }).map((at) => frozenClock(at)),
        random: fc.integer({ min: 0, max: 1_000 }).map((drawn) => () => drawn),
        maxAttempts: fc.constantFrom(1, 2, 3, 10, Infinity),
      },
      { requiredKeys: [] },
    );
    const seen = async () => ({
      now: systemClock.now(),
      attempts: await attemptsOf({ maxAttempts: 5, jitter: 'none' }),
      drawn: cryptoRandom(0, 1_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(layer, { minLength: 1, maxLength: 4 }), async (layers) => {
        const bottom = put({ clock: frozenClock(0), random: () => 0 });
        const stack: { override: RestorableOverride; before: object; inForce: unknown }[] = [];
        let expected = { now: 0, attempts: 5, drawn: 0 };
        for (const given of layers) {
          stack.push({ before: expected, inForce: overrides().inForce, override: put(given) });
          expected = {
            now: given.clock?.now() ?? expected.now,
            attempts: Math.min(given.maxAttempts ?? 5, expected.attempts),
            drawn: given.random?.() ?? expected.drawn,
          };
          expect(await seen()).toEqual(expected);
        }
        for (const { override, before, inForce } of stack.reverse()) {
          override.restore();
          expect(await seen()).toEqual(before);
          expect(overrides().inForce).toBe(inForce);
        }
        bottom.restore();
      }),
      { numRuns: 50 },
    );
  });

  it('are empty where nothing is said', async () => {
    put({});
    put({ clock: undefined, random: undefined, maxAttempts: undefined });
    expect(systemClock.now()).toBe(today);
    expect((await runWithRetry(busy, { maxAttempts: 1 })).attempts).toBe(1);
  });
});

describe('restore', () => {
  it('does nothing more once it was called', () => {
    const first = put({ clock: frozenClock(1) });
    first.restore();
    first.restore();
    put({ clock: frozenClock(2) });
    first.restore();
    expect(systemClock.now()).toBe(2);
  });

  it('may be taken off its object', () => {
    const { restore } = put({ clock });
    restore();
    expect(systemClock.now()).toBe(today);
  });

  it('out of order throws, says where the later one was made, and restores that as well', () => {
    const makesTheInner = () => put({ random: longest });
    const makesTheLast = () => put({ clock });
    const outermost = put({ maxAttempts: 3 });
    const beneath = overrides().inForce;
    const outer = put({ clock: frozenClock(1) });
    const inner = makesTheInner();
    const last = makesTheLast();
    const error = errorOf(() => outer.restore());
    expect(error.message).toBe(
      'overrides are restored in the reverse order: a later one was still in force, and is restored as well; see the cause',
    );
    expect((error.cause as Error).message).toBe('this override was still in force');
    expect((error.cause as Error).stack).toMatch(/makesTheLast.*override-defaults\.test\.ts/);
    expect(overrides().inForce).toBe(beneath);
    for (const restored of [last, inner, outer]) restored.restore();
    expect(overrides().inForce).toBe(beneath);
    outermost.restore();
    expect(systemClock.now()).toBe(today);
  });
});

describe('using', () => {
  it('restores at the end of the block, also when it is left by a throw', () => {
    const block = () => {
      using _override = overrideDefaults({ clock });
      expect(systemClock.now()).toBe(startAt);
      throw new Error('left');
    };
    expect(block).toThrow('left');
    expect(systemClock.now()).toBe(today);
  });

  it('takes them away in the reverse order', () => {
    {
      using _outer = overrideDefaults({ clock: frozenClock(1) });
      using _inner = overrideDefaults({ clock: frozenClock(2) });
      expect(systemClock.now()).toBe(2);
    }
    expect(systemClock.now()).toBe(today);
  });

  it('works where the platform has no Symbol.dispose, by the symbol that compilers put in its place', () => {
    vi.stubGlobal('Symbol', { for: Symbol.for });
    const override: object = put({ clock });
    vi.unstubAllGlobals();
    const dispose = Reflect.get(override, Symbol.for('Symbol.dispose'));
    dispose();
    expect(systemClock.now()).toBe(today);
  });

  it('is known to the types', () => {
    expectTypeOf<RestorableOverride>().toExtend<Disposable>();
    expectTypeOf<RestorableOverride['restore']>().toEqualTypeOf<() => void>();
  });
});

describe('overrides that are wrong', () => {
  it.each<[unknown, ErrorConstructor, string]>([
    [undefined, TypeError, 'override must be an object, got undefined'],
    [null, TypeError, 'override must be an object, got null'],
    [frozenClock, TypeError, 'override must be an object, got function'],
    [frozenClock(0), TypeError, 'unknown option now (known: clock, random, maxAttempts)'],
    [{ clock: null }, TypeError, 'clock must be a Clock, with now, monotonicNow, sleep and schedule, got null'],
    [{ clock: { now: () => 0 } }, TypeError, 'clock must be a Clock, with now, monotonicNow, sleep and schedule, got object'],
    [{ random: 0.5 }, TypeError, 'random must be a function, got 0.5'],
    [{ random: null }, TypeError, 'random must be a function, got null'],
    [{ maxAttempts: '2' }, TypeError, 'maxAttempts must be an integer >= 1 or Infinity, got "2"'],
    [{ maxAttempts: null }, TypeError, 'maxAttempts must be an integer >= 1 or Infinity, got null'],
    [{ maxAttempts: 0 }, RangeError, 'maxAttempts must be an integer >= 1 or Infinity, got 0'],
    [{ maxAttempts: 1.5 }, RangeError, 'maxAttempts must be an integer >= 1 or Infinity, got 1.5'],
    [{ maxAttempts: NaN }, RangeError, 'maxAttempts must be an integer >= 1 or Infinity, got NaN'],
    [{ maxAttempt: 2 }, TypeError, 'unknown option maxAttempt (did you mean maxAttempts?)'],
  ])('%o', (override, Fault, message) => {
    const error = errorOf(() => overrideDefaults(override as DefaultOverrides));
    expect(error).toBeInstanceOf(Fault);
    expect(error.message).toContain(`invalid overrides: ${message}`);
    expect(overrides().inForce).toBeUndefined();
  });

  it('have all their faults told in one message', () => {
    const override = { clok: clock, random: 1, maxAttempts: 0 };
    expect(errorOf(() => overrideDefaults(override as object))).toEqual(
      new TypeError(
        'invalid overrides: unknown option clok (did you mean clock?); random must be a function, got 1; ' +
          'maxAttempts must be an integer >= 1 or Infinity, got 0',
      ),
    );
  });

  it('leave the one that is in force as it is', () => {
    put({ clock });
    errorOf(() => overrideDefaults({ clock: frozenClock(1), maxAttempts: 0 }));
    expect(systemClock.now()).toBe(startAt);
  });
});

/** The library once more, as where it was installed twice. */
async function secondCopy() {
  vi.resetModules();
  const [main, testing] = await Promise.all([import('retry-policy'), import('retry-policy/testing')]);
  vi.resetModules(); // no other file gets this copy
  expect(main.runWithRetry).not.toBe(runWithRetry);
  return { ...main, ...testing };
}

describe('two copies of the library in one realm', () => {
  it('share what is in force', async () => {
    const copy = await secondCopy();
    const override = put({ clock, random: longest, maxAttempts: 2 });
    expect(await copy.runWithRetry(busy)).toMatchObject({ attempts: 2, elapsedMs: 2_000 });
    expect([copy.systemClock.now(), copy.cryptoRandom(0, 9)]).toEqual([startAt + 2_000, 9]);
    override.restore();
    expect(copy.systemClock.now()).toBe(today);
  });

  it('keep a run on the clock that it began with, whichever copy the system clock that it was given is of', async () => {
    const copy = await secondCopy();
    const override = put({ clock });
    const task = ({ attempt }: { attempt: number }) => {
      if (attempt === 2) override.restore();
      return Promise.reject(new TransientFailure('503'));
    };
    const result = await runWithRetry(task, { maxAttempts: 3, jitter: 'none' }, { clock: copy.systemClock });
    expect(result).toMatchObject({ attempts: 3, elapsedMs: 6_000 });
  });

  it('nest and restore as one', async () => {
    const copy = await secondCopy();
    const outer = put({ clock, maxAttempts: 2 });
    const inner = copy.overrideDefaults({ random: longest });
    made.push(inner);
    expect(await runWithRetry(busy)).toMatchObject({ attempts: 2, elapsedMs: 2_000 });
    expect(() => outer.restore()).toThrow('a later one was still in force');
    inner.restore();
    expect(overrides().inForce).toBeUndefined();
  });

  it('may have each other put in force', async () => {
    const copy = await secondCopy();
    put({ clock: copy.systemClock, random: copy.cryptoRandom });
    expect([systemClock.now(), copy.systemClock.now()]).toEqual([today, today]);
    expect([cryptoRandom(3, 3), copy.cryptoRandom(3, 3)]).toEqual([3, 3]);
  });

  it('leave nothing but one property on the realm, which nobody lists or sets', () => {
    const key = Symbol.for('retry-policy.overrides');
    expect(Object.getOwnPropertyDescriptor(globalThis, key)).toEqual({
      value: overrides(),
      enumerable: false,
      writable: false,
      configurable: true,
    });
  });
});

describe('a realm that takes no new property', () => {
  const realm = globalThis;

  /** Calls in sight of a global object that has no overrides and takes none; this one is back when the call returns. */
  const inHardenedRealm = <R>(call: () => R): R => {
    const none = { [Symbol.for('retry-policy.overrides')]: { value: undefined } };
    const hardened = Object.freeze(Object.create(realm, none));
    Object.defineProperty(realm, 'globalThis', { value: hardened, configurable: true, writable: true, enumerable: false });
    try {
      return call();
    } finally {
      Object.defineProperty(realm, 'globalThis', { value: realm, configurable: true, writable: true, enumerable: false });
    }
  };

  it('has runs all the same', async () => {
    const copy = await secondCopy();
    const result = await inHardenedRealm(() => copy.runWithRetry(() => 'done'));
    expect(result).toMatchObject({ ok: true, value: 'done', attempts: 1 });
    expect(globalThis).toBe(realm);
  });

  it('has overrides for each copy alone', async () => {
    const copy = await secondCopy();
    const override = inHardenedRealm(() => copy.overrideDefaults({ clock, random: longest, maxAttempts: 3 }));
    expect(await copy.runWithRetry(busy)).toMatchObject({ attempts: 3, elapsedMs: 6_000 });
    expect([copy.systemClock.now(), systemClock.now()]).toEqual([startAt + 6_000, today]);
    put({ clock: frozenClock(1) });
    override.restore();
    expect([copy.systemClock.now(), systemClock.now()]).toEqual([today, 1]);
  });
});
