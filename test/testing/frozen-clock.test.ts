import type { Clock } from 'retry-policy';
import { frozenClock } from 'retry-policy/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';

const startAt = Date.UTC(2026, 0, 15, 1);

/** Lets promises settle, and nothing else. */
const drainPromises = async () => {
  for (let i = 0; i < 50; i++) await Promise.resolve();
};

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('the time it shows', () => {
  it.each([
    ['epoch milliseconds', startAt, startAt],
    ['a Date', new Date(startAt), startAt],
    ['the epoch', 0, 0],
    ['an instant before the epoch', -1.5, -1.5],
  ])('is that of %s', (_name, at, now) => {
    expect(frozenClock(at).now()).toBe(now);
  });

  it('stands still through waits of hours, on both clocks', async () => {
    const clock = frozenClock(startAt);
    const before = [clock.now(), clock.monotonicNow()];
    await clock.sleep(3_600_000);
    await clock.sleep(Number.MAX_VALUE);
    expect([clock.now(), clock.monotonicNow()]).toEqual(before);
    expect(clock.monotonicNow()).toSatisfy(Number.isFinite);
  });

  it('stays when the Date that it was made of is changed', () => {
    const at = new Date(startAt);
    const clock = frozenClock(at);
    at.setTime(0);
    expect(clock.now()).toBe(startAt);
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(frozenClock(0))).toBe(true);
  });

  it.each([NaN, Infinity, -Infinity, new Date(NaN)])('cannot be %s', (at) => {
    expect(() => frozenClock(at)).toThrow(RangeError);
    expect(() => frozenClock(at)).toThrow(/^at must be a finite number or a valid Date, got /);
  });

  it.each([undefined, null, '2026-01-15', {}])('cannot be what is neither number nor Date: %s', (at) => {
    expect(() => frozenClock(at as never)).toThrow(TypeError);
  });
});

describe('a wait', () => {
  it.each([0, 1, 3_600_000])('of %d ms lets other work have its turn', async (ms) => {
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    await frozenClock(0).sleep(ms);
    expect(turned).toBe(true);
  });

  it('resolves to nothing', async () => {
    expect(await frozenClock(0).sleep(5)).toBeUndefined();
  });

  it('is not held up by fake timers that are put in place after the import', async () => {
    const clock = frozenClock(0);
    vi.useFakeTimers();
    await clock.sleep(1_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('takes its turn where the host has no setImmediate, and holds the process for no longer', async () => {
    const holds: (() => boolean)[] = [];
    class ObservedChannel extends MessageChannel {
      constructor() {
        super();
        holds.push(() => (this.port1 as MessagePort & { hasRef(): boolean }).hasRef());
      }
    }
    vi.stubGlobal('setImmediate', undefined);
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    vi.stubGlobal('MessageChannel', ObservedChannel);
    vi.resetModules();
    const clock: Clock = (await import('../../src/testing/frozen-clock.js')).frozenClock(0);
    vi.resetModules(); // no other file gets this copy
    const isHeld = () => holds.map((holds) => holds());
    expect(isHeld()).toEqual([false]);
    let slept = false;
    const sleep = clock.sleep(1_000).then(() => {
      slept = true;
    });
    await drainPromises();
    expect([slept, isHeld()]).toEqual([false, [true]]);
    await sleep;
    expect(isHeld()).toEqual([false]);
  });

  it.each([-1, NaN, Infinity])('of %d ms is a RangeError', async (ms) => {
    await expect(frozenClock(0).sleep(ms)).rejects.toThrow(new RangeError(`ms must be a finite number >= 0, got ${ms}`));
  });

  it.each([undefined, null, '5'])('of %j is a TypeError, as a rejection', async (ms) => {
    await expect(frozenClock(0).sleep(ms as never)).rejects.toThrow(TypeError);
  });
});

describe('an abort', () => {
  const reason = new Error('shutting down');

  it('before the wait rejects with the very reason, in the same turn', async () => {
    const caught = vi.fn();
    frozenClock(0).sleep(1_000, AbortSignal.abort(reason)).catch(caught);
    await drainPromises();
    expect(caught.mock.calls).toEqual([[reason]]);
    expect(caught.mock.calls[0]?.[0]).toBe(reason);
  });

  it('during the wait rejects with the very reason', async () => {
    const controller = new AbortController();
    const sleep = frozenClock(0).sleep(1_000, controller.signal);
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
  });

  it('after the wait changes nothing', async () => {
    const controller = new AbortController();
    const sleep = frozenClock(0).sleep(1_000, controller.signal);
    await sleep;
    controller.abort(reason);
    await expect(sleep).resolves.toBeUndefined();
  });

  it('without a reason rejects with an AbortError', async () => {
    const signal = { aborted: true, reason: undefined } as AbortSignal;
    await expect(frozenClock(0).sleep(1_000, signal)).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    await frozenClock(0).sleep(1_000, signal);
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
  });
});

describe('a scheduled timer', () => {
  it('never fires, and can be cancelled', async () => {
    const callback = vi.fn();
    const clock = frozenClock(0);
    const cancel = clock.schedule(0, callback);
    clock.schedule(5, callback);
    await clock.sleep(1_000);
    await new Promise((resolve) => setTimeout(resolve, 10));
    cancel();
    expect(callback).not.toHaveBeenCalled();
  });

  it.each([-1, NaN, Infinity])('of %d ms is a RangeError', (ms) => {
    expect(() => frozenClock(0).schedule(ms, () => {})).toThrow(new RangeError(`ms must be a finite number >= 0, got ${ms}`));
  });

  it.each([undefined, null, '5'])('of %j is a TypeError', (ms) => {
    expect(() => frozenClock(0).schedule(ms as never, () => {})).toThrow(TypeError);
  });
});
