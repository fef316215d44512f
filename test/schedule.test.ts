import { definePolicy, isRetryHookError, previewSchedule, type RetryPolicy } from 'retry-policy';
import { describe, expect, it, vi } from 'vitest';

const delays = (policy: RetryPolicy, attempts?: number) => previewSchedule(policy, attempts).map(({ delayMs }) => delayMs);

describe('previewSchedule', () => {
  it('has one row for each attempt but the last, with the wait and the sum of waits', () => {
    expect(previewSchedule({})).toEqual([
      { attempt: 1, delayMs: 2_000, totalDelayMs: 2_000 },
      { attempt: 2, delayMs: 4_000, totalDelayMs: 6_000 },
      { attempt: 3, delayMs: 8_000, totalDelayMs: 14_000 },
    ]);
  });

  it('shows the worked values of the defaults', () => {
    const rows = previewSchedule({ maxAttempts: 7 });
    expect(rows.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(rows.map(({ delayMs }) => delayMs)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
    expect(rows.map(({ totalDelayMs }) => totalDelayMs)).toEqual([2_000, 6_000, 14_000, 30_000, 62_000, 122_000]);
  });

  it.each<[string, RetryPolicy, number[]]>([
    ['full', { jitter: 'full' }, [2_000, 4_000, 8_000, 16_000, 32_000]],
    ['equal', { jitter: 'equal' }, [2_000, 4_000, 8_000, 16_000, 32_000]],
    ['no', { jitter: 'none' }, [2_000, 4_000, 8_000, 16_000, 32_000]],
    ['decorrelated', { jitter: 'decorrelated' }, [6_000, 18_000, 54_000, 60_000, 60_000]],
  ])('shows the longest waits of %s jitter', (_, policy, expected) => {
    expect(delays({ ...policy, maxAttempts: 6 })).toEqual(expected);
  });

  it('shows whole milliseconds also of a fraction of a base', () => {
    expect(delays({ backoff: { baseMs: 1.5, factor: 3 } })).toEqual([1, 4, 13]);
  });

  it.each<[string, number | undefined, number | undefined, number]>([
    ['one attempt', 1, undefined, 0],
    ['two attempts', 2, undefined, 1],
    ['no limit', Infinity, undefined, 10],
    ['no limit, but the question is for 4', Infinity, 4, 3],
    ['4 attempts, but the question is for 1', 4, 1, 0],
    ['4 attempts, but the question is for 7', 4, 7, 6],
    ['4 attempts, but the question is for all', 4, Infinity, 10],
  ])('has the right number of rows for %s', (_, maxAttempts, attempts, rows) => {
    expect(previewSchedule({ maxAttempts }, attempts)).toHaveLength(rows);
  });

  it('leaves limits aside: neither the budget nor the attempt limit shortens it', () => {
    const policy = { totalBudgetMs: 1, attemptTimeoutMs: 1, maxRetryAfterMs: 0 };
    expect(previewSchedule(policy)).toEqual(previewSchedule({}));
  });

  it('takes a resolved policy as well', () => {
    expect(previewSchedule(definePolicy({ maxAttempts: 3 }))).toEqual(previewSchedule({ maxAttempts: 3 }));
  });

  it('asks a custom delay in order, with chance at its upper end and the waits so far', () => {
    const delay = vi.fn<NonNullable<RetryPolicy['delay']>>(({ attempt }, random) => random(attempt, attempt * 100));
    expect(previewSchedule({ delay })).toEqual([
      { attempt: 1, delayMs: 100, totalDelayMs: 100 },
      { attempt: 2, delayMs: 200, totalDelayMs: 300 },
      { attempt: 3, delayMs: 300, totalDelayMs: 600 },
    ]);
    expect(delay.mock.calls.map(([context]) => context)).toEqual([
      { attempt: 1, error: undefined, elapsedMs: 0 },
      { attempt: 2, error: undefined, elapsedMs: 100, previousDelayMs: 100 },
      { attempt: 3, error: undefined, elapsedMs: 300, previousDelayMs: 200 },
    ]);
  });

  it('tells the fault of a custom delay as one of that hook', () => {
    const boom = new Error('boom');
    const delay = () => {
      throw boom;
    };
    try {
      previewSchedule({ delay });
      expect.unreachable();
    } catch (fault) {
      expect(isRetryHookError(fault) && [fault.hook, fault.cause, fault.log, 'error' in fault]).toEqual(['delay', boom, [], false]);
    }
  });

  it.each<[unknown, ErrorConstructor]>([
    [0, RangeError],
    [-1, RangeError],
    [2.5, RangeError],
    [Number.NaN, RangeError],
    ['3', TypeError],
    [null, TypeError],
  ])('refuses to show %s attempts', (attempts, Fault) => {
    const message = `attempts must be an integer >= 1 or Infinity, got ${attempts === '3' ? '"3"' : attempts}`;
    expect(() => previewSchedule({}, attempts as number)).toThrow(new Fault(message));
  });

  it('refuses a policy that is wrong', () => {
    expect(() => previewSchedule({ maxAttempts: 0 })).toThrow(RangeError);
    expect(() => previewSchedule(null as never)).toThrow(TypeError);
  });
});
