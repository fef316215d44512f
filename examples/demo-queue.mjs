// A queue that loses a worker and its dependency, and no job: BullMQ on a Redis server of its own.
// Ends with exit code 1 if anything is not as expected. Where something is missing, it says what, and does nothing.

import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replay } from 'retry-policy/durable';
import { bullmq } from './queue-clients.mjs';

const needs = [
  ['the clients of the queues (npm --prefix test/integration ci)', bullmq],
  ['a Redis server (redis-server, as of Debian)', () => execFileSync('redis-server', ['--version'])],
];
const missing = needs.filter(([, probe]) => {
  try {
    return !probe();
  } catch {
    return true;
  }
});

async function demonstrate() {
  const folder = mkdtempSync(join(tmpdir(), 'queue-demo-'));
  const socket = join(folder, 'redis.sock');
  const redis = spawn('redis-server', ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', ''], { stdio: 'ignore' });
  while (!existsSync(socket)) await sleep(20);
  const queue = new (bullmq().Queue)('mail', { connection: { path: socket } });
  const workers = new Workers(socket);
  try {
    await deliver(queue, workers);
  } finally {
    workers.stop();
    await queue.close();
    redis.kill();
    await once(redis, 'exit');
    rmSync(folder, { recursive: true });
  }
}

/** One worker process at a time; another one follows when it is killed. */
class Workers {
  log = [];
  #socket;
  #process;

  constructor(socket) {
    this.#socket = socket;
  }

  start(mailServer) {
    this.#process = fork(new URL('queue-worker.mjs', import.meta.url), [this.#socket, mailServer]);
    this.#process.on('message', (told) => {
      this.log.push(told);
      console.log(`  ${told.to.padEnd(5)}${told.told}`);
    });
    this.#process.once('exit', () => {
      console.log('  (the worker is killed in the middle of an attempt; another one starts)');
      this.start(mailServer);
    });
  }

  stop() {
    this.#process?.removeAllListeners('exit').kill();
  }

  /** Resolves when so many mails have come to their end. */
  async ended(count) {
    while (this.log.filter(({ action }) => action !== 'retry').length < count) await sleep(20);
  }
}

async function deliver(queue, workers) {
  console.log('Five mails; their server is down for eve, and busy for ben.');
  for (const to of ['ann', 'ben', 'cleo', 'dan', 'eve']) await queue.add('welcome', { to });
  workers.start('down');
  await workers.ended(5);
  while ((await queue.getFailedCount()) < 2) await sleep(20);

  console.log('\nThe dead letters, as they stand in the data of the failed jobs:');
  const dead = await queue.getFailed();
  for (const { data: letter } of dead) {
    const waits = letter.log.flatMap(({ delayMs }) => (delayMs === undefined ? [] : [`${delayMs} ms`]));
    console.log(
      `  ${letter.payload.to}: ${letter.reason} after ${letter.attempts} (${letter.error.message}); waited ${waits.join(', ') || 'never'}`,
    );
  }
  const letterOf = (to) => dead.find(({ data }) => data.payload.to === to);
  const longer = replay({ maxAttempts: 9, backoff: { baseMs: 200, capMs: 800 } }, letterOf('eve').data.log);
  console.log(`  With maxAttempts: 9, for eve: ${longer.firstDifference.why}`);

  console.log('\nThe mail server is up again, and what is dead gets another life:');
  workers.stop();
  workers.start('up');
  await letterOf('eve').retry();
  await workers.ended(6);

  const attempts = (name) => workers.log.filter(({ to }) => to === name).length;
  const expected = { ann: 1, ben: 3, cleo: 2, dan: 1, eve: 5 };
  const faults = Object.entries(expected).filter(([name, count]) => attempts(name) !== count);
  for (const [name, count] of faults) console.log(`FAILED: ${attempts(name)} decisions for ${name}, and not ${count}`);
  if (faults.length > 0) process.exitCode = 1;
  else console.log('\nAll as expected.');
}

for (const [what] of missing) console.log(`This demo needs ${what}.`);
if (missing.length === 0) await demonstrate();
