import {
  DeadLetterError,
  type DeadLettered,
  isDeadLetterError,
  isTransient,
  type RetryResult,
  runWithRetry,
  TransientFailure,
  unwrap,
} from 'retry-policy';
import { frozenClock } from 'retry-policy/testing';
import { describe, expect, it } from 'vitest';

const clock = frozenClock(0);
const failing = (error: unknown) => () => {
  throw error;
};
const thrownBy = (call: () => unknown): unknown => {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

describe('unwrap', () => {
  it.each([42, undefined, null, false, '', new Error('returned, not thrown')])('answers the value %s', async (value) => {
    expect(unwrap(await runWithRetry(() => value, {}, { clock }))).toBe(value);
  });

  it('throws a DeadLetterError that says all that the result knew', async () => {
    const cause = new TransientFailure('503');
    const result = (await runWithRetry(failing(cause), { maxAttempts: 3, jitter: 'none' }, { clock })) as DeadLettered;
    const error = thrownBy(() => unwrap(result));
    expect(error).toBeInstanceOf(DeadLetterError);
    expect(isDeadLetterError(error)).toBe(true);
    expect(isTransient(error)).toBe(false);
    const { name, message, reason, attempts, log, cause: told } = error as DeadLetterError;
    expect([name, message, reason, attempts]).toEqual([
      'DeadLetterError',
      'gave up after 3 attempts (attempts-exhausted): 503',
      'attempts-exhausted',
      3,
    ]);
    expect(told).toBe(cause);
    expect(log).toBe(result.log);
    expect(log).toHaveLength(3);
  });

  it.each<[string, unknown]>([
    ['an error', new Error('stopped')],
    ['a text', 'stopped'],
    ['a number', 0],
  ])('throws the reason itself after an abort: %s', async (_, reason) => {
    const controller = new AbortController();
    const abort = () => {
      controller.abort(reason);
      throw new Error('cut off');
    };
    const during = await runWithRetry(abort, {}, { clock, signal: controller.signal });
    const before = await runWithRetry(abort, {}, { clock, signal: controller.signal });
    expect(thrownBy(() => unwrap(during))).toBe(reason);
    expect(thrownBy(() => unwrap(before))).toBe(reason);
  });

  it.each<[string, unknown]>([
    ['a promise of a result', runWithRetry(() => 1, {}, { clock })],
    ['nothing', undefined],
    ['null', null],
    ['a value', 'done'],
    ['another object', { value: 1 }],
    ['a result without a clear end', { ok: 1, value: 1 }],
  ])('refuses %s and asks for the await', (_, result) => {
    expect(() => unwrap(result as RetryResult<unknown>)).toThrow(TypeError);
    expect(() => unwrap(result as RetryResult<unknown>)).toThrow(
      /^result must be what runWithRetry resolves with \(is an await missing\?\)/,
    );
  });
});

describe('DeadLetterError', () => {
  const ended = (error: unknown, attempts = 2): DeadLettered => ({
    ok: false,
    error,
    reason: 'permanent',
    attempts,
    elapsedMs: 7,
    log: [],
    droppedDecisions: 0,
  });

  it.each<[unknown, number, string]>([
    [new Error('404'), 1, 'gave up after 1 attempt (permanent): 404'],
    [new Error('404'), 0, 'gave up after 0 attempts (permanent): 404'],
    ['text', 2, 'gave up after 2 attempts (permanent): "text"'],
    [undefined, 2, 'gave up after 2 attempts (permanent): undefined'],
    [{ status: 500 }, 2, 'gave up after 2 attempts (permanent): object'],
    [new Proxy({}, { get: failing('hands off') }), 2, 'gave up after 2 attempts (permanent): object'],
  ])('tells what was thrown, whatever it was (%#)', (thrown, attempts, message) => {
    const error = new DeadLetterError(ended(thrown, attempts));
    expect(error.message).toBe(message);
    expect(error.cause === thrown).toBe(true);
    expect(error).toHaveProperty('cause');
  });

  it('has its facts as its only own enumerable properties, and a stack that begins with its name', () => {
    const error = new DeadLetterError(ended(new Error('404')));
    expect(Reflect.ownKeys({ ...error }).sort()).toEqual(['attempts', 'log', 'reason']);
    expect(error.stack?.split('\n')[0]).toBe('DeadLetterError: gave up after 2 attempts (permanent): 404');
  });

  it('lets a subclass have its own name and stay a DeadLetterError', () => {
    class JobLost extends DeadLetterError {
      override readonly name = 'JobLost';
    }
    const error = new JobLost(ended(new Error('404')));
    expect(String(error)).toBe('JobLost: gave up after 2 attempts (permanent): 404');
    expect(isDeadLetterError(error)).toBe(true);
    expect(isTransient(error)).toBe(false);
  });
});
