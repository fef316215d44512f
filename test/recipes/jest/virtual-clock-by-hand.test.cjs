const { runWithRetry, TransientFailure } = require('retry-policy');
const { virtualClock } = require('retry-policy/testing');

test('waits two seconds, not less, and wakes late if the machine sleeps', async () => {
  const clock = virtualClock({ autoAdvance: false });
  const busy = () => Promise.reject(new TransientFailure('busy'));
  const run = runWithRetry(busy, { maxAttempts: 3, jitter: 'none' }, { clock });

  await clock.advance(1_999); // wakes what falls due, and lets promises settle
  expect(clock.pending).toEqual([{ kind: 'sleep', dueAt: 2_000 }]);
  await clock.advance(1);
  expect(clock.pending).toEqual([{ kind: 'sleep', dueAt: 6_000 }]);
  await clock.suspend(3_600_000); // a lid that is closed for an hour
  expect((await run).log.map(({ startedAt }) => startedAt)).toEqual([0, 2_000, 3_602_000]);
});
