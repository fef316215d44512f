import { queueOptions, workOptions } from 'retry-policy/pg-boss';
import { expect, it } from 'vitest';

it.each([
  [0, 1],
  [1_000, 1],
  [1_001, 2],
  [86_399_000, 86_399],
  [1e300, 86_399],
])('a queue gives a job of a killed worker again after the longest backoff: %d ms', (capMs, retryDelay) => {
  expect(queueOptions({ backoff: { capMs } })).toEqual({ retryLimit: 1_000_000, retryDelay, retryBackoff: false });
});

it.each([
  [1, 61],
  [60_000, 120],
  [86_339_000, 86_399],
  [1e12, 86_399],
])('a queue takes a job back when the time limit of its attempt is long over: %d ms', (attemptTimeoutMs, expireInSeconds) => {
  expect(queueOptions({ attemptTimeoutMs })).toMatchObject({ expireInSeconds });
});

it('a queue needs a policy that is right', () => {
  expect(queueOptions()).toEqual(queueOptions({}));
  expect(() => queueOptions({ maxAttempts: 0 })).toThrow('maxAttempts');
});

it('a worker needs metadata, and a result for each job', () => {
  expect(workOptions).toEqual({ includeMetadata: true, perJobResults: true });
  expect(Object.isFrozen(workOptions)).toBe(true);
});
