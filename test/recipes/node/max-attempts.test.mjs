import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TransientFailure, withRetry } from 'retry-policy';
import { overrideDefaults } from 'retry-policy/testing';

const readPrice = withRetry(() => Promise.reject(new TransientFailure('503'))); // stands for yours

test('tells what went wrong, without a retry', async () => {
  const override = overrideDefaults({ maxAttempts: 1 });
  try {
    await assert.rejects(readPrice(), /gave up after 1 attempt/);
  } finally {
    override.restore();
  }
});
