import type { DeadLetter } from 'retry-policy/durable';
import { expect } from 'vitest';
import { until } from '../until.js';
import type { Ledger } from './ledger.mjs';
import { attemptsOf, endOf, MAILS, type Point, policy } from './mails.mjs';
import { type Program, Worker } from './workers.js';

/** A queue of mails, as the crash tests see it from outside of its workers. The payload of a job is `{ mail }`, its number. */
export interface MailQueue {
  /** A worker of 50 jobs at a time. */
  readonly worker: Program;
  send(mails: readonly number[]): Promise<void>;
  /** How many jobs wait for an attempt that is not their first. */
  waiting(): Promise<number>;
  /** How many jobs are neither done nor dead. */
  unfinished(): Promise<number>;
  deadLetters(): Promise<readonly DeadLetter<{ mail: number }>[]>;
}

const ALL = Array.from({ length: MAILS }, (_, mail) => mail);
const DEAD = ALL.filter((mail) => endOf(mail) !== 'effect');
/** How many mails ever come to a point: those that are sent at once are never retried. */
const HELD = { attempt: MAILS, decision: MAILS, retry: (MAILS * 3) / 4, burial: DEAD.length, none: 0 };
/** How many a worker has in hand when it is killed; it must take as many at a time. */
const BATCH = 50;
const PATIENCE_MS = 90_000;

/** Kills worker after worker, until each of the mails was held at that point, or killed in its first wait; then lets one finish. */
export async function workThroughCrashes(queue: MailQueue, point: Point | 'wait'): Promise<{ kills: number }> {
  await queue.send(ALL);
  const kills = point === 'wait' ? await killInWait(queue) : await killHeld(queue, point);
  await during(queue, 'none', async () => (await queue.unfinished()) === 0);
  return { kills };
}

async function killHeld(queue: MailQueue, point: Point): Promise<number> {
  const held = new Set<number>();
  let kills = 0;
  for (; held.size < HELD[point]; kills += 1) {
    const worker = await during(queue, point, async (worker) => worker.held.size >= Math.min(BATCH, HELD[point] - held.size));
    for (const mail of worker.held) held.add(mail);
  }
  return kills;
}

async function killInWait(queue: MailQueue): Promise<number> {
  await during(queue, 'none', async () => (await queue.waiting()) >= HELD.retry / 2);
  return 1;
}

async function during(queue: MailQueue, point: Point, isReached: (worker: Worker) => Promise<boolean>): Promise<Worker> {
  const worker = new Worker(queue.worker, point);
  const startedAt = Date.now();
  try {
    await until(async () => {
      worker.mustRun();
      if (Date.now() - startedAt > PATIENCE_MS) throw new Error(`after ${PATIENCE_MS} ms there are ${await queue.unfinished()} jobs left`);
      return isReached(worker);
    });
  } finally {
    await worker.kill();
  }
  return worker;
}

/** Two workers at the same time, which nobody kills. */
export async function workTogether(queue: MailQueue): Promise<void> {
  await queue.send(ALL);
  const isDone = async () => (await queue.unfinished()) === 0;
  await Promise.all([during(queue, 'none', isDone), during(queue, 'none', isDone)]);
}

/** Both have worked, and as much as one alone would have. */
export async function expectTwoWorkers(ledger: Ledger): Promise<void> {
  const begins = await ledger.begins();
  expect(new Set(begins.map(({ worker }) => worker)).size).toBe(2);
  expect(begins.length).toBe(ALL.reduce((sum, mail) => sum + attemptsOf(mail), 0));
}

/** No mail is lost, none is sent twice, none is tried too often, and each dead one has one letter, whose log is whole. */
export async function expectAllWell(queue: MailQueue, ledger: Ledger): Promise<void> {
  const begins = await ledger.begins();
  const letters = await queue.deadLetters();
  expect([...(await ledger.effects())].sort(byNumber)).toEqual(ALL.filter((mail) => !DEAD.includes(mail)));
  const dead = letters.map(({ payload, reason }) => ({ mail: payload.mail, reason })).sort((one, other) => one.mail - other.mail);
  expect(dead).toEqual(DEAD.map((mail) => ({ mail, reason: endOf(mail) })));

  const { maxAttempts = 0 } = policy;
  for (const mail of ALL) {
    const own = begins.filter((begin) => begin.mail === mail);
    const attempts = own.map(({ attempt }) => attempt);
    expect(attempts).toEqual([...new Set(attempts)].sort(byNumber)); // a killed one counts, and none is made twice
    expect(Math.max(...attempts)).toBeLessThanOrEqual(maxAttempts);
    expect(new Set(own.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  }
  for (const { log, attempts } of letters) {
    expect(attempts).toBeLessThanOrEqual(maxAttempts);
    expect(log.map(({ attempt }) => attempt)).toEqual(Array.from({ length: attempts }, (_, i) => i + 1));
    expect(log.map(({ action }) => action)).toEqual([...Array(attempts - 1).fill('retry'), 'dead-letter']);
  }
}

const byNumber = (one: number, other: number) => one - other;
