import { type Classifier, decide, definePolicy, previewSchedule, type RetryPolicy, runWithRetry, TransientFailure } from 'retry-policy';
import { fixedRandom, frozenClock } from 'retry-policy/testing';
import { describe, expect, it, vi } from 'vitest';
import { defaults } from '../src/policy.js';

const unknown: Classifier = () => undefined;
const delay = () => 5;
const classifyValue = () => undefined;

/** One for each field, so that the tables below cannot forget one. */
const complete: Required<RetryPolicy> = {
  maxAttempts: 6,
  backoff: { baseMs: 100, capMs: 5_000, factor: 3 },
  jitter: 'equal',
  delay,
  attemptTimeoutMs: 1_000,
  totalBudgetMs: 30_000,
  maxRetryAfterMs: 0,
  classify: [unknown],
  classifyValue,
};
const names = Object.keys(complete) as (keyof RetryPolicy)[];

const refusalOf = (policy: unknown): Error => {
  try {
    definePolicy(policy as RetryPolicy);
  } catch (error) {
    return error as Error;
  }
  throw new Error('the policy was accepted');
};

describe('a policy that says nothing', () => {
  it('has the documented defaults, and no limit that was not asked for', () => {
    const documented = {
      maxAttempts: 4,
      backoff: { baseMs: 2_000, capMs: 60_000, factor: 2 },
      jitter: 'full',
      maxRetryAfterMs: 60_000,
      classify: [],
    };
    expect(defaults).toStrictEqual(documented);
    expect(definePolicy({})).toStrictEqual(documented);
  });

  it.each(names)('says nothing where %s is undefined', (name) => {
    expect(definePolicy({ [name]: undefined })).toStrictEqual(definePolicy({}));
  });

  // tim-kos/node-retry#90: an explicit undefined overwrote the default and made the delay NaN
  it.each(['baseMs', 'capMs', 'factor'])('says nothing where backoff.%s is undefined', (name) => {
    const policy = { backoff: { [name]: undefined } };
    expect(definePolicy(policy)).toStrictEqual(definePolicy({}));
    expect(previewSchedule(policy)).toEqual(previewSchedule({}));
  });

  it('says nothing where a limit is endless', () => {
    expect(definePolicy({ attemptTimeoutMs: Infinity, totalBudgetMs: Infinity })).toStrictEqual(definePolicy({}));
  });
});

describe('a policy that says all', () => {
  it('is taken as it is', () => {
    expect(definePolicy(complete)).toStrictEqual(complete);
  });

  it('may say it in the extreme', () => {
    const extremes: RetryPolicy[] = [
      { maxAttempts: 1, maxRetryAfterMs: Infinity, attemptTimeoutMs: Number.MIN_VALUE, totalBudgetMs: Number.MIN_VALUE },
      { maxAttempts: Infinity, attemptTimeoutMs: Number.MAX_VALUE, totalBudgetMs: Number.MAX_VALUE },
      { backoff: { baseMs: 0, capMs: 0, factor: 1 } },
      { backoff: { baseMs: Number.MAX_VALUE, capMs: Number.MAX_VALUE, factor: Number.MAX_VALUE } },
    ];
    for (const policy of extremes) expect(definePolicy(policy)).toMatchObject(policy);
  });

  it('keeps the defaults of a backoff that it names in part', () => {
    expect(definePolicy({ backoff: { capMs: 9 } }).backoff).toEqual({ baseMs: 2_000, capMs: 9, factor: 2 });
  });

  it('takes a single classifier for a list of one', () => {
    expect(definePolicy({ classify: unknown }).classify).toEqual([unknown]);
  });

  it('may be an object of any prototype', () => {
    const bare = Object.assign(Object.create(null), { maxAttempts: 2 });
    expect(definePolicy(bare).maxAttempts).toBe(2);
    expect(definePolicy(Object.create({ maxAttempts: 3 })).maxAttempts).toBe(3);
  });
});

describe('definePolicy', () => {
  it('freezes what it answers to the ground, and neither freezes nor changes what it is given', () => {
    const classify = [unknown];
    const backoff = { baseMs: 10 };
    const policy = { backoff, classify };
    const resolved = definePolicy(policy);
    expect([resolved, resolved.backoff, resolved.classify].map(Object.isFrozen)).toEqual([true, true, true]);
    expect([policy, backoff, classify].map(Object.isFrozen)).toEqual([false, false, false]);
    expect(policy).toStrictEqual({ backoff: { baseMs: 10 }, classify: [unknown] });
    classify.push(unknown);
    backoff.baseMs = 20;
    expect([resolved.classify.length, resolved.backoff.baseMs]).toEqual([1, 10]);
  });

  it('answers a resolved policy as it is', () => {
    const resolved = definePolicy(complete);
    expect(definePolicy(resolved)).toBe(resolved);
  });

  it('checks a copy of a resolved policy again', () => {
    const resolved = definePolicy(complete);
    const copy = definePolicy({ ...resolved, maxAttempts: 2 });
    expect(copy).toStrictEqual({ ...complete, maxAttempts: 2 });
    expect(Object.isFrozen(copy)).toBe(true);
    expect(() => definePolicy({ ...resolved, maxAttempts: 0 })).toThrow(RangeError);
    expect(() =>
      decide({ attempt: 1, error: 1, elapsedMs: 0 }, { ...resolved, jitter: 'ful' } as never, { now: 0, random: delay }),
    ).toThrow(RangeError);
  });

  it('reads each option once, so that it cannot change between the check and the use', () => {
    const read = vi.fn(() => (read.mock.calls.length === 1 ? 3 : -1));
    expect(definePolicy(Object.defineProperty({}, 'maxAttempts', { get: read, enumerable: true })).maxAttempts).toBe(3);
  });
});

describe('a policy that is wrong', () => {
  const rangeErrors: [string, unknown, string][] = [
    ...[0, -1, 1.5, Number.NaN, -Infinity].map((value): [string, unknown, string] => ['maxAttempts', value, 'an integer >= 1 or Infinity']),
    ...['backoff.baseMs', 'backoff.capMs'].flatMap((name) =>
      [-1, -0.5, Number.NaN, Infinity].map((value): [string, unknown, string] => [name, value, 'a finite number >= 0']),
    ),
    ...[0.5, 0, -2, Number.NaN, Infinity].map((value): [string, unknown, string] => ['backoff.factor', value, 'a finite number >= 1']),
    ...['Full', '', 'toString'].map((value): [string, unknown, string] => ['jitter', value, 'one of full, equal, decorrelated, none']),
    ...['attemptTimeoutMs', 'totalBudgetMs'].flatMap((name) =>
      [0, -1, Number.NaN, -Infinity].map((value): [string, unknown, string] => [name, value, 'a number > 0']),
    ),
    ...[-1, Number.NaN].map((value): [string, unknown, string] => ['maxRetryAfterMs', value, 'a number >= 0']),
  ];
  const numeric = [
    'maxAttempts',
    'backoff.baseMs',
    'backoff.capMs',
    'backoff.factor',
    'attemptTimeoutMs',
    'totalBudgetMs',
    'maxRetryAfterMs',
  ];
  const typeErrors: [string, unknown, string][] = [
    ...numeric.flatMap((name) => [null, '100', true, 10n, [], {}].map((value): [string, unknown, string] => [name, value, ''])),
    ...[null, 5, '2000', true, () => {}].map((value): [string, unknown, string] => ['backoff', value, 'an object']),
    ...[null, 5, true, ['full']].map((value): [string, unknown, string] => ['jitter', value, 'one of full, equal, decorrelated, none']),
    ...['delay', 'classifyValue'].flatMap((name) =>
      [null, 1_000, 'x', {}, [delay]].map((value): [string, unknown, string] => [name, value, 'a function']),
    ),
    ...[null, 'transient', 5, {}, new Set([unknown]), [unknown, null], ['x'], [undefined], new Array(1)].map(
      (value): [string, unknown, string] => ['classify', value, 'a function or an array of functions'],
    ),
  ];
  const having = (name: string, value: unknown) =>
    name.startsWith('backoff.') ? { backoff: { [name.slice('backoff.'.length)]: value } } : { [name]: value };

  it.each(rangeErrors)('is a RangeError where %s is %o', (name, value, rule) => {
    const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
    expect(refusalOf(having(name, value))).toEqual(new RangeError(`invalid retry policy: ${name} must be ${rule}, got ${shown}`));
  });

  it.each(typeErrors)('is a TypeError where %s is %o', (name, value, rule) => {
    const error = refusalOf(having(name, value));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(new RegExp(`^invalid retry policy: ${name} must be ${rule}[^;]*, got `));
  });

  it('has all its faults told in one message', () => {
    const error = refusalOf({ maxAttempts: 0, backoff: { capMs: -5 } });
    expect(error).toEqual(
      new RangeError(
        'invalid retry policy: maxAttempts must be an integer >= 1 or Infinity, got 0; backoff.capMs must be a finite number >= 0, got -5',
      ),
    );
  });

  it('is a TypeError if any fault is one of type', () => {
    const error = refusalOf({ maxAttempts: '4', totalBudgetMs: 0 });
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/maxAttempts must be .*, got "4"; totalBudgetMs must be .*, got 0$/);
    expect(refusalOf({ maxAttempts: 0, totalBudget: 1 })).toBeInstanceOf(TypeError);
  });

  it.each([
    ['maxAttempt', 'maxAttempts'],
    ['maxattempts', 'maxAttempts'],
    ['attempts', 'maxAttempts'],
    ['Jitter', 'jitter'],
    ['back_off', 'backoff'],
    ['delayMs', 'delay'],
    ['timeoutMs', 'attemptTimeoutMs'],
    ['totalBudget', 'totalBudgetMs'],
    ['maxRetryAfter', 'maxRetryAfterMs'],
    ['classifier', 'classify'],
    ['classifyvalue', 'classifyValue'],
    ['backoff.base', 'backoff.baseMs'],
    ['backoff.capMS', 'backoff.capMs'],
  ])('has an unknown name %s, where %s was meant', (given, meant) => {
    expect(refusalOf(having(given, 1))).toEqual(new TypeError(`invalid retry policy: unknown option ${given} (did you mean ${meant}?)`));
  });

  it.each(['constructor', 'toString', '__proto__', ''])('has an unknown name %j, which every object or none might know', (name) => {
    const policy = JSON.parse(`{ ${JSON.stringify(name)}: 1 }`);
    expect(refusalOf(policy)).toBeInstanceOf(TypeError);
    expect(refusalOf(policy).message).toContain(`unknown option ${name}`);
  });

  it.each<[unknown, string]>([
    [null, 'null'],
    [4, '4'],
    ['full', '"full"'],
    [true, 'true'],
    [() => {}, 'function'],
  ])('is no policy at all: %o', (policy, shown) => {
    expect(refusalOf(policy)).toEqual(new TypeError(`invalid retry policy: policy must be an object, got ${shown}`));
  });

  it('is not told letter by letter where text stands in place of a backoff', () => {
    expect(refusalOf({ backoff: 'exponential' })).toEqual(
      new TypeError('invalid retry policy: backoff must be an object, got "exponential"'),
    );
  });

  it('ends a run before its first attempt, with the same error as a rejection', async () => {
    const task = vi.fn();
    const policy = { maxAttempts: 0, backoff: { capMs: -5 } };
    await expect(runWithRetry(task, policy)).rejects.toEqual(refusalOf(policy));
    expect(task).not.toHaveBeenCalled();
  });
});

it('a policy has no memory: a second run counts its own attempts', async () => {
  const policy = definePolicy({ maxAttempts: 3 });
  const options = { clock: frozenClock(0), random: fixedRandom(0) };
  const run = () =>
    runWithRetry(
      () => {
        throw new TransientFailure('503');
      },
      policy,
      options,
    );
  const together = await Promise.all([run(), run()]);
  const later = await run();
  expect([...together, later].map(({ attempts }) => attempts)).toEqual([3, 3, 3]);
});
