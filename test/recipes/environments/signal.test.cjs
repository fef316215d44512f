const { runWithRetry, TransientFailure } = require('retry-policy');
const { assertNoLeaks, virtualClock } = require('retry-policy/testing');

test('listeners are counted on the signals of this environment', async () => {
  const clock = virtualClock({ autoAdvance: false });
  const controller = new AbortController();
  const { signal } = controller;
  const run = runWithRetry(() => Promise.reject(new TransientFailure('busy')), {}, { clock, signal });
  await clock.advance(0);
  expect(() => assertNoLeaks(clock, signal)).toThrow(/abort listeners? on the signal/);
  controller.abort();
  await run;
  assertNoLeaks(clock, signal);
});
