const { TransientFailure, withRetry } = require('retry-policy');
const { overrideDefaults } = require('retry-policy/testing');

const readPrice = withRetry(() => Promise.reject(new TransientFailure('503'))); // stands for yours

test('tells what went wrong, without a retry', async () => {
  const override = overrideDefaults({ maxAttempts: 1 });
  try {
    await expect(readPrice()).rejects.toThrow('gave up after 1 attempt');
  } finally {
    override.restore();
  }
});
