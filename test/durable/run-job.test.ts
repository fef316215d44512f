import { isAttemptTimeout, markTransient, TransientFailure } from 'retry-policy';
import { type Job, type JobEnd, type RetryState, redriveState, replay, runJob, toDeadLetter } from 'retry-policy/durable';
import { frozenClock, virtualClock } from 'retry-policy/testing';
import { describe, expect, it } from 'vitest';

const source = { engine: 'table', queue: 'mail', id: '7' };
const fresh: Job<{ to: string }> = { payload: { to: 'ann' }, source };
const highest = (_min: number, max: number) => max;
const busy = new TransientFailure('503');
const fails = (error: unknown) => () => {
  throw error;
};
const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const frozen = (at: number) => ({ clock: frozenClock(at), random: highest });

/** A worker that waits for the due time and takes the job again; the state goes through JSON. */
async function workOff(task: Parameters<typeof runJob>[0], policy: Parameters<typeof runJob>[1], job: Job = fresh) {
  const clock = virtualClock({ startAt: 1_000 });
  let { state } = job;
  for (let turn = 0; turn < 20; turn++) {
    const end: JobEnd = await runJob(task, policy, { ...job, state }, { clock, random: highest });
    if (end.action !== 'retry') return end;
    expect(throughJson(end.state)).toEqual(end.state);
    state = throughJson(end.state);
    await clock.advanceTo(end.decision.retryAt);
  }
  throw new Error('circles');
}
const deadOf = (end: JobEnd) => {
  if (end.action !== 'dead-letter') throw new Error(`${end.action} and not the end`);
  return end;
};

describe('a job', () => {
  it('is tried over and over by the policy, with one key and the number of the attempt', async () => {
    const seen: unknown[] = [];
    const end = await workOff(({ attempt, idempotencyKey }) => {
      seen.push([attempt, idempotencyKey]);
      if (attempt < 3) throw busy;
      return 'sent';
    }, {});
    expect(seen).toEqual([1, 2, 3].map((attempt) => [attempt, 'mail/7']));
    expect(end).toMatchObject({ action: 'succeed', value: 'sent' });
    expect(end.state.log).toMatchObject([
      { action: 'retry', attempt: 1, elapsedMs: 0, delayMs: 2_000 },
      { action: 'retry', attempt: 2, elapsedMs: 2_000, delayMs: 4_000 },
      { action: 'succeed', attempt: 3, elapsedMs: 6_000 },
    ]);
  });

  it('becomes a dead letter with its data and its log, which the policy derives again', async () => {
    const { letter, state } = deadOf(await workOff(fails(busy), { maxAttempts: 3 }));
    expect(letter).toEqual(toDeadLetter(state, { payload: { to: 'ann' }, source, diedAt: 7_000 }));
    expect(letter).toMatchObject({ reason: 'attempts-exhausted', attempts: 3, error: { message: '503' }, firstStartedAt: 1_000 });
    expect(replay({ maxAttempts: 3 }, letter.log)).toMatchObject({ equal: true });
  });

  it('has its letter also where the log keeps nothing', async () => {
    const { letter } = deadOf(await runJob(fails(new Error('404')), {}, fresh, { ...frozen(5), logLimit: 0 }));
    expect(letter).toMatchObject({ reason: 'permanent', error: { message: '404' }, log: [], attempts: 1, diedAt: 5 });
  });

  it('has another key if one is stored, or else given', async () => {
    const key = async (job: Job, idempotencyKey?: string) =>
      (await runJob(() => 1, undefined, job, { idempotencyKey })).state.idempotencyKey;
    const { state } = await runJob(fails(busy), {}, fresh, { idempotencyKey: 'order 9' });
    expect(state.idempotencyKey).toBe('order 9');
    expect(await key({ ...fresh, state })).toBe('order 9');
    expect(await key({ ...fresh, state }, 'order 10')).toBe('order 9');
    expect(await key(fresh, 'order 10')).toBe('order 10');
  });

  it('goes on after a redrive as new, under the same key', async () => {
    const { letter } = deadOf(await runJob(fails(new Error('404')), {}, fresh, frozen(5)));
    const end = await runJob(() => 1, {}, { ...fresh, source: { ...source, id: '8' }, state: redriveState(letter) }, frozen(90));
    expect(end.state).toMatchObject({ attempts: 1, redrives: 1, idempotencyKey: 'mail/7', firstStartedAt: 90 });
  });

  it('keeps to the maximum of attempts', async () => {
    const end = await runJob(fails(busy), { maxAttempts: 1 }, fresh, frozen(0));
    expect(end).toMatchObject({ action: 'dead-letter', letter: { reason: 'attempts-exhausted' } });
  });

  it('is not repeated once it is committed', async () => {
    const task: Parameters<typeof runJob>[0] = (context) => {
      context.commit();
      throw busy;
    };
    expect(deadOf(await runJob(task, {}, fresh, frozen(0))).letter.reason).toBe('committed');
  });

  it('fails by its value if the policy says so', async () => {
    const policy = { classifyValue: (value: number) => (value === 503 ? ('transient' as const) : undefined) };
    expect(await runJob(() => 503, policy, fresh, frozen(0))).toMatchObject({ action: 'retry', decision: { error: 503 } });
  });
});

describe('the limits of time', () => {
  const endless = () => new Promise<never>(() => {});

  it('cut an attempt off', async () => {
    const clock = virtualClock();
    const running = runJob(endless, { attemptTimeoutMs: 50, totalBudgetMs: 9_000 }, fresh, { clock, random: highest });
    await clock.advance(50);
    const end = await running;
    expect(end).toMatchObject({ action: 'retry', decision: { durationMs: 50, error: { limit: 'attempt', timeoutMs: 50 } } });
  });

  it('leave an attempt what the attempts and waits before it have left of the budget', async () => {
    const clock = virtualClock();
    const policy = { totalBudgetMs: 5_000, backoff: { baseMs: 1_000 } };
    const first = await runJob(fails(busy), policy, fresh, { clock, random: highest });
    await clock.advance(1_000);
    let remainingMs: number | undefined;
    let signal: AbortSignal | undefined;
    const task: Parameters<typeof runJob>[0] = (context) => {
      ({ remainingMs, signal } = context);
      return endless();
    };
    const running = runJob(task, policy, { ...fresh, state: first.state }, { clock, random: highest });
    await clock.advance(4_000);
    const { letter } = deadOf(await running);
    expect(remainingMs).toBe(4_000);
    expect(isAttemptTimeout(signal?.reason)).toBe(true);
    expect(letter).toMatchObject({ reason: 'budget-exhausted', attempts: 2, error: { name: 'AttemptTimeout' } });
  });

  it('end a job that waited for too long without another attempt', async () => {
    const policy = { totalBudgetMs: 5_000, backoff: { baseMs: 1_000 } };
    const { state } = await runJob(fails(busy), policy, fresh, frozen(1_000));
    const never = () => expect.unreachable();
    const { letter, decision } = deadOf(await runJob(never, policy, { ...fresh, state }, frozen(6_000)));
    expect(decision).toMatchObject({ reason: 'budget-exhausted', attempt: 1, judgedBy: 'mark', elapsedMs: 5_000, startedAt: 1_000 });
    expect(letter).toMatchObject({ attempts: 1, error: { message: '503' }, log: [{ action: 'retry' }, { action: 'dead-letter' }] });
    expect(await runJob(() => 1, policy, { ...fresh, state }, frozen(5_999))).toMatchObject({ action: 'succeed' });
    const bare = { ...state, log: [] };
    expect(deadOf(await runJob(never, policy, { ...fresh, state: bare }, frozen(6_000))).letter.error).toMatchObject({
      name: 'AttemptTimeout',
      message: 'the attempt took longer than 5000 ms (budget limit)',
    });
  });
});

describe('a lost attempt', () => {
  const never = () => expect.unreachable();

  it('counts as one that failed and may pass, and its job waits', async () => {
    const end = await runJob(never, {}, { ...fresh, lostAttempts: 1 }, frozen(70));
    expect(end).toMatchObject({
      action: 'retry',
      decision: { attempt: 1, delayMs: 2_000, durationMs: 0, error: { message: 'attempt 1 was lost: its worker went away' } },
      state: { attempts: 1, firstStartedAt: 70 },
    });
  });

  it('is told one by one, and no more of them than the policy allows', async () => {
    const { state } = await runJob(fails(busy), {}, fresh, frozen(0));
    const { letter } = deadOf(await runJob(never, {}, { ...fresh, state, lostAttempts: 7 }, frozen(70)));
    expect(letter).toMatchObject({
      attempts: 4,
      reason: 'attempts-exhausted',
      error: { message: 'attempt 4 was lost: its worker went away' },
    });
    expect(letter.log).toHaveLength(4);
  });
});

describe('what cannot go on', () => {
  it.each([
    ['a version of the future', { version: 2 }, 'state.version must be 1, the only one that this release reads, got 2'],
    ['a key that is no text', { idempotencyKey: 7 }, 'state.idempotencyKey must be a string that is not empty, got 7'],
    ['a count that is none', { attempts: '3' }, 'state.attempts must be an integer >= 0, got "3"'],
  ])('%s in the state ends the job, and is told', async (_, nonsense, message) => {
    const { state } = await runJob(fails(busy), {}, fresh, frozen(0));
    const job = { ...fresh, state: { ...state, ...nonsense } as unknown as RetryState };
    const { letter } = deadOf(await runJob(() => expect.unreachable(), {}, job, frozen(9)));
    expect(letter).toMatchObject({ reason: 'permanent', error: { message }, payload: { to: 'ann' }, idempotencyKey: 'mail/7' });
  });

  it('is a hook that throws: the letter has its fault beside the failure', async () => {
    const policy = { classify: () => JSON.parse('{') as never };
    const { letter } = deadOf(await runJob(fails(new Error('the real trouble')), policy, fresh, frozen(0)));
    expect(letter.reason).toBe('permanent');
    expect(letter.error).toMatchObject({ name: 'AggregateError', message: expect.stringMatching(/^the classify hook failed: /) });
    expect(letter.error.errors).toMatchObject([
      { name: 'RetryHookError', cause: { name: 'SyntaxError' } },
      { message: 'the real trouble' },
    ]);
  });

  it('is a hook that throws about a success', async () => {
    const policy = { classifyValue: fails(new Error('boom')) };
    const { letter } = deadOf(await runJob(() => 1, policy, fresh, frozen(0)));
    expect(letter.error).toMatchObject({ name: 'RetryHookError', cause: { message: 'boom' } });
  });

  it('is a clock that fails while the task runs', async () => {
    const clock = { ...frozenClock(0), monotonicNow: fails(new Error('no time')) };
    const { letter } = deadOf(await runJob(() => 1, { totalBudgetMs: 5 }, fresh, { clock }));
    expect(letter.error.errors ?? [letter.error]).toMatchObject([{ name: 'RetryHookError', cause: { message: 'no time' } }]);
  });
});

describe('an abort', () => {
  it.each([
    ['is the end', new Error('cancelled'), 'dead-letter'],
    ['is a failure that may pass, if its reason is one', markTransient(new Error('shutdown')), 'retry'],
  ])('%s', async (_, reason, action) => {
    const controller = new AbortController();
    const running = runJob(() => new Promise(() => {}), {}, fresh, { ...frozen(0), signal: controller.signal });
    controller.abort(reason);
    expect(await running).toMatchObject({ action, decision: { error: reason } });
  });
});

describe('onDecision', () => {
  it('is told of the decision and awaited; what it throws does not cost the job its end', async () => {
    const told: string[] = [];
    const onDecision = async (decision: { action: string }) => {
      await null;
      told.push(decision.action);
      throw new Error('the log is full');
    };
    expect(await runJob(fails(busy), {}, fresh, { ...frozen(0), onDecision })).toMatchObject({ action: 'retry' });
    expect(await runJob(() => 1, {}, { ...fresh, lostAttempts: 4 }, { ...frozen(0), onDecision })).toMatchObject({ action: 'dead-letter' });
    expect(told).toEqual(['retry', 'dead-letter']);
  });
});

describe('a wrong argument', () => {
  const run = runJob as (...args: unknown[]) => Promise<unknown>;

  it.each([
    [[7, {}, fresh], 'task must be a function, got 7'],
    [[() => 1, {}, null], 'job must be an object, got null'],
    [[() => 1, {}, { payload: 1 }], 'job.source must be an object, got undefined'],
    [[() => 1, {}, { ...fresh, source: { ...source, engine: 1 } }], 'job.source.engine must be a string, got 1'],
    [[() => 1, {}, { ...fresh, source: { ...source, queue: 1 } }], 'job.source.queue must be a string, got 1'],
    [[() => 1, {}, { ...fresh, source: { ...source, id: 7 } }], 'job.source.id must be a string, got 7'],
    [[() => 1, {}, { ...fresh, lostAttempts: -1 }], 'job.lostAttempts must be an integer >= 0, got -1'],
    [[() => 1, { maxAttempts: 0 }, fresh], 'maxAttempts'],
    [[() => 1, {}, fresh, { colour: 'red' }], 'colour'],
  ])('is told by its name: %#', async (args, message) => {
    await expect(run(...args)).rejects.toThrow(message);
  });
});
