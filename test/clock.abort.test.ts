import { systemClock } from 'retry-policy';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countedSignal } from './counted-signal.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('an abort', () => {
  const reasons = [
    ['an error', new Error('shutting down')],
    ['a text', 'shutting down'],
    ['null', null],
    ['0', 0],
  ] as const;

  describe.each([0, 60_000, 9_986_935_433])('of a sleep of %d ms', (ms) => {
    it.each(reasons)('before it rejects with the very reason, and starts nothing: %s', async (_name, reason) => {
      const { counts, signal } = countedSignal();
      counts.abort(reason);
      await expect(systemClock.sleep(ms, signal)).rejects.toBe(reason);
      expect(vi.getTimerCount()).toBe(0);
      expect(counts.added).toBe(0);
    });

    // openai/openai-node#2580: an abort was noticed only when the whole delay had passed.
    it.each(reasons)('during it rejects at once with the very reason, and leaves nothing: %s', async (_name, reason) => {
      const { counts, signal } = countedSignal();
      const slept = systemClock.sleep(ms, signal);
      expect([vi.getTimerCount(), counts.listeners.length]).toEqual([1, 1]);
      counts.abort(reason);
      expect([vi.getTimerCount(), counts.listeners.length]).toEqual([0, 0]);
      await expect(slept).rejects.toBe(reason);
    });

    it('after it changes nothing, and no listener waits for it', async () => {
      const { counts, signal } = countedSignal();
      const slept = systemClock.sleep(ms, signal);
      await vi.advanceTimersByTimeAsync(ms);
      expect([vi.getTimerCount(), counts.added, counts.listeners.length]).toEqual([0, 1, 0]);
      counts.abort(new Error('too late'));
      await expect(slept).resolves.toBeUndefined();
    });

    it('without a reason rejects with an AbortError', async () => {
      const { counts, signal } = countedSignal();
      const slept = systemClock.sleep(ms, signal);
      counts.abort();
      await expect(slept).rejects.toMatchObject({ name: 'AbortError' });
      await expect(systemClock.sleep(ms, signal)).rejects.toMatchObject({ name: 'AbortError' });
    });
  });

  it('ends a sleep in a later slice too', async () => {
    const controller = new AbortController();
    const slept = systemClock.sleep(9_986_935_433, controller.signal);
    await vi.advanceTimersByTimeAsync(5_000_000_000);
    controller.abort('stop');
    expect(vi.getTimerCount()).toBe(0);
    await expect(slept).rejects.toBe('stop');
  });

  it('ends all sleeps on one signal, which share one listener', async () => {
    const { counts, signal } = countedSignal();
    const ends = Promise.allSettled(Array.from({ length: 1_000 }, (_, i) => systemClock.sleep(i, signal)));
    expect(counts.added).toBe(1);
    counts.abort('stop');
    expect([vi.getTimerCount(), counts.listeners.length]).toEqual([0, 0]);
    expect(new Set((await ends).map((end) => (end.status === 'rejected' ? end.reason : end.status)))).toEqual(new Set(['stop']));
  });

  // connor4312/cockatiel#81
  it('finds no listener after a thousand sleeps, one after the other', async () => {
    const { counts, signal } = countedSignal();
    for (let i = 0; i < 1_000; i++) {
      const slept = systemClock.sleep(5, signal);
      expect(counts.listeners.length).toBe(1);
      await vi.advanceTimersByTimeAsync(5);
      await slept;
    }
    expect(counts.listeners).toHaveLength(0);
  });
});
