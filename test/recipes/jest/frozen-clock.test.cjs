const { runWithRetry, TransientFailure } = require('retry-policy');
const { frozenClock } = require('retry-policy/testing');

test('gives up after four attempts', async () => {
  const busy = () => Promise.reject(new TransientFailure('busy'));
  const result = await runWithRetry(busy, {}, { clock: frozenClock(0) });

  expect(result).toMatchObject({ ok: false, reason: 'attempts-exhausted', attempts: 4 });
});
