import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWithRetry, TransientFailure } from 'retry-policy';
import { frozenClock } from 'retry-policy/testing';

test('gives up after four attempts', async () => {
  const busy = () => Promise.reject(new TransientFailure('busy'));
  const result = await runWithRetry(busy, {}, { clock: frozenClock(0) });

  assert.equal(result.reason, 'attempts-exhausted');
  assert.equal(result.attempts, 4);
});
