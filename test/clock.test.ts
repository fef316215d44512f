import { systemClock } from 'retry-policy';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

type HostTimer = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => unknown;

/** Stands between the clock and the host's `setTimeout`. */
const interceptTimeouts = (intercept: (host: HostTimer) => HostTimer) =>
  vi.stubGlobal('setTimeout', intercept(setTimeout as unknown as HostTimer));

const LONGEST_HOST_TIMER_MS = 2_147_483_647;
// immers-space/activitypub-express#43: a delay beyond what a host timer holds became 1 ms.
const durations = [1, 60_000, 2_147_483_646, 2_147_483_647, 2_147_483_648, 3_000_000_000, 4_294_967_295, 9_986_935_433];
const outOfRange = [-1, -Number.MIN_VALUE, NaN, Infinity, -Infinity];
const noNumbers = [undefined, null, '5', {}];

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.unstubAllGlobals(); // first, since some stand before the fake timers
  vi.useRealTimers();
});

describe.each([
  ['sleep', (ms: number, done: () => void) => void systemClock.sleep(ms).then(done)],
  ['sleep with a signal', (ms: number, done: () => void) => void systemClock.sleep(ms, new AbortController().signal).then(done)],
  ['schedule', (ms: number, done: () => void) => void systemClock.schedule(ms, done)],
])('%s', (_name, start) => {
  it.each(durations)('of %d ms ends when they have passed, and no millisecond before', async (ms) => {
    const done = vi.fn();
    start(ms, done);
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('asks the host only for whole milliseconds that it can hold', async () => {
    const asked: unknown[] = [];
    interceptTimeouts((host) => (callback, ms, ...args) => {
      asked.push(ms);
      return host(callback, ms, ...args);
    });
    const done = vi.fn();
    start(0.2, done);
    start(5.5, done);
    start(9_986_935_433, done);
    await vi.advanceTimersByTimeAsync(9_986_935_433);
    expect(done).toHaveBeenCalledTimes(3);
    expect(asked.slice(0, 3)).toEqual([1, 6, LONGEST_HOST_TIMER_MS]);
    for (const ms of asked) expect(ms).toSatisfy((n: number) => Number.isInteger(n) && n >= 0 && n <= LONGEST_HOST_TIMER_MS);
  });

  it('waits on for the longest number there is', async () => {
    const done = vi.fn();
    start(Number.MAX_VALUE, done);
    await vi.advanceTimersByTimeAsync(10_000_000_000);
    expect(done).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(1);
  });

  it.each([10, 1_000, 3_000_000_000])('of %d ms holds on where the host wakes it early', async (ms) => {
    interceptTimeouts(
      (host) =>
        (callback, asked, ...args) =>
          host(callback, Math.ceil(Number(asked) / 2), ...args),
    );
    const done = vi.fn();
    start(ms, done);
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveBeenCalledOnce();
  });

  it('holds on where the host wakes it a fraction of a millisecond early', async () => {
    const done = vi.fn();
    start(10, done);
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 9.9);
    await vi.advanceTimersByTimeAsync(10);
    expect(done).not.toHaveBeenCalled();
    now.mockRestore();
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveBeenCalledOnce();
  });

  it('measures on the monotonic clock, whatever the wall clock does', async () => {
    const done = vi.fn();
    start(1_000, done);
    vi.setSystemTime(Date.now() + 3_600_000);
    await vi.advanceTimersByTimeAsync(999);
    expect(done).not.toHaveBeenCalled();
    vi.setSystemTime(Date.now() - 7_200_000);
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveBeenCalledOnce();
  });

  // sindresorhus/p-retry#49: timers that are read at import cannot be faked.
  it('takes the host’s timers of the moment, not those of the import', async () => {
    const replaced = vi.fn();
    interceptTimeouts(() => replaced);
    start(5, vi.fn());
    expect(replaced).toHaveBeenCalledOnce();
  });
});

describe('arguments of sleep and schedule', () => {
  it.each(outOfRange)('refuse %d with a RangeError, and start no timer', async (ms) => {
    const fault = new RangeError(`ms must be a finite number >= 0, got ${ms}`);
    await expect(systemClock.sleep(ms)).rejects.toThrow(fault);
    await expect(systemClock.sleep(ms, new AbortController().signal)).rejects.toThrow(fault);
    expect(() => systemClock.schedule(ms, () => {})).toThrow(fault);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each(noNumbers)('refuse %j with a TypeError, and start no timer', async (ms) => {
    await expect(systemClock.sleep(ms as never)).rejects.toThrow(TypeError);
    expect(() => systemClock.schedule(ms as never, () => {})).toThrow(TypeError);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([null, {}, 'signal', 5])('refuse %j in the place of a signal, and leave no timer that would fail later', async (signal) => {
    for (const ms of [0, 5]) await expect(systemClock.sleep(ms, signal as never)).rejects.toThrow(TypeError);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a timer', () => {
  it('that is cancelled never fires, and leaves nothing behind', async () => {
    const callback = vi.fn();
    const cancels = [0, 5, 3_000_000_000].map((ms) => systemClock.schedule(ms, callback));
    expect(vi.getTimerCount()).toBe(3);
    for (const cancel of cancels) cancel();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(3_000_000_000);
    expect(callback).not.toHaveBeenCalled();
  });

  it('is cancelled as well in a later slice', async () => {
    const callback = vi.fn();
    const cancel = systemClock.schedule(9_986_935_433, callback);
    await vi.advanceTimersByTimeAsync(5_000_000_000);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(9_986_935_433);
    expect(callback).not.toHaveBeenCalled();
  });

  it('may be cancelled after it has fired, and twice', async () => {
    const callback = vi.fn();
    const cancel = systemClock.schedule(5, callback);
    await vi.advanceTimersByTimeAsync(5);
    cancel();
    cancel();
    expect(callback).toHaveBeenCalledOnce();
  });

  it('of 0 ms does not fire within the call', () => {
    const callback = vi.fn();
    systemClock.schedule(0, callback);
    expect(callback).not.toHaveBeenCalled();
  });
});

describe('a sleep of 0 ms', () => {
  const immediately = (callback: () => void) => setImmediate(callback);
  const soon = (callback: () => void) => setTimeout(callback, 0);

  it.each([
    ['setImmediate', immediately],
    ['setTimeout, where the host has no setImmediate', soon],
  ])('lets other work have its turn: %s', async (name, queue) => {
    vi.useRealTimers();
    if (name !== 'setImmediate') vi.stubGlobal('setImmediate', undefined);
    for (const signal of [undefined, new AbortController().signal]) {
      const turned = vi.fn();
      queue(turned);
      await systemClock.sleep(0, signal);
      expect(turned).toHaveBeenCalledOnce();
    }
  });

  it('does without setTimeout where the host has setImmediate', async () => {
    const timeout = vi.fn();
    interceptTimeouts(() => timeout);
    const slept = Promise.all([systemClock.sleep(0), systemClock.sleep(0, new AbortController().signal)]);
    await vi.runAllTimersAsync();
    await slept;
    expect(timeout).not.toHaveBeenCalled();
  });
});
