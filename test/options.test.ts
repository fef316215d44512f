import { definePolicy, runWithRetry } from 'retry-policy';
import { describe, expect, it } from 'vitest';

// Through the two edges that take options, since what a user reads is the message.

const faultOf = (policy: unknown): Error => {
  try {
    definePolicy(policy as never);
  } catch (error) {
    return error as Error;
  }
  throw new Error('the policy was taken');
};

/** The faults that a message tells, whatever their order. */
const faultsIn = ({ message }: Error): string[] => message.replace('invalid retry policy: ', '').split('; ').sort();

describe('all faults together', () => {
  it('says nothing when nothing is wrong', () => {
    expect(() => definePolicy({ maxAttempts: 4, backoff: { baseMs: 0 }, delay: undefined })).not.toThrow();
  });

  it('tells every fault once, with option, rule and value', () => {
    const error = faultOf({ maxAttempts: 0, backoff: { baseMs: 2_000, capMs: -5, factor: 0.5 }, totalBudgetMs: 0 });
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toMatch(/^invalid retry policy: /);
    expect(faultsIn(error)).toEqual([
      'backoff.capMs must be a finite number >= 0, got -5',
      'backoff.factor must be a finite number >= 1, got 0.5',
      'maxAttempts must be an integer >= 1 or Infinity, got 0',
      'totalBudgetMs must be a number > 0, got 0',
    ]);
  });

  it.each([
    ['a value of the wrong type beside one out of range', { maxAttempts: '4', maxRetryAfterMs: -5 }],
    ['a value out of range beside one of the wrong type', { maxAttempts: 0, maxRetryAfterMs: '5' }],
    ['an unknown name beside a value out of range', { maxAttempts: 0, retries: 5 }],
    ['a value of the wrong type further in', { maxAttempts: 0, backoff: { baseMs: '100' } }],
  ])('is a TypeError for %s, and tells both', (_name, policy) => {
    const error = faultOf(policy);
    expect(error).toBeInstanceOf(TypeError);
    expect(faultsIn(error)).toHaveLength(2);
  });

  it('tells of the options of a run in the same way, as a rejection', async () => {
    const options = { logLimit: -1, idempotencyKey: '', onDecison: () => {} };
    const error: Error = await runWithRetry(() => 'done', {}, options as never).catch((fault) => fault);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^invalid run options: /);
    expect(error.message).toContain('logLimit must be an integer >= 0, got -1');
    expect(error.message).toContain('idempotencyKey must be a string that is not empty, got ""');
    expect(error.message).toContain('unknown option onDecison (did you mean onDecision?)');
  });
});

describe('absent options', () => {
  // tim-kos/node-retry#90: an explicit undefined overwrote the default, and the delay became NaN.
  it('takes undefined for absent', () => {
    const nothing = { maxAttempts: undefined, backoff: { baseMs: undefined, capMs: undefined, factor: undefined }, classify: undefined };
    expect(definePolicy(nothing)).toEqual(definePolicy({}));
    expect(definePolicy({ ...nothing, backoff: undefined })).toEqual(definePolicy({}));
  });

  it('takes undefined for absent among the options of a run as well', async () => {
    const nothing = { clock: undefined, random: undefined, signal: undefined, onDecision: undefined, idempotencyKey: undefined };
    await expect(runWithRetry(() => 'done', {}, { ...nothing, logLimit: undefined })).resolves.toMatchObject({ ok: true });
  });

  it.each(['maxAttempts', 'backoff', 'jitter', 'delay', 'attemptTimeoutMs', 'totalBudgetMs', 'maxRetryAfterMs', 'classifyValue'])(
    'takes null for a fault: %s',
    (name) => {
      const error = faultOf({ [name]: null });
      expect(error).toBeInstanceOf(TypeError);
      expect(faultsIn(error)).toEqual([expect.stringMatching(new RegExp(`^${name} must be .+, got null$`))]);
    },
  );

  it.each([
    ['null', null, 'null'],
    ['a number', 4, '4'],
    ['a function', () => {}, 'function'],
    ['a text', '', '""'],
  ])('refuses %s in the place of options', (_name, policy, shown) => {
    expect(faultOf(policy)).toEqual(new TypeError(`invalid retry policy: policy must be an object, got ${shown}`));
    expect(faultOf({ backoff: policy })).toEqual(new TypeError(`invalid retry policy: backoff must be an object, got ${shown}`));
  });
});

describe('unknown names', () => {
  it.each([
    ['maxAttempt', 'maxAttempts'],
    ['MaxAttempts', 'maxAttempts'],
    ['TOTALBUDGETMS', 'totalBudgetMs'],
    ['attempts', 'maxAttempts'],
    ['attemptTimeout', 'attemptTimeoutMs'],
    ['timeoutMs', 'attemptTimeoutMs'],
    ['totalBudget', 'totalBudgetMs'],
    ['budgetMs', 'totalBudgetMs'],
    ['backof', 'backoff'],
    ['retryAfterMs', 'maxRetryAfterMs'],
    ['jiter', 'jitter'],
  ])('suggests for %s the known name %s', (given, nearest) => {
    for (const value of [undefined, 5, -5]) {
      expect(faultOf({ [given]: value })).toEqual(
        new TypeError(`invalid retry policy: unknown option ${given} (did you mean ${nearest}?)`),
      );
    }
  });

  it.each(['minTimeout', 'retries', 'signal', 'x'])('suggests no name for %s, which is like none, and lists all', (given) => {
    const known = 'maxAttempts, backoff, jitter, delay, attemptTimeoutMs, totalBudgetMs, maxRetryAfterMs, classify, classifyValue';
    expect(faultOf({ [given]: 1 })).toEqual(new TypeError(`invalid retry policy: unknown option ${given} (known: ${known})`));
  });

  it('tells where the name stands, and each one', () => {
    expect(faultsIn(faultOf({ backoff: { baseMs: 5, cap: 5, factr: 5 } }))).toEqual([
      'unknown option backoff.cap (did you mean backoff.capMs?)',
      'unknown option backoff.factr (did you mean backoff.factor?)',
    ]);
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])('does not know %s, which every object has', (name) => {
    for (const value of ['5', '-5', 'null', '"x"']) {
      const error = faultOf(JSON.parse(`{ "${name}": ${value} }`));
      expect(error).toBeInstanceOf(TypeError);
      expect(faultsIn(error)).toEqual([expect.stringContaining(`unknown option ${name} (known: `)]);
    }
  });

  it('finds one that is inherited, since inherited options are read too', () => {
    expect(definePolicy(Object.create({ maxAttempts: 3 })).maxAttempts).toBe(3);
    expect(faultOf(Object.create({ maxAttempt: 3 })).message).toContain('unknown option maxAttempt ');
  });
});
