import { describe, expect, it, vi } from 'vitest';
import { abortReason, onAbort, SignalWatch } from '../src/abort.js';
import { countedSignal } from './counted-signal.js';

describe('onAbort', () => {
  it('calls back once when the signal aborts, and not before', () => {
    const controller = new AbortController();
    const callback = vi.fn();
    onAbort(controller.signal, callback);
    expect(callback).not.toHaveBeenCalled();
    controller.abort();
    expect(callback).toHaveBeenCalledOnce();
  });

  it('does not call back one that was taken off, and does call the others in their order', () => {
    const controller = new AbortController();
    const called: string[] = [];
    onAbort(controller.signal, () => called.push('first'));
    const takeOff = onAbort(controller.signal, () => called.push('second'));
    onAbort(controller.signal, () => called.push('third'));
    takeOff();
    controller.abort();
    expect(called).toEqual(['first', 'third']);
  });

  // connor4312/cockatiel#81: after about eleven attempts the runtime warned of a leak.
  it('has one listener for many callbacks', () => {
    const { counts, signal } = countedSignal();
    const callbacks = Array.from({ length: 1_000 }, () => vi.fn());
    for (const callback of callbacks) onAbort(signal, callback);
    expect(counts.added).toBe(1);
    counts.abort();
    for (const callback of callbacks) expect(callback).toHaveBeenCalledOnce();
  });

  it('removes the listener with the last callback, in whichever order they leave', () => {
    const { counts, signal } = countedSignal();
    const [first, second, third] = [() => {}, () => {}, () => {}].map((callback) => onAbort(signal, callback));
    second?.();
    first?.();
    expect(counts.listeners).toHaveLength(1);
    third?.();
    expect(counts.listeners).toHaveLength(0);
  });

  it('listens again for a callback that comes after the last one left', () => {
    const { counts, signal } = countedSignal();
    const callback = vi.fn();
    onAbort(signal, () => {})();
    const takeOff = onAbort(signal, callback);
    expect(counts.listeners).toHaveLength(1);
    counts.abort();
    expect(callback).toHaveBeenCalledOnce();
    takeOff();
    expect(counts.listeners).toHaveLength(0);
  });

  it('takes a callback off once, however often it is asked to', () => {
    const { counts, signal } = countedSignal();
    const takeOff = onAbort(signal, () => {});
    takeOff();
    const callback = vi.fn();
    onAbort(signal, callback);
    takeOff();
    onAbort(signal, callback);
    expect(counts.listeners).toHaveLength(1); // and not a second one beside a subscription that was forgotten
    counts.abort();
    expect(callback).toHaveBeenCalledOnce();
  });

  it('keeps the callbacks of two signals apart', () => {
    const [one, other] = [countedSignal(), countedSignal()];
    const [callback, bystander] = [vi.fn(), vi.fn()];
    onAbort(one.signal, callback);
    const takeOff = onAbort(other.signal, bystander);
    one.counts.abort();
    expect(callback).toHaveBeenCalledOnce();
    expect(bystander).not.toHaveBeenCalled();
    takeOff();
    expect([one.counts.listeners.length, other.counts.listeners.length]).toEqual([1, 0]);
  });

  it('calls every callback although each leaves during the event', () => {
    const { counts, signal } = countedSignal();
    const called: number[] = [];
    for (let i = 0; i < 5; i++) {
      const takeOff = onAbort(signal, () => {
        takeOff();
        called.push(i);
      });
    }
    counts.abort();
    expect(called).toEqual([0, 1, 2, 3, 4]);
    expect(counts.listeners).toHaveLength(0);
  });

  it('does not call one that an earlier one took off during the event', () => {
    const { counts, signal } = countedSignal();
    const late = vi.fn();
    const takeOffs: (() => void)[] = [];
    onAbort(signal, () => takeOffs[0]?.());
    takeOffs.push(onAbort(signal, late));
    counts.abort();
    expect(late).not.toHaveBeenCalled();
  });

  it('leaves nothing behind after a thousand callbacks that come and go on one signal', () => {
    const { counts, signal } = countedSignal();
    for (let run = 0; run < 1_000; run++) {
      const takeOffs = [onAbort(signal, () => {}), onAbort(signal, () => {})];
      expect(counts.listeners.length).toBe(1);
      for (const takeOff of takeOffs) takeOff();
    }
    expect(counts.listeners).toHaveLength(0);
  });
});

describe('abortReason', () => {
  it.each([
    ['an error', new Error('shutting down')],
    ['a text', 'shutting down'],
    ['null', null],
    ['0', 0],
    ['false', false],
  ])('is the very reason that was given: %s', (_name, reason) => {
    expect(abortReason(AbortSignal.abort(reason))).toBe(reason);
  });

  it('is the platform’s own AbortError where the caller gave none', () => {
    const signal = AbortSignal.abort();
    expect(abortReason(signal)).toBe(signal.reason);
    expect(abortReason(signal)).toMatchObject({ name: 'AbortError' });
  });

  it('is an AbortError where the platform gives no reason', () => {
    const { counts, signal } = countedSignal();
    counts.abort();
    const reason = abortReason(signal);
    expect(reason).toBeInstanceOf(Error);
    expect(reason).toMatchObject({ name: 'AbortError', message: expect.stringMatching(/abort/) });
  });
});

describe('a watch on the signal of a run', () => {
  it('ends what the run waits for at the moment, with the very reason', () => {
    const { counts, signal } = countedSignal();
    const watch = new SignalWatch(signal);
    const [earlier, current] = [vi.fn(), vi.fn()];
    watch.interrupt = earlier;
    watch.interrupt = current;
    expect(watch.aborted).toBe(false);
    counts.abort('shutting down');
    expect(earlier).not.toHaveBeenCalled();
    expect(current.mock.calls).toEqual([['shutting down']]);
    expect([watch.aborted, watch.reason]).toEqual([true, 'shutting down']);
  });

  it('lets an abort pass while nothing is waited for, and still tells of it', () => {
    const { counts, signal } = countedSignal();
    const watch = new SignalWatch(signal);
    counts.abort();
    expect(watch.aborted).toBe(true);
    expect(watch.reason).toMatchObject({ name: 'AbortError' });
  });

  it('that was stopped interrupts nothing, and leaves no listener', () => {
    const { counts, signal } = countedSignal();
    const watch = new SignalWatch(signal);
    watch.interrupt = vi.fn();
    watch.stop();
    expect(counts.listeners).toHaveLength(0);
    counts.abort();
    expect(watch.interrupt).not.toHaveBeenCalled();
  });
});
