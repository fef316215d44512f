import { aFunction, type Rule } from './assert.js';
import type { Clock } from './clock.js';
import type { Decision } from './decision.js';
import { hostClock } from './host-clock.js';
import type { RandomSource } from './jitter.js';
import { Faults, type Mutable, type Rules } from './options.js';
import { overrides } from './override.js';
import { cryptoRandom, randomOfRun, secureRandom } from './random.js';
import { clockOfRun } from './system-clock.js';

/** What belongs to one run and is no part of the policy. Every field may be left out, and `undefined` is the same as left out. */
export interface RunOptions {
  /** Default {@link systemClock}. */
  clock?: Clock | undefined;
  /** Default {@link cryptoRandom}. */
  random?: RandomSource | undefined;
  /** Ends the run at once when it aborts, even if the task does not listen; the run's reason is then `'aborted'`. */
  signal?: AbortSignal | undefined;
  /**
   * Told of each decision once, before the wait. A promise that it returns is awaited, so it can hold the run up, beyond its budget as
   * well. If it throws or rejects, the run rejects with a `RetryHookError`, also after a success (which is its `value`): catch inside
   * what must not matter.
   */
  onDecision?: ((decision: Decision) => void | PromiseLike<void>) | undefined;
  /** The same for every attempt of the run, for servers that tell repeated requests by it. Default: a random UUID, made when it is read. */
  idempotencyKey?: string | undefined;
  /** How many decisions the log keeps, the newest; the others are counted: an integer >= 0. Default 1_000. */
  logLimit?: number | undefined;
}

export interface ResolvedRunOptions extends Readonly<RunOptions> {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logLimit: number;
  /** The most attempts that a test allows, whatever the policy says. */
  readonly maxAttempts?: number | undefined;
}

const clockMembers = ['now', 'monotonicNow', 'sleep', 'schedule'] as const;

export const aClock: Rule = {
  words: 'a Clock, with now, monotonicNow, sleep and schedule',
  holds: (clock: Clock) => clockMembers.every((member) => typeof clock[member] === 'function'),
  type: 'object',
};

export const aSignal: Rule = {
  words: 'an AbortSignal, such as the signal of a controller',
  holds: ({ aborted, addEventListener, removeEventListener }: AbortSignal) =>
    typeof aborted === 'boolean' && typeof addEventListener === 'function' && typeof removeEventListener === 'function',
  type: 'object',
};

const rules: Rules<RunOptions> = {
  clock: aClock,
  random: aFunction,
  signal: aSignal,
  onDecision: aFunction,
  idempotencyKey: { words: 'a string that is not empty', holds: (key: string) => key !== '', type: 'string' },
  logLimit: { words: 'an integer >= 0', holds: (n: number) => n >= 0 && Number.isInteger(n) },
};

const defaults: ResolvedRunOptions = { clock: hostClock, random: secureRandom, logLimit: 1_000 };

/**
 * Checks the options of a run, fills in the defaults, and puts in their place what a test has put there.
 *
 * @throws {TypeError} if a value is of the wrong type or a name is unknown
 * @throws {RangeError} if all types are right and a value is out of range
 */
export function resolveRunOptions(options?: RunOptions): ResolvedRunOptions {
  const override = overrides().inForce;
  if (options === undefined) return override === undefined ? defaults : { ...defaults, ...override };
  const resolved = checked(options);
  resolved.clock = clockOfRun(resolved.clock, override);
  resolved.random = randomOfRun(resolved.random, override);
  if (override?.maxAttempts !== undefined) resolved.maxAttempts = override.maxAttempts;
  return resolved;
}

function checked(options: RunOptions): Mutable<ResolvedRunOptions> {
  const faults = new Faults('run options');
  const {
    clock = defaults.clock,
    random = cryptoRandom,
    signal,
    onDecision,
    idempotencyKey,
    logLimit = defaults.logLimit,
  } = faults.names('options', options, rules);
  const resolved = { clock, random, signal, onDecision, idempotencyKey, logLimit };
  faults.values(resolved, rules);
  faults.throwIfAny();
  return resolved;
}
