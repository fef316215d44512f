import { Faults, func, type Rule, record } from './assert.js';
import { type Clock, systemClock } from './clock.js';
import type { Decision } from './decision.js';
import type { RandomSource } from './jitter.js';
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

const DEFAULT_LOG_LIMIT = 1_000;

const optionNames: readonly string[] = ['clock', 'random', 'signal', 'onDecision', 'idempotencyKey', 'logLimit'];
const clockMethods: readonly (keyof Clock)[] = ['now', 'monotonicNow', 'sleep', 'schedule'];
const signalLike: Rule = {
  type: 'object',
  words: 'an AbortSignal',
  holds: (value: AbortSignal) => typeof value.addEventListener === 'function',
};
const key: Rule = { type: 'string', words: 'a string that is not empty', holds: (value: string) => value !== '' };
const logSize: Rule = { type: 'number', words: 'an integer >= 0', holds: (n: number) => Number.isInteger(n) && n >= 0 };

export interface ResolvedRunOptions extends RunOptions {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logLimit: number;
}

/**
 * Checks the options of a run and fills in the defaults.
 *
 * @throws {TypeError} if a value is of the wrong type or a name is unknown
 * @throws {RangeError} if all types are right and a value is out of range
 */
export function resolveRunOptions(options: RunOptions = {}): ResolvedRunOptions {
  const faults = new Faults('invalid run options');
  const {
    clock = systemClock,
    random = cryptoRandom,
    signal,
    onDecision,
    idempotencyKey,
    logLimit = DEFAULT_LOG_LIMIT,
  } = faults.options('options', options, optionNames);
  if (clock !== systemClock && faults.check('clock', clock, record)) {
    for (const method of clockMethods) faults.check(`clock.${method}`, clock[method], func);
  }
  faults.check('random', random, func);
  faults.checkOptional('signal', signal, signalLike);
  faults.checkOptional('onDecision', onDecision, func);
  faults.checkOptional('idempotencyKey', idempotencyKey, key);
  faults.check('logLimit', logLimit, logSize);
  faults.throwIfAny();
  return { clock, random, signal, onDecision, idempotencyKey, logLimit };
}
