const { formatDecision, runWithRetry, TransientFailure } = require('retry-policy');
const { scriptedTask, virtualClock } = require('retry-policy/testing');

test('tells each decision with its reason', async () => {
  const clock = virtualClock({ startAt: new Date('2026-01-15T08:00:00Z') });
  const task = scriptedTask(clock)
    .fails(new TransientFailure('429', { retryAfterMs: 30_000 }))
    .fails(new Error('404'));
  const { log } = await runWithRetry(task, { jitter: 'none' }, { clock });

  expect(log).toMatchObject([
    { action: 'retry', delayMs: 32_000 },
    { action: 'dead-letter', reason: 'permanent' },
  ]);
  expect(log.map((decision) => formatDecision(decision))).toEqual([
    'attempt 1: transient, retry scheduled at 08:00:32',
    'attempt 2: permanent, straight to the dead letter',
  ]);
});
