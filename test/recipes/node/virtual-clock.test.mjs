import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWithRetry } from 'retry-policy';
import { fixedRandom, virtualClock } from 'retry-policy/testing';

test('cuts off attempts of ten minutes, and gives up within the hour', async () => {
  const clock = virtualClock();
  const hangs = () => new Promise(() => {});
  const policy = { maxAttempts: 100, attemptTimeoutMs: 600_000, totalBudgetMs: 3_600_000 };
  const result = await runWithRetry(hangs, policy, { clock, random: fixedRandom(Infinity) }); // always the longest wait

  assert.equal(result.reason, 'budget-exhausted');
  assert.equal(result.attempts, 5);
  assert.equal(clock.now(), 3_030_000); // 5 attempts, and waits of 2, 4, 8 and 16 s
});
