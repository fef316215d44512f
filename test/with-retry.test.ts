import {
  type DeadLetterError,
  isDeadLetterError,
  isRetryHookError,
  type RunOptions,
  runWithRetry,
  TransientFailure,
  unwrap,
  withRetry,
} from 'retry-policy';
import { fixedRandom, frozenClock } from 'retry-policy/testing';
import { describe, expect, it, vi } from 'vitest';

const options: RunOptions = { clock: frozenClock(0), random: fixedRandom(0) };
const failsTwice = (calls: { count: number }) => {
  if (++calls.count < 3) throw new TransientFailure('503');
};

describe('a function with retries', () => {
  it('is called until it succeeds, and resolves with its value', async () => {
    const calls = { count: 0 };
    const fn = withRetry(
      async (a: number, b: number) => {
        failsTwice(calls);
        return a + b;
      },
      {},
      options,
    );
    await expect(fn(2, 3)).resolves.toBe(5);
    expect(calls.count).toBe(3);
  });

  it('gets the very arguments of the caller at each attempt, and nothing else', async () => {
    const calls = { count: 0 };
    const fn = vi.fn((..._: unknown[]) => failsTwice(calls));
    const argument = {};
    await withRetry(fn, {}, options)(argument, undefined, 3);
    expect(fn.mock.calls).toEqual([
      [argument, undefined, 3],
      [argument, undefined, 3],
      [argument, undefined, 3],
    ]);
    for (const [first] of fn.mock.calls) expect(first).toBe(argument);
  });

  it('keeps this, as a method does', async () => {
    class Account {
      calls = { count: 0 };
      balance = 40;
      add = withRetry(
        function (this: Account, amount: number) {
          failsTwice(this.calls);
          this.balance += amount;
          return this.balance;
        },
        {},
        options,
      );
    }
    const [one, other] = [new Account(), new Account()];
    await expect(one.add(2)).resolves.toBe(42);
    await expect(one.add.call(other, 5)).resolves.toBe(45);
    expect([one.balance, one.calls.count, other.balance, other.calls.count]).toEqual([42, 3, 45, 3]);
  });

  it('keeps name and length', () => {
    function transfer(_from: string, _to: string) {}
    const retried = withRetry(transfer);
    expect([retried.name, retried.length]).toEqual(['transfer', 2]);
    expect([withRetry(() => 1).name, withRetry((..._: unknown[]) => 1).length]).toEqual(['', 0]);
    expect(Object.keys(retried)).toEqual([]);
    expect(retried).not.toBe(transfer);
  });

  it('may be synchronous', async () => {
    await expect(withRetry((n: number) => n * 2, {}, options)(21)).resolves.toBe(42);
  });

  it('rejects with a DeadLetterError that has the cause and the log', async () => {
    const cause = new TransientFailure('503');
    const fn = withRetry(
      () => {
        throw cause;
      },
      { maxAttempts: 2 },
      options,
    );
    const error = (await fn().catch((thrown: unknown) => thrown)) as DeadLetterError;
    expect(isDeadLetterError(error)).toBe(true);
    expect(error.cause).toBe(cause);
    expect(error).toMatchObject({ reason: 'attempts-exhausted', attempts: 2 });
    expect(error.log.map(({ action }) => action)).toEqual(['retry', 'dead-letter']);
  });

  it('rejects with the reason itself after an abort', async () => {
    const reason = new Error('shutting down');
    const fn = vi.fn();
    await expect(withRetry(fn, {}, { ...options, signal: AbortSignal.abort(reason) })()).rejects.toBe(reason);
    expect(fn).not.toHaveBeenCalled();
  });

  it('never throws synchronously when it is called', async () => {
    const boom = new Error('boom');
    const throwing = () => {
      throw boom;
    };
    await expect(withRetry(() => 1, {}, throwing)()).rejects.toBe(boom);
    await expect(withRetry(throwing, { classify: throwing }, options)().catch(isRetryHookError)).resolves.toBe(true);
  });

  it('counts each call by itself', async () => {
    const fn = vi.fn((_: string) => {
      throw new TransientFailure('503');
    });
    const retried = withRetry(fn, { maxAttempts: 3 }, options);
    await Promise.allSettled([retried('a'), retried('b'), retried('a')]);
    expect(fn.mock.calls.flat().sort()).toEqual(['a', 'a', 'a', 'a', 'a', 'a', 'b', 'b', 'b']);
  });
});

describe('the options of a function with retries', () => {
  it('may be made for each call of its this and its arguments, once for all attempts', async () => {
    const keys: string[] = [];
    const runOptions = vi.fn(function (this: unknown, order: string): RunOptions {
      return { ...options, idempotencyKey: `${this}-${order}`, onDecision: ({ attempt }) => void keys.push(`${this}-${order}:${attempt}`) };
    });
    const fn = function (this: string, _order: string) {
      throw new TransientFailure('503');
    };
    const retried = withRetry(fn, { maxAttempts: 2 }, runOptions);
    await expect(retried.call('shop', 'a')).rejects.toThrow('attempts-exhausted');
    await expect(retried.call('shop', 'b')).rejects.toThrow('attempts-exhausted');
    expect(runOptions.mock.calls).toEqual([['a'], ['b']]);
    expect(keys).toEqual(['shop-a:1', 'shop-a:2', 'shop-b:1', 'shop-b:2']);
  });

  it('that are made for a call are checked as those of a run, before the first attempt', async () => {
    const fn = vi.fn();
    await expect(withRetry(fn, {}, () => ({ logLimit: -1 }))()).rejects.toThrow(RangeError);
    await expect(withRetry(fn, {}, (() => null) as never)()).rejects.toThrow(TypeError);
    expect(fn).not.toHaveBeenCalled();
  });

  it('may be undefined', async () => {
    await expect(withRetry(() => 1, undefined, undefined)()).resolves.toBe(1);
    await expect(withRetry(() => 1, {}, (() => undefined) as never)()).resolves.toBe(1);
  });

  it('must not fix one idempotency key for all calls', () => {
    expect(() => withRetry(() => 1, {}, { idempotencyKey: 'order-7' })).toThrow(TypeError);
    expect(() => withRetry(() => 1, {}, { idempotencyKey: 'order-7' })).toThrow('idempotencyKey');
    expect(() => withRetry(() => 1, {}, { idempotencyKey: undefined })).not.toThrow();
  });

  it.each<[string, unknown[], ErrorConstructor, string]>([
    ['the result of a call in place of the function', [Promise.resolve(1)], TypeError, 'fn must be a function, got object'],
    ['nothing', [], TypeError, 'fn must be a function, got undefined'],
    ['a wrong policy', [() => 1, { maxAttempts: 0 }], RangeError, 'invalid retry policy: maxAttempts'],
    ['null for a policy', [() => 1, null], TypeError, 'invalid retry policy: policy must be an object, got null'],
    ['wrong options', [() => 1, {}, { logLimit: -1 }], RangeError, 'invalid run options: logLimit'],
    ['null for options', [() => 1, {}, null], TypeError, 'invalid run options: options must be an object, got null'],
  ])('are refused at once, not at the first call: %s', (_, args, Fault, message) => {
    const call = () => withRetry(...(args as Parameters<typeof withRetry>));
    expect(call).toThrow(Fault);
    expect(call).toThrow(message);
  });
});

// HKUDS/nanobot#2760: a layer of 4 over a layer of 3 gave 12 requests
describe('layers of retries', () => {
  const policy = { maxAttempts: 4, classify: () => 'transient' as const };

  it('do not multiply: three layers of 4 attempts stay 4 calls', async () => {
    const fn = vi.fn(() => {
      throw new TransientFailure('503');
    });
    const inner = withRetry(fn, policy, options);
    const middle = withRetry(() => inner(), policy, options);
    const outer = withRetry(() => middle(), policy, options);
    await expect(outer()).rejects.toMatchObject({ reason: 'permanent', attempts: 1 });
    expect(fn).toHaveBeenCalledTimes(4);
  });

  it('do not multiply either where results are unwrapped by hand', async () => {
    const fn = vi.fn(() => {
      throw new TransientFailure('503');
    });
    const layer = (task: () => unknown) => async () => unwrap(await runWithRetry(task, policy, options));
    await expect(layer(layer(layer(fn)))()).rejects.toThrow('gave up after 1 attempt (permanent)');
    expect(fn).toHaveBeenCalledTimes(4);
  });

  it('keep the first cause at the end of the chain', async () => {
    const cause = new TransientFailure('503');
    const layer = (task: () => Promise<unknown>) => withRetry(task, policy, options);
    const error = await layer(layer(() => Promise.reject(cause)))().catch((thrown: DeadLetterError) => thrown);
    expect(((error as DeadLetterError).cause as DeadLetterError).cause).toBe(cause);
  });
});
