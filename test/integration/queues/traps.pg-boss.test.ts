import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Decision } from 'retry-policy';
import type { DeadLetter } from 'retry-policy/durable';
import { beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../servers/postgres.js';
import { node22 } from './pg-boss.js';

interface Job {
  readonly id: string;
  readonly state: 'completed' | 'failed';
  readonly data: unknown;
  readonly output: unknown;
}
interface Call {
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly data: unknown;
}
interface Scenario {
  readonly job: Job;
  readonly letters: readonly DeadLetter[];
  readonly calls: readonly Call[];
}
interface Scenarios {
  readonly buried: Scenario;
  readonly redriven: Omit<Scenario, 'job'> & { readonly first: Job; readonly second: Job };
  readonly circling: Omit<Scenario, 'job'> & { readonly jobs: readonly Job[]; readonly letter: DeadLetter; readonly refused: Job };
  readonly retried: Scenario;
  readonly overrun: Scenario & {
    readonly afterwards: unknown;
    readonly decisions: readonly (Omit<Decision, 'error'> & { readonly error?: string })[];
  };
  readonly fewClaims: Scenario;
  readonly oneClaim: Omit<Scenario, 'letters'>;
  readonly noLetters: Omit<Scenario, 'letters'>;
  readonly payloads: { readonly payloads: readonly unknown[]; readonly outputs: readonly unknown[]; readonly calls: readonly Call[] };
  readonly batch: { readonly jobs: readonly Job[]; readonly calls: readonly Call[] };
}

let played: Scenarios;
/** All scenarios at once, in a process of its own, since pg-boss needs a newer Node. */
beforeAll(async () => {
  const server = await startPostgres();
  try {
    const program = fileURLToPath(new URL('traps.pg-boss.mjs', import.meta.url));
    const { stdout } = await promisify(execFile)(node22, [program, `postgres://postgres@127.0.0.1:${server.port}/postgres`]);
    played = JSON.parse(stdout);
  } finally {
    await server.remove();
  }
});

const attempts = (calls: readonly Call[]) => calls.map(({ attempt }) => attempt);
const keys = (calls: readonly Call[]) => new Set(calls.map(({ idempotencyKey }) => idempotencyKey));
const failure = { name: 'Error', message: '400' };

describe('a job of pg-boss that is given up', () => {
  it('is in the dead letter queue as its dead letter, once, though pg-boss drops the output of the copy', () => {
    const { job, letters, calls } = played.buried;
    expect(attempts(calls)).toEqual([1, 2, 3]);
    expect(letters).toHaveLength(1);
    const [letter] = letters;
    const source = { engine: 'pg-boss', queue: 'buried', id: job.id };
    expect(letter).toMatchObject({ source, payload: { to: 'ann' }, reason: 'attempts-exhausted', attempts: 3, redrives: 0 });
    expect(letter?.error).toMatchObject({ name: 'TransientFailure', message: '503', stack: expect.any(String) });
    expect(letter?.log.map(({ action }) => action)).toEqual(['retry', 'retry', 'dead-letter']);
    expect(job).toMatchObject({ state: 'failed', data: letter });
  });

  it('comes back by redrive under a new id, with its payload and its key', () => {
    const { first, second, letters, calls } = played.redriven;
    expect(attempts(calls)).toEqual([1, 2, 3, 1]);
    expect(calls.map(({ data }) => data)).toEqual(Array(4).fill({ to: 'ann' }));
    expect(keys(calls)).toEqual(new Set([`redriven/${first.id}`]));
    expect(second.id).not.toBe(first.id);
    expect(second).toMatchObject({ state: 'completed', output: { value: `redriven/${first.id}` } });
    expect(letters).toEqual([]);
  });

  it('comes back maxRedrives times, and no more; then it fails with its letter as it was', () => {
    const { jobs, letter, refused, letters, calls } = played.circling;
    expect(jobs.map(({ data }) => (data as DeadLetter).redrives)).toEqual([0, 1, 2]);
    expect(refused).toMatchObject({
      state: 'failed',
      output: { name: 'RangeError', message: 'letter.redrives must be below maxRedrives (2), got 2' },
    });
    expect(refused.data).toEqual(letter);
    expect(letters).toEqual([letter]);
    expect(attempts(calls)).toEqual([1, 1, 1]);
    expect(keys(calls).size).toBe(1);
  });

  it('comes back by retry under its own id, and has lost no attempt', () => {
    const { job, calls } = played.retried;
    expect(attempts(calls)).toEqual([1, 1]);
    expect(calls.map(({ data }) => data)).toEqual(Array(2).fill({ to: 'ann' }));
    expect(keys(calls)).toEqual(new Set([`retried/${job.id}`]));
    expect(job).toMatchObject({ state: 'completed', output: { value: 'done' } });
  });

  it('has its letter as its data where the queue has no dead letters', () => {
    const { job } = played.noLetters;
    expect(job).toMatchObject({ state: 'failed', data: { reason: 'permanent', payload: { to: 'ann' }, error: failure } });
  });
});

describe('a claim of pg-boss', () => {
  it('that expires is a lost attempt, and what its handler answers later changes nothing', () => {
    const { job, afterwards, letters, calls, decisions } = played.overrun;
    expect(decisions.map(({ action, attempt, error }) => [action, attempt, error])).toEqual([
      ['retry', 1, 'attempt 1 was lost: its worker went away'],
      ['succeed', 2, undefined],
    ]);
    expect(attempts(calls)).toEqual([1, 2]);
    expect(job).toMatchObject({ state: 'completed', output: { value: 'in time' } });
    expect(afterwards).toEqual(job.output);
    expect(letters).toEqual([]);
  });

  it('is kept for the burial, where the queue gives fewer than the policy has attempts', () => {
    const { letters, calls } = played.fewClaims;
    expect(attempts(calls)).toEqual([1, 2]);
    expect(letters).toMatchObject([{ reason: 'attempts-exhausted', attempts: 2 }]);
  });

  it('that is the only one is for the attempt, with the letter as the output', () => {
    const { job, calls } = played.oneClaim;
    expect(attempts(calls)).toEqual([1]);
    expect(job).toMatchObject({
      state: 'failed',
      data: { to: 'ann' },
      output: { reason: 'attempts-exhausted', attempts: 1, payload: { to: 'ann' } },
    });
  });
});

it('a payload is the same for every attempt, whatever kind of JSON it is', () => {
  const { payloads, outputs, calls } = played.payloads;
  // pg-boss stores only objects as they are.
  expect(outputs).toEqual(payloads.map((payload) => (Array.isArray(payload) ? { value: payload } : payload)));
  for (const payload of payloads) expect(calls.filter(({ data }) => JSON.stringify(data) === JSON.stringify(payload))).toHaveLength(2);
});

it('a batch has one that succeeds, one that is retried and one that is dead, and none takes another along', () => {
  const { jobs, calls } = played.batch;
  expect(jobs.map(({ state, output }) => [state, output])).toEqual([
    ['completed', { value: 'done' }],
    ['completed', { value: 'healed' }],
    ['failed', expect.objectContaining(failure)],
  ]);
  expect(attempts(calls)).toEqual([1, 1, 1, 2]);
});
