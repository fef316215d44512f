import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWithRetry, TransientFailure } from 'retry-policy';
import { virtualClock } from 'retry-policy/testing';

test('waits two seconds, not less, and wakes late if the machine sleeps', async () => {
  const clock = virtualClock({ autoAdvance: false });
  const busy = () => Promise.reject(new TransientFailure('busy'));
  const run = runWithRetry(busy, { maxAttempts: 3, jitter: 'none' }, { clock });

  await clock.advance(1_999); // wakes what falls due, and lets promises settle
  assert.deepEqual(clock.pending, [{ kind: 'sleep', dueAt: 2_000 }]);
  await clock.advance(1);
  assert.deepEqual(clock.pending, [{ kind: 'sleep', dueAt: 6_000 }]);
  await clock.suspend(3_600_000); // a lid that is closed for an hour
  const { log } = await run;
  assert.deepEqual(
    log.map(({ startedAt }) => startedAt),
    [0, 2_000, 3_602_000],
  );
});
