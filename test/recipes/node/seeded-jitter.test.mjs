import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWithRetry, TransientFailure } from 'retry-policy';
import { frozenClock, seededRandom } from 'retry-policy/testing';

test('waits at random, and the same for the same seed', async () => {
  const busy = () => Promise.reject(new TransientFailure('busy'));
  const { log } = await runWithRetry(busy, {}, { clock: frozenClock(0), random: seededRandom(7) });

  assert.deepEqual(
    log.map(({ delayMs }) => delayMs),
    [854, 2_934, 3_795, undefined],
  );
});
