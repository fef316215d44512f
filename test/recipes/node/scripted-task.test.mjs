import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWithRetry, TransientFailure } from 'retry-policy';
import { fixedRandom, scriptedTask, virtualClock } from 'retry-policy/testing';

test('survives a slow 503 and an answer that never comes', async () => {
  const clock = virtualClock();
  const task = scriptedTask(clock).fails(new TransientFailure('503'), { afterMs: 200 }).hangs().returns('done');
  const result = await runWithRetry(task, { attemptTimeoutMs: 1_000 }, { clock, random: fixedRandom(0) }); // no waits

  assert.equal(result.value, 'done');
  assert.deepEqual(
    task.calls.map(({ startedAt }) => startedAt),
    [0, 200, 1_200],
  );
});
