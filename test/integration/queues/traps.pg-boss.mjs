import { setTimeout as sleep } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import { TransientFailure } from '../../../dist/index.js';
import { queueOptions, retryingHandler, workOptions } from '../../../dist/pg-boss/index.js';

/** Plays each scenario in queues of its own, and prints what the tests then assert, as JSON by the scenario's name. For a Node that pg-boss runs on. */
const [connectionString] = process.argv.slice(2);
const boss = new PgBoss({ connectionString, superviseIntervalSeconds: 1, monitorIntervalSeconds: 1, schedule: false });
boss.on('error', console.error);
await boss.start();

const soon = { maxAttempts: 3, jitter: 'none', backoff: { baseMs: 5, capMs: 1_000 } };
const busy = () => {
  throw new TransientFailure('503');
};
const broken = () => {
  throw new Error('400');
};
const ends = ['completed', 'failed'];

/** A queue with one worker and its dead letters; `calls` are the attempts as the handler sees them. */
async function open(name, handler, { policy = soon, queue = {}, work = {}, letters = true, maxRedrives } = {}) {
  const dead = `${name}-dead`;
  if (letters) await boss.createQueue(dead);
  await boss.createQueue(name, { ...queueOptions(policy), ...(letters && { deadLetter: dead }), ...queue });
  const calls = [];
  const decisions = [];
  const recording = (job, context) => {
    const { attempt, idempotencyKey } = context;
    calls.push({ attempt, idempotencyKey, data: job.data });
    return handler(job, context);
  };
  const onDecision = ({ error, ...decision }) => decisions.push({ ...decision, error: error?.message });
  const retrying = retryingHandler(boss, recording, policy, { maxRedrives, onDecision });
  await boss.work(name, { ...workOptions, pollingIntervalSeconds: 0.5, ...work }, retrying);
  const settled = async (id) => {
    for (;;) {
      const [job] = await boss.findJobs(name, { id });
      if (ends.includes(job.state)) return { id, state: job.state, data: job.data, output: job.output };
      await sleep(50);
    }
  };
  const end = async (data = { to: 'ann' }, options) => settled(await boss.send(name, data, options));
  const lettersOf = async () => (await boss.findJobs(dead)).map(({ data }) => data);
  /** All dead letters are sent again, and the job that they become has ended. */
  const redrive = async () => {
    const before = (await boss.findJobs(name)).map(({ id }) => id);
    await boss.redrive(dead);
    const [{ id }] = (await boss.findJobs(name)).filter((job) => !before.includes(job.id));
    return settled(id);
  };
  return { calls, decisions, end, settled, lettersOf, redrive };
}

const scenarios = {
  async buried() {
    const { calls, end, lettersOf } = await open('buried', busy);
    return { job: await end(), letters: await lettersOf(), calls };
  },

  async redriven() {
    const { calls, end, lettersOf, redrive } = await open('redriven', (_, { idempotencyKey }) =>
      calls.length > 3 ? idempotencyKey : busy(),
    );
    const first = await end();
    return { first, second: await redrive(), letters: await lettersOf(), calls };
  },

  async circling() {
    const { calls, end, lettersOf, redrive } = await open('circling', broken, { maxRedrives: 2 });
    const jobs = [await end(), await redrive(), await redrive()];
    const [letter] = await lettersOf();
    return { jobs, letter, refused: await redrive(), letters: await lettersOf(), calls };
  },

  async retried() {
    const { calls, end, settled, lettersOf } = await open('retried', () => (calls.length > 1 ? 'done' : broken()));
    const { id } = await end();
    await boss.retry('retried', id);
    return { job: await settled(id), letters: await lettersOf(), calls };
  },

  async overrun() {
    const late = async (_, { attempt, signal }) => {
      if (attempt > 1) return 'in time';
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await sleep(2_000);
      return 'late';
    };
    const { calls, decisions, end, lettersOf } = await open('overrun', late, { queue: { expireInSeconds: 1 } });
    const job = await end();
    await sleep(2_500);
    return { job, afterwards: (await boss.findJobs('overrun', { id: job.id }))[0].output, letters: await lettersOf(), calls, decisions };
  },

  async fewClaims() {
    const { calls, end, lettersOf } = await open('few-claims', busy, { policy: { ...soon, maxAttempts: 8 }, queue: { retryLimit: 2 } });
    return { job: await end(), letters: await lettersOf(), calls };
  },

  async oneClaim() {
    const { calls, end } = await open('one-claim', busy, { queue: { retryLimit: 0 } });
    return { job: await end(), calls };
  },

  async noLetters() {
    const { calls, end } = await open('no-letters', broken, { letters: false });
    return { job: await end(), calls };
  },

  async payloads() {
    const { calls, end } = await open('payloads', (job, { attempt }) => (attempt === 1 ? busy() : job.data), { work: { batchSize: 10 } });
    const payloads = [null, { to: 'ann' }, [1, 'two', { three: null }], {}, { payload: 1, retryPolicy: 'mine' }];
    return { payloads, outputs: await Promise.all(payloads.map(async (payload) => (await end(payload)).output)), calls };
  },

  async batch() {
    const outcomes = { ok: () => 'done', transient: (attempt) => (attempt === 1 ? busy() : 'healed'), permanent: broken };
    const handler = ({ data }, { attempt }) => outcomes[data.outcome](attempt);
    await boss.createQueue('batch', queueOptions(soon));
    const ids = await Promise.all(Object.keys(outcomes).map((outcome) => boss.send('batch', { outcome })));
    const { calls, settled } = await open('batch', handler, { letters: false, work: { batchSize: 3 } });
    return { jobs: await Promise.all(ids.map(settled)), calls };
  },
};

const played = Object.entries(scenarios).map(async ([name, scenario]) => [name, await scenario()]);
console.log(JSON.stringify(Object.fromEntries(await Promise.all(played))));
await boss.stop({ graceful: true });
