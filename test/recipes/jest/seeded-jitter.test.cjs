const { runWithRetry, TransientFailure } = require('retry-policy');
const { frozenClock, seededRandom } = require('retry-policy/testing');

test('waits at random, and the same for the same seed', async () => {
  const busy = () => Promise.reject(new TransientFailure('busy'));
  const { log } = await runWithRetry(busy, {}, { clock: frozenClock(0), random: seededRandom(7) });

  expect(log.map(({ delayMs }) => delayMs)).toEqual([854, 2_934, 3_795, undefined]);
});
