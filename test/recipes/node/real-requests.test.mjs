import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { runWithRetry, TransientFailure } from 'retry-policy';
import { virtualClock } from 'retry-policy/testing';

test('asks a real server again after a minute', async () => {
  const server = createServer((_, response) => void response.writeHead(503).end()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  const clock = virtualClock({ autoAdvance: false });
  const ask = async () => {
    throw new TransientFailure(`status ${(await fetch(`http://127.0.0.1:${port}`)).status}`);
  };
  const policy = { maxAttempts: 2, attemptTimeoutMs: 5_000, backoff: { baseMs: 60_000 }, jitter: 'none' };
  const run = runWithRetry(ask, policy, { clock });

  while (!clock.pending.some(({ kind }) => kind === 'sleep')) await setImmediate();
  await clock.advance(60_000);
  const { attempts, error } = await run;
  assert.deepEqual([attempts, error.message], [2, 'status 503']);
  server.close();
});
