import { aFunction, mustBe } from './assert.js';
import { unwrap } from './outcome.js';
import { definePolicy, type RetryPolicy } from './policy.js';
import { type RunOptions, resolveRunOptions } from './run-options.js';
import { runWithRetry } from './run-with-retry.js';

/**
 * The same function with retries: it keeps `this`, arguments, name and types (of overloads, the last), resolves with the value, and
 * throws as `unwrap` does.
 *
 * The function does not see its attempt: what must stop at a time limit, commit, or send an idempotency key takes `runWithRetry`.
 *
 * @param fn  called once for each attempt with the caller's arguments
 * @param policy  checked here, once
 * @param options  for all calls, or made from the arguments of each. A fixed `idempotencyKey` would make the server take all calls
 *   for one, and is refused: give a function.
 * @throws {TypeError | RangeError} at once, if an argument is wrong
 * @example
 * const price = withRetry(async (item: string) => item.length, { maxAttempts: 3 })
 * await price('apple') // => 5
 */
export function withRetry<This, Args extends unknown[], Value>(
  fn: (this: This, ...args: Args) => Value | PromiseLike<Value>,
  policy: RetryPolicy<Value> = {},
  options: RunOptions | ((this: This, ...args: Args) => RunOptions) = {},
): (this: This, ...args: Args) => Promise<Value> {
  mustBe('fn', fn, aFunction);
  if (typeof options !== 'function' && resolveRunOptions(options).idempotencyKey !== undefined) {
    throw new TypeError('options.idempotencyKey must not be the same for all calls: give options as a function');
  }
  const resolved = definePolicy(policy);
  const withRetries = async function (this: This, ...args: Args): Promise<Value> {
    const runOptions = typeof options === 'function' ? options.apply(this, args) : options;
    return unwrap(await runWithRetry<Value>(() => fn.apply(this, args), resolved, runOptions));
  };
  return Object.defineProperties(withRetries, {
    name: { value: fn.name, configurable: true },
    length: { value: fn.length, configurable: true },
  });
}
