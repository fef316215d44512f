const { runWithRetry } = require('retry-policy');
const { fixedRandom, virtualClock } = require('retry-policy/testing');

test('cuts off attempts of ten minutes, and gives up within the hour', async () => {
  const clock = virtualClock();
  const hangs = () => new Promise(() => {});
  const policy = { maxAttempts: 100, attemptTimeoutMs: 600_000, totalBudgetMs: 3_600_000 };
  const result = await runWithRetry(hangs, policy, { clock, random: fixedRandom(Infinity) }); // always the longest wait

  expect(result).toMatchObject({ ok: false, reason: 'budget-exhausted', attempts: 5 });
  expect(clock.now()).toBe(3_030_000); // 5 attempts, and waits of 2, 4, 8 and 16 s
});
