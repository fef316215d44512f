import { aDuration, aFactor, aFunction, anObject, type Rule } from './assert.js';
import type { BackoffOptions, ResolvedBackoff } from './backoff.js';
import type { Classifier } from './classify.js';
import type { RandomSource } from './jitter.js';
import type { Verdict } from './mark.js';
import { Faults, type Mutable, type Rules } from './options.js';

/**
 * How chance spreads the backoff: `'full'` draws from 0 to all of it, `'equal'` from half to all, `'decorrelated'` from the base to three
 * times the wait before, `'none'` takes all of it.
 */
export type Jitter = 'full' | 'equal' | 'decorrelated' | 'none';

/** What a policy's `delay` is told. */
export interface DelayContext {
  /** Number of the attempt that just failed, from 1. */
  readonly attempt: number;
  readonly error: unknown;
  /** Time since the run began, in milliseconds. */
  readonly elapsedMs: number;
  /** The `backoffMs` of the decision before; absent after the first attempt. */
  readonly previousDelayMs?: number | undefined;
  /** The wait that the server demanded, if it did; it is added to the answer. */
  readonly retryAfterMs?: number | undefined;
}

/** How to retry, as plain data: JSON but for its functions. Every field may be left out, and `undefined` is the same as left out. */
export interface RetryPolicy<T = unknown> {
  /** How often the task is called at the most, the first call included: an integer >= 1, or Infinity. Default 4. */
  maxAttempts?: number | undefined;
  /** Exponential backoff: `baseMs` (default 2_000) and `capMs` (default 60_000), finite, >= 0; `factor` (default 2), finite, >= 1. */
  backoff?: { -readonly [Name in keyof BackoffOptions]?: BackoffOptions[Name] | undefined } | undefined;
  /** How chance spreads the backoff. Default `'full'`. */
  jitter?: Jitter | undefined;
  /** Replaces backoff and jitter: answers milliseconds, finite, >= 0, rounded up to whole ones. It chooses delays and lifts no limit. */
  delay?: ((context: DelayContext, random: RandomSource) => number) | undefined;
  /** Limit for one attempt in milliseconds, > 0; interrupts it. Default none (as Infinity). */
  attemptTimeoutMs?: number | undefined;
  /** Limit for all attempts and waits of a run in milliseconds, > 0; interrupts an attempt, and no wait begins that it cannot take. Default none (as Infinity). */
  totalBudgetMs?: number | undefined;
  /** The longest server-demanded wait that is obeyed, in milliseconds, >= 0; a longer one ends the run. Default 60_000. */
  maxRetryAfterMs?: number | undefined;
  /** Asked in turn about errors that bear no mark. Default none: what bears no mark is permanent. */
  classify?: Classifier | readonly Classifier[] | undefined;
  /** Turns a returned value into a failure, whose `error` is the value itself; `undefined` lets it pass as a success. */
  classifyValue?: ((value: T) => Verdict | undefined) | undefined;
}

/** A policy that was checked and completed, and is frozen. */
export interface ResolvedPolicy<T = unknown> extends Readonly<RetryPolicy<T>> {
  readonly maxAttempts: number;
  readonly backoff: ResolvedBackoff;
  readonly jitter: Jitter;
  readonly maxRetryAfterMs: number;
  readonly classify: readonly Classifier[];
}

/** What a policy is where it says nothing. */
export const defaults = {
  maxAttempts: 4,
  backoff: { baseMs: 2_000, capMs: 60_000, factor: 2 },
  jitter: 'full',
  maxRetryAfterMs: 60_000,
  classify: [],
} as const satisfies ResolvedPolicy;

export const anAttemptLimit: Rule = {
  words: 'an integer >= 1 or Infinity',
  holds: (n: number) => n === Infinity || (n >= 1 && Number.isInteger(n)),
};
const aLimit: Rule = { words: 'a number > 0', holds: (ms: number) => ms > 0 };
const jitters: readonly string[] = ['full', 'equal', 'decorrelated', 'none'];

const rules: Rules<RetryPolicy> = {
  maxAttempts: anAttemptLimit,
  backoff: anObject,
  jitter: { words: 'one of full, equal, decorrelated, none', holds: (name: string) => jitters.includes(name), type: 'string' },
  delay: aFunction,
  attemptTimeoutMs: aLimit,
  totalBudgetMs: aLimit,
  maxRetryAfterMs: { words: 'a number >= 0', holds: (ms: number) => ms >= 0 },
  classify: {
    words: 'a function or an array of functions',
    holds: (classifiers: unknown) => Array.isArray(classifiers) && classifiers.every((entry) => typeof entry === 'function'),
    type: 'object',
  },
  classifyValue: aFunction,
};
const backoffRules: Rules<BackoffOptions> = { baseMs: aDuration, capMs: aDuration, factor: aFactor };

const resolvedPolicies = /* @__PURE__ */ new WeakSet<object>();

/**
 * Checks a policy once, fills in the defaults and freezes the result, so that runs need not check it again.
 *
 * @throws {TypeError} if a value is of the wrong type (`null` and strings of digits are) or a name is unknown
 * @throws {RangeError} if all types are right and a value is out of range; either way one message tells all faults
 * @example
 * const policy = definePolicy({ maxAttempts: 6, totalBudgetMs: 30_000 })
 * policy.backoff // => { baseMs: 2_000, capMs: 60_000, factor: 2 }
 * Object.isFrozen(policy) // => true
 */
export function definePolicy<T>(policy: RetryPolicy<T>): ResolvedPolicy<T> {
  if (resolvedPolicies.has(policy)) return policy as ResolvedPolicy<T>;
  const resolved = checkedPolicy(policy);
  Object.freeze(resolved.backoff);
  Object.freeze(resolved.classify);
  resolvedPolicies.add(resolved);
  return Object.freeze(resolved);
}

/** As `definePolicy`, for one use: not frozen, and not remembered as checked. */
export function resolvePolicy<T>(policy?: RetryPolicy<T>): ResolvedPolicy<T> {
  if (policy === undefined) return defaults;
  return resolvedPolicies.has(policy) ? (policy as ResolvedPolicy<T>) : checkedPolicy(policy);
}

function checkedPolicy<T>(policy: RetryPolicy<T>): ResolvedPolicy<T> {
  const faults = new Faults('retry policy');
  const given = faults.names('policy', policy, rules);
  const { maxAttempts = defaults.maxAttempts, jitter = defaults.jitter, maxRetryAfterMs = defaults.maxRetryAfterMs } = given;
  const { backoff: givenBackoff = {}, classify, delay, attemptTimeoutMs, totalBudgetMs, classifyValue } = given;
  const {
    baseMs = defaults.backoff.baseMs,
    capMs = defaults.backoff.capMs,
    factor = defaults.backoff.factor,
  } = faults.names('backoff', givenBackoff, backoffRules, 'backoff.');
  const backoff = { baseMs, capMs, factor };
  const resolved: Mutable<ResolvedPolicy<T>> = {
    maxAttempts,
    backoff,
    jitter,
    maxRetryAfterMs,
    classify: listOf(classify),
  };
  // What has no default stays absent; an endless limit is none.
  if (delay !== undefined) resolved.delay = delay;
  if (attemptTimeoutMs !== Infinity && attemptTimeoutMs !== undefined) resolved.attemptTimeoutMs = attemptTimeoutMs;
  if (totalBudgetMs !== Infinity && totalBudgetMs !== undefined) resolved.totalBudgetMs = totalBudgetMs;
  if (classifyValue !== undefined) resolved.classifyValue = classifyValue;
  faults.values(resolved, rules);
  faults.values(backoff, backoffRules, 'backoff.');
  faults.throwIfAny();
  return resolved;
}

/** The policy with no more attempts than these. */
export const limitedTo = <T>(maxAttempts: number | undefined, policy: ResolvedPolicy<T>): ResolvedPolicy<T> =>
  maxAttempts !== undefined && maxAttempts < policy.maxAttempts ? { ...policy, maxAttempts } : policy;

function listOf(classify: RetryPolicy['classify']): readonly Classifier[] {
  if (classify === undefined) return defaults.classify;
  if (typeof classify === 'function') return [classify];
  return Array.isArray(classify) ? Array.from(classify) : classify;
}
