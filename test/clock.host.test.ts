import { createSystemClock, systemClock } from 'retry-policy';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

type HostTimer = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => unknown;

/** Stands between the clock and the host's `setTimeout`. */
const interceptTimeouts = (intercept: (host: HostTimer) => HostTimer) =>
  vi.stubGlobal('setTimeout', intercept(setTimeout as unknown as HostTimer));

/** Module state begins anew, so that what the host offers can be changed before the first use; no other file gets this copy. */
const freshClock = async () => {
  vi.resetModules();
  const fresh = await import('../src/system-clock.js');
  vi.resetModules();
  return fresh.createSystemClock();
};

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.unstubAllGlobals(); // first, since some stand before the fake timers
  vi.useRealTimers();
});

describe('mocked timers', () => {
  it('that move Date but not performance, as those of node:test, end waits and limits when they say so', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const done = vi.fn();
    void systemClock.sleep(60_000).then(done);
    systemClock.schedule(60_000, done);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveBeenCalledTimes(2);
  });
});

it('asks the host for nothing but a callback and a delay, so that a stub of two arguments will do', async () => {
  vi.useFakeTimers();
  const host = globalThis.setTimeout;
  vi.stubGlobal('setTimeout', (callback: () => void, ms: number) => host(callback, ms));
  const done = vi.fn();
  void systemClock.sleep(20).then(done);
  await vi.advanceTimersByTimeAsync(20);
  expect(done).toHaveBeenCalledOnce();
});

describe('unref', () => {
  /** Starts one of each kind of wait, a sliced one among them, and answers how many timers were started and how many let go. */
  const letGoBy = (clock: typeof systemClock) => {
    const count = { started: 0, letGo: 0 };
    const observed = (host: HostTimer): HostTimer => {
      return (...args) => {
        const handle = host(...args) as NodeJS.Timeout;
        count.started++;
        vi.spyOn(handle, 'unref').mockImplementation(() => {
          count.letGo++;
          vi.spyOn(handle, 'hasRef').mockReturnValue(false);
          return handle;
        });
        return handle;
      };
    };
    interceptTimeouts(observed);
    vi.stubGlobal('setImmediate', observed(setImmediate as unknown as HostTimer));
    void clock.sleep(0);
    void clock.sleep(5);
    void clock.sleep(5, new AbortController().signal);
    clock.schedule(0, () => {});
    clock.schedule(3_000_000_000, () => {});
    vi.advanceTimersByTime(3_000_000_000);
    return count;
  };

  // tim-kos/node-retry#26: who lets go by default drops work that is owed.
  it.each([
    ['systemClock', systemClock],
    ['createSystemClock()', createSystemClock()],
    ['unref: false', createSystemClock({ unref: false })],
    ['unref: undefined', createSystemClock({ unref: undefined })],
  ])('is not done by default: %s', (_name, clock) => {
    expect(letGoBy(clock)).toEqual({ started: 6, letGo: 0 });
  });

  it('is done to every timer of a clock that was made for it, each slice included', () => {
    expect(letGoBy(createSystemClock({ unref: true }))).toEqual({ started: 6, letGo: 6 });
  });

  it('does no harm where handles are numbers', () => {
    vi.stubGlobal('setTimeout', () => 17);
    vi.stubGlobal('setImmediate', undefined);
    const clock = createSystemClock({ unref: true });
    expect(() => clock.schedule(5, () => {})).not.toThrow();
    void clock.sleep(0);
  });

  it.each([null, 'yes', 1])('takes a boolean only: %j', (unref) => {
    expect(() => createSystemClock({ unref } as never)).toThrow(TypeError);
    expect(() => createSystemClock({ unref } as never)).toThrow(/^unref must be a boolean, got /);
  });

  it('is the only option', () => {
    expect(() => createSystemClock({ unreff: true } as never)).toThrow(/unknown option unreff/);
  });
});

describe('the readings', () => {
  it('now is the wall clock', () => {
    vi.setSystemTime(Date.UTC(2026, 0, 15, 1));
    expect(systemClock.now()).toBe(1_768_438_800_000);
  });

  it('monotonicNow runs with time, and not with the wall clock', () => {
    const startedAt = systemClock.monotonicNow();
    vi.advanceTimersByTime(250);
    expect(systemClock.monotonicNow() - startedAt).toBeCloseTo(250, 6);
    for (const at of [Date.now() + 3_600_000, Date.now() - 7_200_000]) {
      vi.setSystemTime(at);
      expect(systemClock.monotonicNow() - startedAt).toBeCloseTo(250, 6);
    }
  });

  it('monotonicNow never goes back where the host has no performance', async () => {
    vi.stubGlobal('performance', undefined);
    const clock = await freshClock();
    vi.setSystemTime(10_000);
    const startedAt = clock.monotonicNow();
    const laps = [10_250, 4_000, 10_250, 10_300].map((at) => {
      vi.setSystemTime(at);
      return clock.monotonicNow() - startedAt;
    });
    expect(laps).toEqual([250, 250, 250, 300]);
  });

  it('waits as long as asked where the host has no performance', async () => {
    vi.stubGlobal('performance', undefined);
    const clock = await freshClock();
    const done = vi.fn();
    void clock.sleep(3_000_000_000).then(done);
    await vi.advanceTimersByTimeAsync(2_999_999_999);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveBeenCalledOnce();
  });

  it('belong to a clock that cannot be changed', () => {
    expect(Object.isFrozen(systemClock)).toBe(true);
    expect(Object.isFrozen(createSystemClock())).toBe(true);
  });
});

describe('on the host’s own timers', () => {
  beforeEach(() => {
    vi.useRealTimers();
  });

  it.each([0, 0.3, 1, 5])('a sleep of %d ms lasts at least as long on monotonicNow', async (ms) => {
    const startedAt = systemClock.monotonicNow();
    await systemClock.sleep(ms);
    await systemClock.sleep(ms, new AbortController().signal);
    expect(systemClock.monotonicNow() - startedAt).toBeGreaterThanOrEqual(2 * ms);
  });

  it('a timer fires, and a cancelled one does not', async () => {
    const cancelled = vi.fn();
    systemClock.schedule(1, cancelled)();
    await new Promise<void>((resolve) => systemClock.schedule(5, resolve));
    expect(cancelled).not.toHaveBeenCalled();
  });

  it('an abort ends a sleep of an hour', async () => {
    const controller = new AbortController();
    const slept = systemClock.sleep(3_600_000, controller.signal);
    systemClock.schedule(1, () => controller.abort('stop'));
    await expect(slept).rejects.toBe('stop');
  });
});
