import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runWithRetry, TransientFailure } from 'retry-policy';
import { frozenClock, seededRandom } from 'retry-policy/testing';
import { expect, test, vi } from 'vitest';
import { ManualClock } from './manual-clock.js';

const RUNS = 20_000;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
setFlagsFromString('--no-expose-gc');

/** A shared signal that counts its listeners. */
function countedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener: (type: 'abort', listener: () => void) => {
      listeners.add(listener);
      add(type, listener);
    },
    removeEventListener: (type: 'abort', listener: () => void) => {
      listeners.delete(listener);
      remove(type, listener);
    },
  });
  return { controller, signal, listeners };
}

test('twenty thousand runs with random faults, timeouts and aborts leave no timer, listener, unhandled rejection or memory behind', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  const clock = new ManualClock();
  const frozen = frozenClock(0);
  const random = seededRandom(2026);
  const { signal, listeners } = countedSignal();
  const ends = new Map<string, number>();

  const oneRun = async () => {
    const kind = random(0, 5);
    const own = new AbortController();
    const task = async (context: { attempt: number; signal: AbortSignal }) => {
      if (kind === 0) return context.attempt;
      if (kind === 1 && context.attempt > 2) return context.signal.aborted;
      if (kind === 2) throw new Error('permanent');
      if (kind === 3) return new Promise(() => {});
      if (kind === 4) setImmediate(() => own.abort(new Error('left')));
      throw new TransientFailure('busy');
    };
    const options = { random, clock: kind === 3 ? clock : frozen, signal: kind === 4 ? own.signal : signal };
    const policy = { attemptTimeoutMs: 50, totalBudgetMs: 500_000, maxAttempts: 3, backoff: { baseMs: kind === 3 ? 1 : 0 } };
    const run = runWithRetry(task, policy, options);
    if (kind === 3) await clock.advance(500);
    const result = await run;
    const end = result.ok ? 'succeeded' : result.reason;
    ends.set(end, (ends.get(end) ?? 0) + 1);
  };

  const heapAfter = async (runs: number) => {
    for (let i = 0; i < runs; i++) await oneRun();
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const warm = await heapAfter(RUNS / 4);
  const end = await heapAfter((RUNS * 3) / 4);
  process.off('unhandledRejection', unhandled);

  expect(unhandled).not.toHaveBeenCalled();
  expect(listeners.size).toBe(0);
  expect(clock.pending).toBe(0);
  expect([...ends.keys()].sort()).toEqual(['aborted', 'attempts-exhausted', 'permanent', 'succeeded']);
  expect((end - warm) / ((RUNS * 3) / 4)).toBeLessThan(40); // bytes a run; one forgotten listener alone is more
}, 60_000);
