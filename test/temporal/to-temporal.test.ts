import { compileRetryPolicy } from '@temporalio/common';
import type { RetryPolicy } from 'retry-policy';
import { notInTemporalRetryPolicy, type TemporalRetryPolicy, toTemporalRetryPolicy } from 'retry-policy/temporal';
import { describe, expect, it } from 'vitest';

const YEAR_MS = 31_536_000_000;

describe("Temporal's own policy", () => {
  it.each<[string, RetryPolicy, Partial<TemporalRetryPolicy>]>([
    ['attempts', { maxAttempts: 7 }, { maximumAttempts: 7 }],
    ['more attempts than the field holds', { maxAttempts: 2 ** 40 }, { maximumAttempts: 2 ** 31 - 1 }],
    [
      'the backoff',
      { backoff: { baseMs: 50, factor: 3, capMs: 900 } },
      { initialInterval: 50, backoffCoefficient: 3, maximumInterval: 900 },
    ],
    ['a cap below the base', { backoff: { baseMs: 500, capMs: 100 } }, { initialInterval: 100, maximumInterval: 100 }],
    ['no wait', { backoff: { baseMs: 0, capMs: 0 } }, { initialInterval: 1, maximumInterval: 1 }],
    ['parts of a millisecond', { backoff: { baseMs: 0.2, capMs: 10.5 } }, { initialInterval: 1, maximumInterval: 11 }],
    ['endless waits', { backoff: { baseMs: 1e300, capMs: 1e301 } }, { initialInterval: YEAR_MS, maximumInterval: YEAR_MS }],
  ])('says %s', (_, policy, expected) => {
    const own = toTemporalRetryPolicy(policy);
    expect(own).toMatchObject(expected);
    expect(() => compileRetryPolicy(own)).not.toThrow();
  });

  it('says nothing of attempts without a limit', () => {
    expect(toTemporalRetryPolicy({ maxAttempts: Infinity })).not.toHaveProperty('maximumAttempts');
  });

  it('is that of the defaults where nothing is given', () => {
    const expected = { initialInterval: 2_000, backoffCoefficient: 2, maximumInterval: 60_000, maximumAttempts: 4 };
    expect(toTemporalRetryPolicy()).toEqual(expected);
  });

  it('is none of a policy that is wrong', () => {
    expect(() => toTemporalRetryPolicy({ maxAttempts: 0 })).toThrow('maxAttempts');
    expect(() => notInTemporalRetryPolicy({ maxAttempts: 0 })).toThrow('maxAttempts');
  });
});

describe('what it cannot say', () => {
  const always = ['which errors are permanent: all are repeated', 'waits that the server demands'];

  it.each<[string[], RetryPolicy]>([
    [[], { jitter: 'none' }],
    [["jitter: 'full': every wait is as long as its backoff"], {}],
    [['delay: the backoff is used'], { delay: () => 5, jitter: 'equal' }],
    [['waits below 1 ms'], { jitter: 'none', backoff: { baseMs: 0 } }],
    [['waits below 1 ms'], { jitter: 'none', backoff: { capMs: 0.5 } }],
    [['attemptTimeoutMs: set startToCloseTimeout'], { jitter: 'none', attemptTimeoutMs: 5 }],
    [['totalBudgetMs: set scheduleToCloseTimeout'], { jitter: 'none', totalBudgetMs: 5 }],
    [['classifyValue: every value is a success'], { jitter: 'none', classifyValue: () => undefined }],
  ])('is told in words: %j', (words, policy) => {
    expect(notInTemporalRetryPolicy(policy)).toEqual([...always, ...words]);
  });
});
