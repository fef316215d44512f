import {
  type Classifier,
  decide,
  definePolicy,
  type Environment,
  type Failure,
  markTransient,
  type RetryPolicy,
  TransientFailure,
} from 'retry-policy';
import { fixedRandom, seededRandom } from 'retry-policy/testing';
import { describe, expect, it, vi } from 'vitest';

const now = Date.UTC(2026, 0, 15, 1);
const longest: Environment = { now, random: fixedRandom(Infinity) };
const first: Failure = { attempt: 1, error: new TransientFailure('503'), elapsedMs: 120 };
const ask = (failure: Partial<Failure>, policy: RetryPolicy = {}, environment = longest) =>
  decide({ ...first, ...failure }, policy, environment);

const refuse = () => {
  throw new Error('hands off');
};
const deepFreeze = <T>(value: T): T => {
  if (Object(value) === value && !Object.isFrozen(value)) Object.values(Object.freeze(value) as object).forEach(deepFreeze);
  return value;
};

describe('the gates', () => {
  /** In the documented order, each with what closes it. */
  const gates: [name: string, reason: string, closes: { failure?: Partial<Failure>; policy?: RetryPolicy }][] = [
    ['committed', 'committed', { failure: { committed: true } }],
    ['permanent', 'permanent', { failure: { verdict: 'permanent' } }],
    ['budget spent', 'budget-exhausted', { failure: { elapsedMs: 30_000 } }],
    ['attempts', 'attempts-exhausted', { failure: { attempt: 4 } }],
    ['wait too long', 'retry-after-too-long', { policy: { maxRetryAfterMs: 999 } }],
    ['next outside the budget', 'budget-exhausted', { policy: { attemptTimeoutMs: 25_000 } }],
  ];
  const everySubset = Array.from({ length: 2 ** gates.length }, (_, bits) => gates.filter((_, gate) => bits & (1 << gate)));
  const closing = (subset: typeof gates) => {
    const failure: Partial<Failure> = { elapsedMs: 10_000, verdict: { verdict: 'transient', retryAfterMs: 1_000 } };
    const policy: RetryPolicy = { totalBudgetMs: 30_000 };
    for (const [, , closes] of subset) {
      Object.assign(failure, closes.failure);
      Object.assign(policy, closes.policy);
    }
    return { failure, policy };
  };

  it.each(everySubset.map((subset) => [subset.map(([name]) => name).join(', ') || 'none', subset] as const))(
    'that would close: %s; the first of them names the reason',
    (_, subset) => {
      const { failure, policy } = closing(subset);
      const random = vi.fn(longest.random);
      const decision = ask(failure, policy, { now, random });
      const [closed] = subset;
      expect(decision).toMatchObject(
        closed === undefined ? { action: 'retry', delayMs: 3_000 } : { action: 'dead-letter', reason: closed[1] },
      );
      const isDrawn = closed === undefined || closed[0] === 'next outside the budget';
      expect(random).toHaveBeenCalledTimes(isDrawn ? 1 : 0);
    },
  );

  it('do not ask anybody to judge what is committed', () => {
    const classify = vi.fn<Classifier>();
    expect(ask({ error: new Error('?'), committed: true }, { classify })).not.toHaveProperty('judgedBy');
    expect(classify).not.toHaveBeenCalled();
  });

  it('do not ask mark or classifier where the verdict is given', () => {
    const classify = vi.fn<Classifier>();
    expect(ask({ verdict: 'permanent' }, { classify })).toMatchObject({ reason: 'permanent', judgedBy: 'classifier' });
    expect(ask({ error: 'unmarked', verdict: 'transient' }, { classify })).toMatchObject({ action: 'retry', judgedBy: 'classifier' });
    expect(classify).not.toHaveBeenCalled();
  });

  it.each<[string, Partial<Failure>, RetryPolicy, string | undefined]>([
    ['the budget is spent to the millisecond', { elapsedMs: 500 }, { totalBudgetMs: 500 }, 'budget-exhausted'],
    ['a wait of 0 and an attempt of 1 ms still fit', { elapsedMs: 499 }, { totalBudgetMs: 500, backoff: { baseMs: 0 } }, undefined],
    ['less than 1 ms is left', { elapsedMs: 499.5 }, { totalBudgetMs: 500, backoff: { baseMs: 0 } }, 'budget-exhausted'],
    ['the wait fits and 1 ms after it', { elapsedMs: 27_999 }, { totalBudgetMs: 30_000 }, undefined],
    ['the wait fits and nothing after it', { elapsedMs: 28_000 }, { totalBudgetMs: 30_000 }, 'budget-exhausted'],
    ['wait and attempt limit fit exactly', { elapsedMs: 20_000 }, { totalBudgetMs: 30_000, attemptTimeoutMs: 8_000 }, undefined],
    ['they miss by a millisecond', { elapsedMs: 20_001 }, { totalBudgetMs: 30_000, attemptTimeoutMs: 8_000 }, 'budget-exhausted'],
    ['the attempt limit alone is too long', { elapsedMs: 0 }, { totalBudgetMs: 10, attemptTimeoutMs: 11 }, 'budget-exhausted'],
    ['an attempt limit without a budget', { elapsedMs: 9e15 }, { attemptTimeoutMs: 8_000 }, undefined],
    ['an endless budget', { elapsedMs: 9e15 }, { totalBudgetMs: Infinity, attemptTimeoutMs: Infinity }, undefined],
    ['the last attempt', { attempt: 4 }, {}, 'attempts-exhausted'],
    ['the last but one', { attempt: 3 }, {}, undefined],
    ['one attempt is no retry', { attempt: 1 }, { maxAttempts: 1 }, 'attempts-exhausted'],
    ['more attempts than were allowed', { attempt: 9 }, {}, 'attempts-exhausted'],
    ['no end of attempts', { attempt: Number.MAX_SAFE_INTEGER }, { maxAttempts: Infinity }, undefined],
    ['a server wait at the limit', { error: markTransient({}, { retryAfterMs: 60_000 }) }, {}, undefined],
    ['a server wait above it', { error: markTransient({}, { retryAfterMs: 60_000.1 }) }, {}, 'retry-after-too-long'],
    ['no server wait is obeyed', { error: markTransient({}, { retryAfterMs: 1 }) }, { maxRetryAfterMs: 0 }, 'retry-after-too-long'],
    ['a server wait of nothing', { error: markTransient({}, { retryAfterMs: 0 }) }, { maxRetryAfterMs: 0 }, undefined],
    ['any server wait is obeyed', { error: markTransient({}, { retryAfterMs: 3e8 }) }, { maxRetryAfterMs: Infinity }, undefined],
    ['nobody knows the error', { error: new Error('?') }, {}, 'permanent'],
  ])('%s', (_, failure, policy, reason) => {
    const { action, ...rest } = ask(failure, policy);
    expect([action, 'reason' in rest ? rest.reason : undefined]).toEqual([reason === undefined ? 'retry' : 'dead-letter', reason]);
  });
});

describe('a record', () => {
  const times = { attempt: 1, startedAt: now, durationMs: 0, elapsedMs: 120 };
  const { error } = first;
  const hinted = markTransient(new Error('429'), { retryAfterMs: 99.5 });

  it.each<[string, Partial<Failure>, RetryPolicy, object]>([
    [
      'of a retry',
      {},
      {},
      { ...times, action: 'retry', error, judgedBy: 'mark', backoffMs: 2_000, drawnFrom: [0, 2_000], delayMs: 2_000, retryAt: now + 2_000 },
    ],
    [
      'of a retry without chance',
      {},
      { jitter: 'none' },
      { ...times, action: 'retry', error, judgedBy: 'mark', backoffMs: 2_000, delayMs: 2_000, retryAt: now + 2_000 },
    ],
    [
      'of a retry with a server wait',
      { error: hinted, startedAt: 7, durationMs: 50 },
      { delay: () => 5 },
      {
        ...{ ...times, startedAt: 7, durationMs: 50, action: 'retry', error: hinted, judgedBy: 'mark' },
        ...{ backoffMs: 5, retryAfterMs: 100, delayMs: 105, retryAt: now + 105 },
      },
    ],
    [
      'of an end',
      { attempt: 4 },
      {},
      { ...times, attempt: 4, action: 'dead-letter', error, judgedBy: 'mark', reason: 'attempts-exhausted' },
    ],
    [
      'of a server wait that is too long',
      { error: hinted },
      { maxRetryAfterMs: 99 },
      { ...times, action: 'dead-letter', error: hinted, judgedBy: 'mark', reason: 'retry-after-too-long', retryAfterMs: 100 },
    ],
    ['of what is committed', { committed: true }, {}, { ...times, action: 'dead-letter', error, reason: 'committed' }],
    ['of what nobody knew', { error: 5 }, {}, { ...times, action: 'dead-letter', error: 5, judgedBy: 'default', reason: 'permanent' }],
  ])('%s has its facts and no others, and is frozen', (_, failure, policy, expected) => {
    const decision = ask(failure, policy);
    expect(decision).toStrictEqual(expected);
    expect(Object.isFrozen(decision)).toBe(true);
    if ('drawnFrom' in decision) expect(Object.isFrozen(decision.drawnFrom)).toBe(true);
    expect(JSON.parse(JSON.stringify({ ...decision, error: 0 }))).toEqual({ ...expected, error: 0 });
  });

  it('takes the start of the attempt from its duration where it is not given', () => {
    expect(ask({ durationMs: 1_500 })).toMatchObject({ startedAt: now - 1_500, durationMs: 1_500 });
    expect(ask({ durationMs: 1_500, startedAt: 3 })).toMatchObject({ startedAt: 3, durationMs: 1_500 });
  });

  it('has durations in whole microseconds, as the log of a run', () => {
    expect(ask({ durationMs: 0.123456, elapsedMs: 1.987654 })).toMatchObject({ durationMs: 0.123, elapsedMs: 1.988 });
    expect(ask({ committed: true, elapsedMs: 0.1 + 0.2 })).toMatchObject({ elapsedMs: 0.3 });
  });

  it.each<[string, unknown]>([
    ['a frozen error', Object.freeze(new Error('503'))],
    ['undefined', undefined],
    ['null', null],
    ['text', 'text'],
    ['a symbol', Symbol('s')],
    ['a Proxy whose traps throw', new Proxy({}, { get: refuse, ownKeys: refuse, getPrototypeOf: refuse })],
  ])('keeps what was thrown by identity: %s', (_, thrown) => {
    const retry = ask({ error: thrown, verdict: 'transient' });
    expect(retry.error === thrown && 'error' in retry).toBe(true);
    const end = ask({ error: thrown });
    expect(end.error === thrown && 'error' in end).toBe(true);
  });
});

describe('decide', () => {
  it('changes neither failure nor policy nor environment, and answers the same to the same', () => {
    const policy: RetryPolicy = { backoff: { baseMs: 10, capMs: 90 }, jitter: 'decorrelated', classify: [() => 'transient'] };
    const failure: Failure = { ...first, error: { code: 503 }, previousDelayMs: 40 };
    const once = () => decide(deepFreeze(failure), deepFreeze(policy), deepFreeze({ now, random: seededRandom(5) }));
    expect(once()).toEqual(once());
    expect(once()).toMatchObject({ action: 'retry', drawnFrom: [10, 90] });
  });

  it('decides the same on a policy and on what definePolicy makes of it', () => {
    const policy: RetryPolicy = { maxAttempts: 2, totalBudgetMs: 500, jitter: 'equal', backoff: { baseMs: 7 } };
    for (const attempt of [1, 2]) expect(ask({ attempt }, definePolicy(policy))).toEqual(ask({ attempt }, policy));
  });

  it('takes undefined for absent', () => {
    const silent = { startedAt: undefined, durationMs: undefined, previousDelayMs: undefined, committed: undefined, verdict: undefined };
    expect(ask(silent)).toStrictEqual(ask({}));
    expect(decide(first, undefined as never, longest)).toStrictEqual(ask({}));
  });

  it.each<[object, ErrorConstructor, string]>([
    [{ attempt: 0 }, RangeError, 'failure.attempt must be an integer >= 1, got 0'],
    [{ attempt: 1.5 }, RangeError, 'failure.attempt must be an integer >= 1, got 1.5'],
    [{ attempt: Infinity }, RangeError, 'failure.attempt must be an integer >= 1, got Infinity'],
    [{ attempt: '1' }, TypeError, 'failure.attempt must be an integer >= 1, got "1"'],
    [{ attempt: undefined }, TypeError, 'failure.attempt must be an integer >= 1, got undefined'],
    [{ elapsedMs: -1 }, RangeError, 'failure.elapsedMs must be a finite number >= 0, got -1'],
    [{ elapsedMs: Number.NaN }, RangeError, 'failure.elapsedMs must be a finite number >= 0, got NaN'],
    [{ elapsedMs: null }, TypeError, 'failure.elapsedMs must be a finite number >= 0, got null'],
    [{ durationMs: Infinity }, RangeError, 'failure.durationMs must be a finite number >= 0, got Infinity'],
    [{ startedAt: Number.NaN }, RangeError, 'failure.startedAt must be a finite number, got NaN'],
    [{ startedAt: new Date(0) }, TypeError, 'failure.startedAt must be a finite number, got object'],
    [{ previousDelayMs: -1 }, RangeError, 'failure.previousDelayMs must be a finite number >= 0, got -1'],
    [{ previousDelayMs: null }, TypeError, 'failure.previousDelayMs must be a finite number >= 0, got null'],
    [{ committed: 1 }, TypeError, 'failure.committed must be a boolean, got 1'],
    [{ verdict: null }, TypeError, `a verdict must be 'transient', 'permanent' or { verdict: 'transient', retryAfterMs }, got null`],
    [{ verdict: 'retry' }, TypeError, `a verdict must be 'transient', 'permanent' or { verdict: 'transient', retryAfterMs }, got "retry"`],
    [
      { elapsed: 5 },
      TypeError,
      'unknown option elapsed (known: attempt, error, elapsedMs, startedAt, durationMs, previousDelayMs, committed, verdict)',
    ],
  ])('refuses a failure with %o', (wrong, Fault, message) => {
    expect(() => ask(wrong)).toThrow(new Fault(message));
  });

  it.each<[object, ErrorConstructor, string]>([
    [{ now: Number.NaN }, RangeError, 'environment.now must be a finite number, got NaN'],
    [{ now: '0' }, TypeError, 'environment.now must be a finite number, got "0"'],
    [{ now: undefined }, TypeError, 'environment.now must be a finite number, got undefined'],
    [{ random: undefined }, TypeError, 'environment.random must be a function, got undefined'],
    [{ clock: {} }, TypeError, 'unknown option clock (known: now, random)'],
  ])('refuses an environment with %o', (wrong, Fault, message) => {
    expect(() => ask({ committed: true }, {}, { ...longest, ...wrong })).toThrow(new Fault(message));
  });

  it('refuses a policy that is wrong, also where nothing of it would be asked', () => {
    expect(() => ask({ committed: true }, { maxAttempts: 0 })).toThrow(RangeError);
    expect(() => ask({ committed: true }, null as never)).toThrow(
      new TypeError('invalid retry policy: policy must be an object, got null'),
    );
  });
});
