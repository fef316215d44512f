const { runWithRetry, TransientFailure } = require('retry-policy');
const { fixedRandom, scriptedTask, virtualClock } = require('retry-policy/testing');

test('survives a slow 503 and an answer that never comes', async () => {
  const clock = virtualClock();
  const task = scriptedTask(clock).fails(new TransientFailure('503'), { afterMs: 200 }).hangs().returns('done');
  const result = await runWithRetry(task, { attemptTimeoutMs: 1_000 }, { clock, random: fixedRandom(0) }); // no waits

  expect(result).toMatchObject({ ok: true, value: 'done' });
  expect(task.calls.map(({ startedAt }) => startedAt)).toEqual([0, 200, 1_200]);
});
