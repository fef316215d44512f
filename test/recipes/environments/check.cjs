const assert = require('node:assert/strict');

/** Checks that the clocks of `retry-policy/testing` give turns, whatever has become of the timers around them. */
module.exports = async ({ runWithRetry, TransientFailure }, { fixedRandom, frozenClock, scriptedTask, virtualClock }) => {
  await frozenClock(0).sleep(1_000);

  const clock = virtualClock();
  const task = scriptedTask(clock).fails(new TransientFailure('503'), { afterMs: 200 }).hangs().returns('done');
  const result = await runWithRetry(task, { attemptTimeoutMs: 3_600_000 }, { clock, random: fixedRandom(Infinity) });
  assert.equal(result.value, 'done');
  assert.equal(clock.now(), 200 + 2_000 + 3_600_000 + 4_000);

  const stuck = await runWithRetry(scriptedTask(clock).hangs(), {}, { clock });
  assert.match(stuck.error.message, /is stuck/);

  const byHand = virtualClock({ autoAdvance: false });
  const nap = byHand.sleep(1_000);
  await byHand.advance(1_000);
  await nap;
};
