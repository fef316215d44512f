import { aFunction, type Rule } from './assert.js';
import { type Clock, systemClock } from './clock.js';
import type { Decision } from './decision.js';
import type { RandomSource } from './jitter.js';
import { Faults } from './options.js';
import { cryptoRandom } from './random.js';

/** What belongs to one run and is no part of the policy. Every field may be left out, and `undefined` is the same as left out. */
export interface RunOptions {
  /** Default {@link systemClock}. */
  readonly clock?: Clock | undefined;
  /** Default {@link cryptoRandom}. */
  readonly random?: RandomSource | undefined;
  /** Ends the run at once when it aborts, even if the task does not listen; the run's reason is then `'aborted'`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Told of each decision once, before the wait. A promise that it returns is awaited, so it can hold the run up; if it throws or
   * rejects, the run rejects with a `RetryHookError`.
   */
  readonly onDecision?: ((decision: Decision) => void | PromiseLike<void>) | undefined;
  /** The same for every attempt of the run, for servers that tell repeated requests by it. Default: a random UUID, made when it is read. */
  readonly idempotencyKey?: string | undefined;
  /** How many decisions the log keeps, the newest; the others are counted: an integer >= 0. Default 1_000. */
  readonly logLimit?: number | undefined;
}

export interface ResolvedRunOptions extends RunOptions {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logLimit: number;
}

const optionNames: readonly string[] = ['clock', 'random', 'signal', 'onDecision', 'idempotencyKey', 'logLimit'];
const clockMembers = ['now', 'monotonicNow', 'sleep', 'schedule'] as const;
const aClock: Rule = {
  words: 'a Clock',
  holds: (clock: Clock) => clockMembers.every((member) => typeof clock[member] === 'function'),
  type: 'object',
};
const aSignal: Rule = {
  words: 'an AbortSignal',
  holds: (signal: AbortSignal) => typeof signal.addEventListener === 'function',
  type: 'object',
};
const aKey: Rule = { words: 'a string that is not empty', holds: (key: string) => key !== '', type: 'string' };
const aLogLimit: Rule = { words: 'an integer >= 0', holds: (n: number) => n >= 0 && Number.isInteger(n) };

const defaultOptions: ResolvedRunOptions = { clock: systemClock, random: cryptoRandom, logLimit: 1_000 };

/**
 * Checks the options of a run and fills in the defaults.
 *
 * @throws {TypeError} if a value is of the wrong type or a name is unknown
 * @throws {RangeError} if all types are right and a value is out of range
 */
export function resolveRunOptions(options?: RunOptions): ResolvedRunOptions {
  if (options === undefined) return defaultOptions;
  const faults = new Faults('run options');
  const {
    clock = defaultOptions.clock,
    random = defaultOptions.random,
    signal,
    onDecision,
    idempotencyKey,
    logLimit = defaultOptions.logLimit,
  } = faults.names('options', options, optionNames);
  faults.check('clock', clock, aClock);
  faults.check('random', random, aFunction);
  faults.check('signal', signal, aSignal);
  faults.check('onDecision', onDecision, aFunction);
  faults.check('idempotencyKey', idempotencyKey, aKey);
  faults.check('logLimit', logLimit, aLogLimit);
  faults.throwIfAny();
  return { clock, random, signal, onDecision, idempotencyKey, logLimit };
}
