import { runInNewContext } from 'node:vm';
import { runWithRetry, TransientFailure } from 'retry-policy';
import { assertNoLeaks, fixedRandom, seededRandom, type VirtualClock, virtualClock } from 'retry-policy/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { countedSignal } from '../counted-signal.js';

const startAt = Date.UTC(2026, 0, 15, 1);
const manual = (): VirtualClock => virtualClock({ autoAdvance: false });

/** Lets real time have several turns. */
const turns = async (count = 5) => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** What a sleeper sees of the time when it wakes. */
const sleeper =
  (clock: VirtualClock, seen: unknown[]) =>
  async (ms: number, name: unknown = ms) => {
    await clock.sleep(ms);
    seen.push([name, clock.monotonicNow()]);
  };

afterEach(() => {
  vi.useRealTimers();
});

describe('the time it shows at first', () => {
  it.each([
    ['the epoch, unless it is told otherwise', undefined, 0],
    ['epoch milliseconds', { startAt }, startAt],
    ['a Date', { startAt: new Date(startAt) }, startAt],
    ['a Date of another realm', { startAt: runInNewContext(`new Date(${startAt})`) }, startAt],
    ['an instant before the epoch', { startAt: -1.5 }, -1.5],
    ['the epoch, where the option is undefined', { startAt: undefined, autoAdvance: undefined }, 0],
  ])('is %s', (_name, options, now) => {
    const clock = virtualClock(options);
    expect([clock.now(), clock.monotonicNow(), clock.pending]).toEqual([now, 0, []]);
  });

  it.each([
    [{ startAt: NaN }, RangeError, 'invalid clock options: startAt must be a finite number or a valid Date, got NaN'],
    [{ startAt: new Date(NaN) }, RangeError, 'invalid clock options: startAt must be a finite number or a valid Date, got NaN'],
    [{ startAt: '2026-01-15' }, TypeError, 'invalid clock options: startAt must be a finite number or a valid Date, got "2026-01-15"'],
    [{ startAt: null }, TypeError, 'invalid clock options: startAt must be a finite number or a valid Date, got null'],
    [{ autoAdvance: 1 }, TypeError, 'invalid clock options: autoAdvance must be a boolean, got 1'],
    [{ start: 0 }, TypeError, 'invalid clock options: unknown option start (did you mean startAt?)'],
    [
      { startAt: NaN, autoAdvance: 'no' },
      TypeError,
      'invalid clock options: startAt must be a finite number or a valid Date, got NaN; autoAdvance must be a boolean, got "no"',
    ],
  ])('cannot be %s', (options, Fault, message) => {
    expect(() => virtualClock(options as never)).toThrow(new Fault(message));
  });
});

describe('left alone, it', () => {
  it('jumps from one timer to the next, by due time, then by arrival', async () => {
    const clock = virtualClock();
    const seen: unknown[] = [];
    const sleep = sleeper(clock, seen);
    clock.schedule(20, () => seen.push(['timer', clock.monotonicNow()]));
    await Promise.all([sleep(30), sleep(20), sleep(10, 'first of two'), sleep(3_600_000), sleep(10, 'second of two')]);
    expect(seen).toEqual([
      ['first of two', 10],
      ['second of two', 10],
      ['timer', 20],
      [20, 20],
      [30, 30],
      [3_600_000, 3_600_000],
    ]);
    expect([clock.now(), clock.pending]).toEqual([3_600_000, []]);
  });

  it('waits until all promises have settled, however long their chain', async () => {
    const clock = virtualClock();
    const seen: unknown[] = [];
    const sleep = sleeper(clock, seen);
    const chain = (async () => {
      for (let i = 0; i < 10_000; i++) await undefined;
      await sleep(5);
    })();
    await Promise.all([sleep(10), chain]);
    expect(seen).toEqual([
      [5, 5],
      [10, 10],
    ]);
  });

  it('wakes no second timer before the first has had its say', async () => {
    const clock = virtualClock();
    const seen: string[] = [];
    const first = clock.sleep(10).then(async () => {
      for (let i = 0; i < 100; i++) await undefined;
      seen.push('first');
    });
    await Promise.all([first, clock.sleep(10).then(() => seen.push('second'))]);
    expect(seen).toEqual(['first', 'second']);
  });

  it.each([true, false])('lets work that takes some turns end before its time limit strikes (by itself: %s)', async (autoAdvance) => {
    const clock = virtualClock({ autoAdvance });
    const takesTurns = async () => {
      await turns(7);
      return 'done';
    };
    const run = runWithRetry(takesTurns, { attemptTimeoutMs: 1_000 }, { clock });
    await clock.advance(2_000);
    expect(await run).toMatchObject({ ok: true, value: 'done', attempts: 1 });
    assertNoLeaks(clock);
  });

  it('lets work that takes a turn or two end before a wait does', async () => {
    const clock = virtualClock();
    const seen: string[] = [];
    const work = turns(2).then(() => seen.push('work'));
    await Promise.all([clock.sleep(1_000).then(() => seen.push('wait')), work]);
    expect(seen).toEqual(['work', 'wait']);
  });

  it('begins to count those turns anew when somebody asks the clock for a wait, or wakes', async () => {
    const clock = virtualClock();
    clock.schedule(999, () => {}); // wakes before the limit
    const takesTurns = async () => {
      await turns(14);
      const cancel = clock.schedule(5_000, () => {});
      await turns(7);
      cancel();
      return 'done';
    };
    expect(await runWithRetry(takesTurns, { attemptTimeoutMs: 1_000 }, { clock })).toMatchObject({ ok: true, elapsedMs: 999 });
  });

  it('moves again when it stood idle', async () => {
    const clock = virtualClock();
    await clock.sleep(1_000);
    await turns(50);
    await clock.sleep(1_000);
    expect(clock.now()).toBe(2_000);
  });

  it('takes ten hours of waits and time limits without waiting', async () => {
    const clock = virtualClock({ startAt });
    const hangsAtTimes = ({ attempt }: { attempt: number }) =>
      attempt % 4 === 0 ? new Promise(() => {}) : Promise.reject(new TransientFailure('503'));
    const policy = { maxAttempts: 200, attemptTimeoutMs: 30_000, backoff: { baseMs: 175_000, capMs: 175_000 }, jitter: 'none' } as const;
    const result = await runWithRetry(hangsAtTimes, policy, { clock });
    const elapsedMs = 199 * 175_000 + 50 * 30_000;
    expect(result).toMatchObject({ ok: false, reason: 'attempts-exhausted', attempts: 200, elapsedMs });
    expect([clock.now() - startAt, elapsedMs > 10 * 3_600_000, clock.pending]).toEqual([elapsedMs, true, []]);
  });

  it('runs many runs in the same order each time', async () => {
    const digest = async () => {
      const clock = virtualClock();
      const random = seededRandom(42);
      const logs: string[] = [];
      const onDecision = (decision: object) => void logs.push(JSON.stringify({ ...decision, error: undefined }));
      const run = async (_: unknown, index: number) => {
        const task = async ({ attempt }: { attempt: number }) => {
          await clock.sleep(random(0, 500));
          if (attempt <= index % 4) throw new TransientFailure();
        };
        return (await runWithRetry(task, { attemptTimeoutMs: 400 }, { clock, random, onDecision })).attempts;
      };
      const attempts = await Promise.all(Array.from({ length: 100 }, run));
      expect(Math.max(...attempts)).toBeGreaterThan(2);
      return logs.join('\n');
    };
    expect(await digest()).toBe(await digest());
  });
});

describe('moved by hand, it', () => {
  it('stands still until it is told, whatever waits', async () => {
    const clock = manual();
    const seen: unknown[] = [];
    void sleeper(clock, seen)(1);
    await turns(50);
    expect([seen, clock.now()]).toEqual([[], 0]);
  });

  it('wakes what falls due, at its time, and what that leads to', async () => {
    const clock = manual();
    const seen: unknown[] = [];
    const sleep = sleeper(clock, seen);
    void sleep(10).then(() => sleep(10, 'and again'));
    void sleep(15);
    void sleep(31);
    await clock.advance(30);
    expect(seen).toEqual([
      [10, 10],
      [15, 15],
      ['and again', 20],
    ]);
    expect(clock.now()).toBe(30);
    await clock.advance(1);
    expect(seen.at(-1)).toEqual([31, 31]);
  });

  it('lets the attempts of a run happen at their times, told once for all of them', async () => {
    // jestjs/jest#11876: a clock that moves without letting promises settle never comes to the second wait
    const clock = manual();
    const startedAt: number[] = [];
    const busy = () => {
      startedAt.push(clock.now());
      return Promise.reject(new TransientFailure('busy'));
    };
    const run = runWithRetry(busy, { maxAttempts: 5, backoff: { baseMs: 1_000 }, jitter: 'none' }, { clock });
    await clock.advance(15_000);
    expect(startedAt).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
    expect((await run).attempts).toBe(5);
  });

  it('goes to an instant', async () => {
    const clock = virtualClock({ startAt, autoAdvance: false });
    const nap = clock.sleep(3_600_000);
    await clock.advanceTo(clock.pending[0]?.dueAt ?? 0);
    await nap;
    expect([clock.now(), clock.monotonicNow()]).toEqual([startAt + 3_600_000, 3_600_000]);
    await clock.advanceTo(new Date(startAt + 7_200_000));
    expect(clock.monotonicNow()).toBe(7_200_000);
  });

  it.each([0.1, 0.3, 1 / 3, 1e-9])('goes to the instant at which a wait of %d ms is due, in spite of the roundings', async (ms) => {
    const clock = virtualClock({ startAt, autoAdvance: false });
    const nap = clock.sleep(ms);
    await clock.advanceTo(clock.pending[0]?.dueAt ?? 0);
    await nap;
    expect(clock.pending).toEqual([]);
  });

  it('counts whole microseconds, so that parts of milliseconds add up', async () => {
    const clock = manual();
    for (let i = 0; i < 3; i++) await clock.advance(0.1);
    expect(clock.monotonicNow()).toBe(0.3);
  });

  it('does not go back', async () => {
    const clock = virtualClock({ startAt: 5_000, autoAdvance: false });
    const refused = new RangeError('at must be a finite number >= 5000, which is now, got 4999');
    await expect(clock.advanceTo(4_999)).rejects.toEqual(refused);
    await clock.advanceTo(5_000);
    expect(clock.now()).toBe(5_000);
  });

  it('does not go back either when it has moved on before its turn', async () => {
    const clock = manual();
    const [far, near] = [clock.advance(5_000), clock.advanceTo(3_000)];
    await expect(near).rejects.toThrow('at must be a finite number >= 5000, which is now, got 3000');
    await far;
    expect(clock.now()).toBe(5_000);
  });

  it('wakes by itself what is due already', async () => {
    const clock = manual();
    await clock.sleep(0);
    const result = await runWithRetry(
      ({ attempt }) => (attempt === 1 ? Promise.reject(new TransientFailure()) : 'ok'),
      {},
      { clock, random: fixedRandom(0) },
    );
    expect([result.ok, clock.now()]).toEqual([true, 0]);
  });

  it.each([true, false])('wakes what is due already in its next turn (by itself: %s)', async (autoAdvance) => {
    const clock = virtualClock({ autoAdvance });
    expect(await Promise.race([clock.sleep(0).then(() => 'slept'), turns(2).then(() => 'two turns')])).toBe('slept');
  });

  it('adds up advances that are under way together', async () => {
    const clock = manual();
    const seen: unknown[] = [];
    void sleeper(clock, seen)(15);
    const seenAtEnds = await Promise.all([clock.advance(10).then(() => clock.now()), clock.advance(10).then(() => clock.now())]);
    expect([seenAtEnds, seen]).toEqual([[10, 20], [[15, 15]]]);
  });

  it('can be moved by a task that it has woken', async () => {
    const clock = manual();
    const task = clock.sleep(10).then(() => clock.advance(500));
    await clock.advance(10);
    await task;
    expect(clock.now()).toBe(510);
  });

  it('can be moved while it moves by itself, and shows the time that it was moved to', async () => {
    const clock = virtualClock();
    const nap = clock.sleep(1_000);
    await clock.advance(400);
    expect(clock.now()).toBe(400);
    await nap;
    expect(clock.now()).toBe(1_000);
  });

  it.each([-1, NaN, Infinity])('cannot be moved by %d ms', async (ms) => {
    const clock = manual();
    const refused = new RangeError(`ms must be a finite number >= 0, got ${ms}`);
    await expect(clock.advance(ms)).rejects.toEqual(refused);
    await expect(clock.suspend(ms)).rejects.toEqual(refused);
    await expect(clock.sleep(ms)).rejects.toEqual(refused);
    expect(() => clock.schedule(ms, () => {})).toThrow(refused);
    await expect(clock.advanceTo(ms)).rejects.toThrow(RangeError);
    expect([clock.now(), clock.pending]).toEqual([0, []]);
  });
});

describe('a machine that sleeps', () => {
  it('passes time at once, then wakes late what fell due, in order', async () => {
    const clock = manual();
    const seen: unknown[] = [];
    const sleep = sleeper(clock, seen);
    void sleep(20);
    void sleep(10);
    void sleep(3_600_001);
    const suspended = clock.suspend(3_600_000);
    expect([clock.now(), clock.monotonicNow(), seen]).toEqual([3_600_000, 3_600_000, []]);
    await suspended;
    expect(seen).toEqual([
      [10, 3_600_000],
      [20, 3_600_000],
    ]);
    expect(clock.pending).toEqual([{ dueAt: 3_600_001, kind: 'sleep' }]);
  });

  it('ends a run whose budget has passed meanwhile, and does not call the task again', async () => {
    const clock = manual();
    const task = vi.fn(() => Promise.reject(new TransientFailure('503')));
    const run = runWithRetry(task, { totalBudgetMs: 60_000 }, { clock, random: fixedRandom(Infinity) });
    await turns();
    await clock.suspend(3_600_000);
    expect(await run).toMatchObject({ ok: false, reason: 'budget-exhausted', attempts: 1, elapsedMs: 3_600_000 });
    expect(task).toHaveBeenCalledTimes(1);
  });
});

describe('a jump of the wall clock', () => {
  it.each([3_600_000, -3_600_000])('of %d ms moves the date, and nothing that is measured or waits', async (ms) => {
    const clock = virtualClock({ startAt, autoAdvance: false });
    const nap = clock.sleep(1_000).then(() => clock.monotonicNow());
    clock.jumpWallClock(ms);
    expect([clock.now(), clock.monotonicNow()]).toEqual([startAt + ms, 0]);
    expect(clock.pending).toEqual([{ dueAt: startAt + ms + 1_000, kind: 'sleep' }]);
    await clock.advance(1_000);
    expect(await nap).toBe(1_000);
  });

  it('changes no decision of a run', async () => {
    const decisions = async (jumpMs: number) => {
      const clock = virtualClock({ autoAdvance: false });
      const busy = () => Promise.reject(new TransientFailure());
      const run = runWithRetry(busy, { totalBudgetMs: 5_000, backoff: { baseMs: 1_000 } }, { clock, random: fixedRandom(Infinity) });
      await clock.advance(500);
      clock.jumpWallClock(jumpMs);
      await clock.advance(10_000);
      return (await run).log.map(({ action, elapsedMs }) => [action, elapsedMs]);
    };
    expect(await decisions(7_200_000)).toEqual(await decisions(0));
  });

  it.each([NaN, Infinity, -Infinity])('cannot be %d ms', (ms) => {
    expect(() => manual().jumpWallClock(ms)).toThrow(new RangeError(`ms must be a finite number, got ${ms}`));
  });
});

describe('what waits', () => {
  it('is told by due time, then by arrival, with its kind', () => {
    const clock = virtualClock({ startAt: 100, autoAdvance: false });
    void clock.sleep(20);
    clock.schedule(10, () => {});
    void clock.sleep(10);
    expect(clock.pending).toEqual([
      { dueAt: 110, kind: 'timer' },
      { dueAt: 110, kind: 'sleep' },
      { dueAt: 120, kind: 'sleep' },
    ]);
  });

  it('is told no more once it is cancelled, and does not call back', async () => {
    const clock = manual();
    const callback = vi.fn();
    const cancel = clock.schedule(10, callback);
    cancel();
    cancel();
    expect(clock.pending).toEqual([]);
    await clock.advance(20);
    expect(callback).not.toHaveBeenCalled();
  });

  it('stays when a timer is cancelled that has gone off', async () => {
    const clock = manual();
    const cancel = clock.schedule(10, () => {});
    await clock.advance(10);
    void clock.sleep(10);
    cancel();
    expect(clock.pending).toEqual([{ dueAt: 20, kind: 'sleep' }]);
  });

  it('ends with the reason of an abort, and leaves neither timer nor listener', async () => {
    const clock = manual();
    const { signal, counts } = countedSignal();
    const nap = clock.sleep(1_000, signal);
    const reason = new Error('the user left');
    counts.abort(reason);
    await expect(nap).rejects.toBe(reason);
    expect([clock.pending, counts.added, counts.listeners]).toEqual([[], 1, []]);
    await expect(clock.sleep(0, signal)).rejects.toBe(reason);
    expect(clock.pending).toEqual([]);
  });

  it('leaves no listener when it ends by itself', async () => {
    const { signal, counts } = countedSignal();
    await virtualClock().sleep(1_000, signal);
    expect([counts.added, counts.listeners]).toEqual([1, []]);
  });

  it('must have something to call', () => {
    expect(() => manual().schedule(1, undefined as never)).toThrow(new TypeError('callback must be a function, got undefined'));
  });

  it('hands what its callback throws to whoever moves the clock, which goes on', async () => {
    const clock = manual();
    clock.schedule(10, () => {
      throw new Error('boom');
    });
    const nap = clock.sleep(20);
    await expect(clock.advance(30)).rejects.toThrow('boom');
    expect(clock.now()).toBe(10);
    await clock.advance(10);
    await nap;
  });
});

it('works with its members taken off it', async () => {
  const { now, monotonicNow, sleep, schedule, advance, advanceTo, jumpWallClock, suspend } = manual();
  const callback = vi.fn();
  schedule(1, callback);
  const nap = sleep(2);
  await advance(1);
  await suspend(1);
  await nap;
  jumpWallClock(3);
  await advanceTo(6);
  expect([now(), monotonicNow(), callback.mock.calls.length]).toEqual([6, 3, 1]);
});

describe('under fake timers', () => {
  const hour = { backoff: { baseMs: 3_600_000, capMs: 3_600_000 }, jitter: 'none', attemptTimeoutMs: 60_000 } as const;
  const healsLate = ({ attempt }: { attempt: number }) => (attempt < 3 ? new Promise<string>(() => {}) : 'healed');

  it.each([[undefined], [['setTimeout', 'setInterval', 'setImmediate', 'Date', 'performance', 'queueMicrotask'] as const]])(
    'that fake %s it keeps working, whether it moves by itself or by hand',
    async (toFake) => {
      vi.useFakeTimers(toFake && { toFake: [...toFake] });
      const byItself = virtualClock();
      expect(await runWithRetry(healsLate, hour, { clock: byItself })).toMatchObject({ ok: true, attempts: 3, elapsedMs: 7_320_000 });
      const byHand = manual();
      const run = runWithRetry(healsLate, hour, { clock: byHand });
      await byHand.advance(7_320_000);
      expect(await run).toMatchObject({ ok: true, attempts: 3, elapsedMs: 7_320_000 });
    },
  );
});
