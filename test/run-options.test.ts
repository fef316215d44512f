import { type RunOptions, runWithRetry } from 'retry-policy';
import { frozenClock } from 'retry-policy/testing';
import { describe, expect, it, vi } from 'vitest';
import { hostClock } from '../src/host-clock.js';
import { secureRandom } from '../src/random.js';
import { resolveRunOptions } from '../src/run-options.js';

const clock = frozenClock(0);
const { signal } = new AbortController();
const random = (min: number) => min;
const onDecision = () => {};

const refusalOf = (options: unknown): Error => {
  try {
    resolveRunOptions(options as RunOptions);
  } catch (error) {
    return error as Error;
  }
  throw new Error('the options were accepted');
};

describe('options that say nothing', () => {
  it('have the documented defaults', () => {
    for (const options of [undefined, {}]) {
      const resolved = resolveRunOptions(options);
      expect(resolved.clock).toBe(hostClock);
      expect(resolved.random).toBe(secureRandom);
      expect(resolved.logLimit).toBe(1_000);
      expect([resolved.signal, resolved.onDecision, resolved.idempotencyKey]).toEqual([undefined, undefined, undefined]);
    }
  });

  it.each(['clock', 'random', 'signal', 'onDecision', 'idempotencyKey', 'logLimit'])('say nothing where %s is undefined', (name) => {
    expect(resolveRunOptions({ [name]: undefined })).toEqual(resolveRunOptions({}));
  });
});

it('options that say all are taken as they are', () => {
  const options = { clock, random, signal, onDecision, idempotencyKey: 'order-7', logLimit: 0 };
  expect(resolveRunOptions(options)).toStrictEqual(options);
});

it('a clock or a signal need be no instance of a class of this realm', () => {
  const reduced = { aborted: false, reason: undefined, addEventListener: () => {}, removeEventListener: () => {} };
  class OwnClock {
    now = () => 0;
    monotonicNow = () => 0;
    async sleep() {}
    schedule() {
      return () => {};
    }
  }
  const own = new OwnClock();
  expect(resolveRunOptions({ signal: reduced as never, clock: own })).toMatchObject({ signal: reduced, clock: own });
});

describe('options that are wrong', () => {
  const without = (member: keyof typeof clock) => ({ ...clock, [member]: undefined });

  it.each<[string, unknown, ErrorConstructor, string]>([
    ['logLimit', -1, RangeError, 'logLimit must be an integer >= 0, got -1'],
    ['logLimit', 1.5, RangeError, 'logLimit must be an integer >= 0, got 1.5'],
    ['logLimit', Number.NaN, RangeError, 'logLimit must be an integer >= 0, got NaN'],
    ['logLimit', '10', TypeError, 'logLimit must be an integer >= 0, got "10"'],
    ['logLimit', null, TypeError, 'logLimit must be an integer >= 0, got null'],
    ['idempotencyKey', '', RangeError, 'idempotencyKey must be a string that is not empty, got ""'],
    ['idempotencyKey', 7, TypeError, 'idempotencyKey must be a string that is not empty, got 7'],
    ['idempotencyKey', null, TypeError, 'idempotencyKey must be a string that is not empty, got null'],
    ['random', 0.5, TypeError, 'random must be a function, got 0.5'],
    ['random', null, TypeError, 'random must be a function, got null'],
    ['onDecision', 'log', TypeError, 'onDecision must be a function, got "log"'],
    ['onDecision', null, TypeError, 'onDecision must be a function, got null'],
    ['signal', null, TypeError, 'signal must be an AbortSignal, such as the signal of a controller, got null'],
    ['signal', true, TypeError, 'signal must be an AbortSignal, such as the signal of a controller, got true'],
    ['signal', new AbortController(), TypeError, 'signal must be an AbortSignal, such as the signal of a controller, got object'],
    ['clock', null, TypeError, 'clock must be a Clock, with now, monotonicNow, sleep and schedule, got null'],
    ['clock', Date, TypeError, 'clock must be a Clock, with now, monotonicNow, sleep and schedule, got function'],
    ['clock', without('now'), TypeError, 'clock must be a Clock, with now, monotonicNow, sleep and schedule, got object'],
    ['clock', without('monotonicNow'), TypeError, 'clock must be a Clock, with now, monotonicNow, sleep and schedule, got object'],
    ['clock', without('sleep'), TypeError, 'clock must be a Clock, with now, monotonicNow, sleep and schedule, got object'],
    ['clock', without('schedule'), TypeError, 'clock must be a Clock, with now, monotonicNow, sleep and schedule, got object'],
    ['onDecison', onDecision, TypeError, 'unknown option onDecison (did you mean onDecision?)'],
    ['rng', random, TypeError, 'unknown option rng'],
    ['abortSignal', signal, TypeError, 'unknown option abortSignal (did you mean signal?)'],
    ['timeout', 5_000, TypeError, 'unknown option timeout'],
  ])('%s: %o', (name, value, Fault, message) => {
    const error = refusalOf({ [name]: value });
    expect(error).toBeInstanceOf(Fault);
    expect(error.message).toContain(`invalid run options: ${message}`);
  });

  it.each<[unknown, string]>([
    [null, 'null'],
    [5, '5'],
    ['signal', '"signal"'],
    [() => ({}), 'function'],
  ])('are no options at all: %o', (options, shown) => {
    expect(refusalOf(options)).toEqual(new TypeError(`invalid run options: options must be an object, got ${shown}`));
  });

  it('have all their faults told in one message, a TypeError if any is one of type', () => {
    expect(refusalOf({ idempotencyKey: '', logLimit: -1 })).toEqual(
      new RangeError(
        'invalid run options: idempotencyKey must be a string that is not empty, got ""; logLimit must be an integer >= 0, got -1',
      ),
    );
    expect(refusalOf({ signal: null, logLimit: -1 })).toEqual(
      new TypeError(
        'invalid run options: signal must be an AbortSignal, such as the signal of a controller, got null; logLimit must be an integer >= 0, got -1',
      ),
    );
  });

  it('end a run before its first attempt, with the same error as a rejection', async () => {
    const task = vi.fn();
    await expect(runWithRetry(task, {}, { logLimit: -1 })).rejects.toEqual(refusalOf({ logLimit: -1 }));
    expect(task).not.toHaveBeenCalled();
  });

  it('are told after the faults of the policy', async () => {
    await expect(runWithRetry(() => 1, { maxAttempts: 0 }, { logLimit: -1 })).rejects.toThrow('invalid retry policy');
  });
});
