import { decide, isRetryHookError, type RandomSource, type RetryDecision, type RetryHookError, type RetryPolicy } from 'retry-policy';
import { fixedRandom, seededRandom } from 'retry-policy/testing';
import { describe, expect, it, vi } from 'vitest';

type Delay = NonNullable<RetryPolicy['delay']>;

const shortest = fixedRandom(0);
const longest = fixedRandom(Infinity);
const error = new Error('503');

/** The decision after a transient failure that runs into no limit. */
const planned = (policy: RetryPolicy, random: RandomSource = longest, failure: object = {}) => {
  const unlimited = { maxAttempts: Infinity, ...policy };
  const decision = decide({ attempt: 1, error, elapsedMs: 0, verdict: 'transient', ...failure }, unlimited, { now: 0, random });
  expect(decision.action).toBe('retry');
  return decision as RetryDecision;
};
const hint = (retryAfterMs: number) => ({ verdict: { verdict: 'transient', retryAfterMs } });
const faultOf = (delay: unknown, random: unknown = longest): RetryHookError => {
  try {
    planned({ delay: delay as Delay }, random as RandomSource);
  } catch (fault) {
    if (isRetryHookError(fault)) return fault;
    throw fault;
  }
  throw new Error('the delay was believed');
};
const throwing = (cause: unknown) => () => {
  throw cause;
};

describe('the drawn wait', () => {
  const backoff = { baseMs: 1_000, capMs: 5_000, factor: 2 };

  it.each<[RetryPolicy['jitter'], number, readonly [number, number]]>([
    ['full', 1, [0, 1_000]],
    ['full', 3, [0, 4_000]],
    ['full', 4, [0, 5_000]],
    ['full', 1_000_000, [0, 5_000]],
    [undefined, 2, [0, 2_000]],
    ['equal', 1, [500, 1_000]],
    ['equal', 3, [2_000, 4_000]],
    ['equal', 4, [2_500, 5_000]],
    ['decorrelated', 1, [1_000, 3_000]],
    ['decorrelated', 9, [1_000, 3_000]],
  ])('of %s jitter after attempt %s is drawn from %o', (jitter, attempt, drawnFrom) => {
    const policy = { jitter, backoff };
    expect(planned(policy, shortest, { attempt })).toMatchObject({ backoffMs: drawnFrom[0], drawnFrom });
    expect(planned(policy, longest, { attempt })).toMatchObject({ backoffMs: drawnFrom[1], drawnFrom });
    const ask = vi.fn<RandomSource>((min) => min + 1);
    expect(planned(policy, ask, { attempt }).backoffMs).toBe(drawnFrom[0] + 1);
    expect(ask.mock.calls).toEqual([[...drawnFrom]]);
  });

  it.each<[number | undefined, readonly [number, number]]>([
    [undefined, [1_000, 3_000]],
    [0, [1_000, 1_000]],
    [1_000, [1_000, 3_000]],
    [1_500, [1_000, 4_500]],
    [5_000, [1_000, 5_000]],
    [Number.MAX_VALUE, [1_000, 5_000]],
  ])('of decorrelated jitter grows from the wait before: %s', (previousDelayMs, drawnFrom) => {
    expect(planned({ jitter: 'decorrelated', backoff }, longest, { previousDelayMs })).toMatchObject({
      drawnFrom,
      backoffMs: drawnFrom[1],
    });
  });

  it.each(['full', 'equal'] as const)('of %s jitter does not depend on the wait before', (jitter) => {
    expect(planned({ jitter, backoff }, longest, { previousDelayMs: 50 })).toEqual(planned({ jitter, backoff }));
  });

  it('without jitter is the backoff itself in whole milliseconds, and chance is not asked', () => {
    const random = vi.fn(longest);
    const waits = [1, 2, 3].map((attempt) => planned({ jitter: 'none', backoff: { baseMs: 1.5, factor: 3 } }, random, { attempt }));
    expect(waits.map(({ backoffMs }) => backoffMs)).toEqual([1, 4, 13]);
    for (const wait of waits) expect(wait).not.toHaveProperty('drawnFrom');
    expect(random).not.toHaveBeenCalled();
  });

  // ferd/backoff#8: at the maximum every client waited the same time
  it('is spread at the cap as well', () => {
    const waits = [0.1, 0.9].map((unit) => planned({}, (_, max) => Math.floor(unit * max), { attempt: 50 }).delayMs);
    expect(waits).toEqual([6_000, 54_000]);
  });

  it.each<[string, unknown]>([
    ['a fraction, as Math.random answers', 0.5],
    ['more than it was asked for', 2_001],
    ['less than it was asked for', -1],
    ['no number', '5'],
    ['NaN', Number.NaN],
    ['nothing', undefined],
    ['a promise', Promise.resolve(5)],
  ])('is refused where random answers %s', (_, answer) => {
    const environment = { now: 0, random: () => answer as number };
    try {
      decide({ attempt: 1, error, elapsedMs: 0, verdict: 'transient' }, {}, environment);
      expect.unreachable();
    } catch (fault) {
      expect(isRetryHookError(fault) && [fault.hook, fault.error]).toEqual(['random', error]);
      expect((fault as Error).cause).toBeInstanceOf(RangeError);
      expect((fault as Error).message).toContain('randomFrom');
    }
  });

  it('is refused where random throws', () => {
    const boom = new Error('boom');
    expect(() => planned({}, throwing(boom))).toThrow(expect.objectContaining({ hook: 'random', cause: boom, error }));
  });
});

describe('the wait that a server demands', () => {
  it.each<[number, number, number, number]>([
    [0, 1_000, 0, 1_000],
    [0.5, 1_000, 500, 1_500],
    [1, 1_000, 1_000, 2_000],
    [0, 1.4, 0, 2], // openclaw/openclaw#68600: rounding down broke the floor
    [1, 0, 1_000, 1_000],
    [1, 60_000, 1_000, 61_000],
  ])('is a floor with jitter on top: drawing at %s after a hint of %s ms', (unit, retryAfterMs, backoffMs, delayMs) => {
    const policy = { backoff: { baseMs: 1_000 } };
    const decision = planned(policy, (_, max) => Math.floor(unit * max), hint(retryAfterMs));
    expect(decision).toMatchObject({ backoffMs, delayMs, retryAfterMs: Math.ceil(retryAfterMs), retryAt: delayMs });
  });

  it('is no part of the wait before, from which decorrelated jitter grows', () => {
    const policy: RetryPolicy = { jitter: 'decorrelated', backoff: { baseMs: 100 } };
    const first = planned(policy, longest, hint(5_000));
    expect([first.delayMs, first.backoffMs]).toEqual([5_300, 300]);
    expect(planned(policy, longest, { attempt: 2, previousDelayMs: first.backoffMs }).drawnFrom).toEqual([100, 900]);
  });
});

describe('a custom delay', () => {
  it.each<[number, number]>([
    [0, 0],
    [700, 700],
    [1.2, 2],
    [Number.MIN_VALUE, 1],
    [Number.MAX_VALUE, Number.MAX_SAFE_INTEGER],
  ])('that answers %s ms is a wait of %s ms, rounded up, in place of backoff and jitter', (answer, backoffMs) => {
    const decision = planned({ delay: () => answer, backoff: { baseMs: 9 }, jitter: 'equal' });
    expect([decision.backoffMs, decision.delayMs]).toEqual([backoffMs, backoffMs]);
    expect(planned({ delay: () => answer }, longest, { attempt: 1_025 }).backoffMs).toBe(backoffMs);
    expect(decision).not.toHaveProperty('drawnFrom');
  });

  it('is told of the failure, and what it answers comes on top of the wait that the server demands', () => {
    const delay = vi.fn<Delay>(() => 30);
    const failure = { attempt: 3, elapsedMs: 4_000, previousDelayMs: 20, ...hint(99.5) };
    expect(planned({ delay }, longest, failure)).toMatchObject({ backoffMs: 30, retryAfterMs: 100, delayMs: 130 });
    const [context] = delay.mock.calls[0] ?? [];
    expect(context).toEqual({ attempt: 3, error, elapsedMs: 4_000, previousDelayMs: 20, retryAfterMs: 100 });
    expect(context?.error).toBe(error);
    expect(delay).toHaveBeenCalledOnce();
  });

  it('draws from the random source of the run', () => {
    const [mine, other] = [seededRandom(7), seededRandom(7)];
    expect(planned({ delay: (_, random) => random(10, 1_000_000) }, mine).backoffMs).toBe(other(10, 1_000_000));
  });

  // sindresorhus/got#2102: a delay function overruled the attempt limit
  it('lifts no limit', () => {
    const delay = vi.fn(() => 0);
    const end = (failure: object, policy: RetryPolicy = {}) =>
      decide({ attempt: 1, error, elapsedMs: 0, verdict: 'transient', ...failure }, { delay, ...policy }, { now: 0, random: longest });
    expect(end({ attempt: 4 })).toMatchObject({ reason: 'attempts-exhausted' });
    expect(end({ verdict: 'permanent' })).toMatchObject({ reason: 'permanent' });
    expect(end({ committed: true })).toMatchObject({ reason: 'committed' });
    expect(end({ elapsedMs: 50 }, { totalBudgetMs: 50 })).toMatchObject({ reason: 'budget-exhausted' });
    expect(end(hint(60_001))).toMatchObject({ reason: 'retry-after-too-long' });
    expect(delay).not.toHaveBeenCalled();
    expect(end({}, { delay: () => 50, totalBudgetMs: 50 })).toMatchObject({ reason: 'budget-exhausted' });
  });

  it.each<[unknown, ErrorConstructor, string]>([
    [-1, RangeError, '-1'],
    [Number.NaN, RangeError, 'NaN'],
    [Infinity, RangeError, 'Infinity'],
    ['5', TypeError, '"5"'],
    [undefined, TypeError, 'undefined'],
    [null, TypeError, 'null'],
    [false, TypeError, 'false'],
    [5n, TypeError, '5'],
    [Promise.resolve(5), TypeError, 'object'],
  ])('that answers %o is a fault of the set-up, told beside the failure', (answer, Fault, shown) => {
    const fault = faultOf(() => answer);
    expect(fault.hook).toBe('delay');
    expect(fault.cause).toEqual(new Fault(`delay() must be a finite number >= 0, got ${shown}`));
    expect(fault.error).toBe(error);
  });

  it('that throws is a fault of the set-up', () => {
    const boom = new Error('boom');
    expect(faultOf(throwing(boom))).toMatchObject({ hook: 'delay', cause: boom, error, log: [] });
  });

  it('that answers a promise is listened to all the same, so that its rejection does not end the process', () => {
    const then = vi.fn((_: unknown, rejected: (reason: unknown) => void) => rejected('late'));
    const promise = Object.assign(new Promise(() => {}), { then });
    faultOf(() => promise);
    expect(then).toHaveReturnedTimes(1);
    faultOf(
      (_: unknown, random: RandomSource) => random(0, 10),
      () => promise,
    );
    expect(then).toHaveReturnedTimes(2);
  });

  it('is not blamed for a bad random source', () => {
    const draws: Delay = (_, random) => random(0, 10);
    expect(faultOf(draws, () => 0.5)).toMatchObject({ hook: 'random', error });
    expect(faultOf(draws, throwing('boom'))).toMatchObject({ hook: 'random', cause: 'boom' });
  });

  it('never sees an answer of the random source that is out of the asked range', () => {
    const see = vi.fn<(answer: unknown) => number>();
    const draws: Delay = (_, random) => see(random(0, 10));
    expect(faultOf(draws, () => 11).hook).toBe('random');
    expect(see).not.toHaveBeenCalled();
  });
});
