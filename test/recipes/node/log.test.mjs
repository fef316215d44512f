import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecision, runWithRetry, TransientFailure } from 'retry-policy';
import { scriptedTask, virtualClock } from 'retry-policy/testing';

test('tells each decision with its reason', async () => {
  const clock = virtualClock({ startAt: new Date('2026-01-15T08:00:00Z') });
  const task = scriptedTask(clock)
    .fails(new TransientFailure('429', { retryAfterMs: 30_000 }))
    .fails(new Error('404'));
  const { log } = await runWithRetry(task, { jitter: 'none' }, { clock });

  assert.equal(log[0].delayMs, 32_000);
  assert.equal(log[1].reason, 'permanent');
  assert.deepEqual(
    log.map((decision) => formatDecision(decision)),
    ['attempt 1: transient, retry scheduled at 08:00:32', 'attempt 2: permanent, straight to the dead letter'],
  );
});
