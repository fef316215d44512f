import { decide, isRetryHookError, TransientFailure } from 'retry-policy';
import { isDeadLetter, nextStep, type RetryState, redriveState, type Step, toDeadLetter } from 'retry-policy/durable';
import { describe, expect, it, test } from 'vitest';

const highest = (_min: number, max: number) => max;
const at = (startedAt: number, now: number) => ({ startedAt, now, random: highest, idempotencyKey: 'job 7' });
const busy = new TransientFailure('503');
const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** Fails on and on; the state goes through JSON each time, as between processes. */
function failing(policy: Parameters<typeof nextStep>[0], times: number, error: unknown = busy) {
  let state: RetryState | null = null;
  const decisions = [];
  for (let i = 0, now = 1_000; i < times; i++) {
    const step: Step = nextStep(policy, state, { error }, at(now, now + 100));
    decisions.push(step.decision);
    state = throughJson(step.state);
    expect(state).toEqual(step.state);
    if (step.decision.action === 'retry') now = step.decision.retryAt;
  }
  return { decisions, state: state as unknown as RetryState };
}

describe('nextStep', () => {
  it('decides as decide does, with the wait before from the state', () => {
    const policy = { jitter: 'decorrelated', maxAttempts: 5 } as const;
    const { decisions } = failing(policy, 5);
    let previousDelayMs: number | undefined;
    for (const decision of decisions) {
      const { attempt, startedAt, durationMs, elapsedMs } = decision;
      const failure = { attempt, error: busy, startedAt, durationMs, elapsedMs, ...(previousDelayMs !== undefined && { previousDelayMs }) };
      expect(decision).toEqual(decide(failure, policy, { now: startedAt + durationMs, random: highest }));
      previousDelayMs = decision.action === 'retry' ? decision.backoffMs : undefined;
    }
    expect(decisions.at(-1)).toMatchObject({ action: 'dead-letter', reason: 'attempts-exhausted', attempt: 5 });
  });

  it('measures what has elapsed on the wall clock, waits included', () => {
    const { decisions } = failing({ totalBudgetMs: 5_000 }, 2);
    expect(decisions).toMatchObject([{ elapsedMs: 100 }, { elapsedMs: 2_200, reason: 'budget-exhausted' }]);
  });

  it('tells a success, with the log of all that came before', () => {
    const { state } = failing({}, 2);
    const step = nextStep({}, state, { ok: true }, at(9_000, 9_050));
    expect(step.decision).toEqual({ action: 'succeed', attempt: 3, startedAt: 9_000, durationMs: 50, elapsedMs: 8_050 });
    expect(step.state.log.map(({ action }) => action)).toEqual(['retry', 'retry', 'succeed']);
    expect(step.state).not.toHaveProperty('previousDelayMs');
    expect(Object.isFrozen(step.decision)).toBe(true);
  });

  it('asks classifyValue about a value that is given, and about no other', () => {
    const policy = { classifyValue: (value: number) => (value === 503 ? ('transient' as const) : undefined) };
    expect(nextStep(policy, null, { ok: true, value: 503 }, at(0, 1)).decision).toMatchObject({ action: 'retry', error: 503 });
    expect(nextStep(policy, null, { ok: true, value: 200 }, at(0, 1)).decision.action).toBe('succeed');
    expect(nextStep(policy, null, { ok: true }, at(0, 1)).decision.action).toBe('succeed');
  });

  it('ends where the work was committed', () => {
    expect(nextStep({}, null, { error: busy, committed: true }, at(0, 1)).decision).toMatchObject({ reason: 'committed' });
    expect(nextStep({}, null, { error: busy, committed: false }, at(0, 1)).decision.action).toBe('retry');
  });

  it('hands the error on as it is, and stores its record', () => {
    const { decision, state } = nextStep({}, null, { error: busy }, at(0, 1));
    expect(decision).toHaveProperty('error', busy);
    expect(state.log).toMatchObject([{ error: { name: 'TransientFailure', message: '503' } }]);
  });

  it('takes the key that is given, else that of the state, else a new one', () => {
    const { state } = failing({}, 1);
    const { idempotencyKey: _, ...keyless } = at(3_000, 3_001);
    expect(nextStep({}, state, { ok: true }, { ...keyless, idempotencyKey: 'other' }).state.idempotencyKey).toBe('other');
    expect(nextStep({}, state, { ok: true }, keyless).state.idempotencyKey).toBe('job 7');
    expect(nextStep({}, undefined, { ok: true }, keyless).state.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('keeps as many decisions as the limit says, and counts the others', () => {
    let state: RetryState | null = null;
    for (let i = 0; i < 5; i++) state = nextStep({ maxAttempts: 9 }, state, { error: busy }, { ...at(i, i), logLimit: 2 }).state;
    expect(state).toMatchObject({ attempts: 5, droppedDecisions: 3, log: [{ attempt: 4 }, { attempt: 5 }] });
    expect(nextStep({}, null, { error: busy }, { ...at(0, 0), logLimit: 0 }).state).toMatchObject({ log: [], droppedDecisions: 1 });
    expect(failing({ maxAttempts: 200 }, 101).state.log).toHaveLength(100);
  });

  it('takes a start that lies up to a day in the future for a clock that differs', () => {
    const { state } = failing({}, 1);
    const ahead = { ...state, firstStartedAt: 86_400_000 + 60 };
    const step = nextStep({}, ahead, { error: busy }, at(50, 60));
    expect(step.decision).toMatchObject({ elapsedMs: 10, durationMs: 10 });
    expect(step.state.firstStartedAt).toBe(50);
    expect(() => nextStep({}, { ...ahead, firstStartedAt: 86_400_061 }, { error: busy }, at(50, 60))).toThrow(
      new RangeError('state.firstStartedAt must be at most a day after now (60), got 86400061'),
    );
    expect(nextStep({}, null, { error: busy }, at(60, 50)).decision).toMatchObject({ durationMs: 0, elapsedMs: 0 });
  });

  const { state } = failing({ maxAttempts: 3 }, 3);
  const inLog = (index: number, change: object) => ({
    log: state.log.map((record, i) => (i === index ? { ...record, ...change } : record)),
  });
  it.each([
    ['state.version must be 1, the only one that this release reads, got 2', { version: 2 }],
    ['state.firstStartedAt must be a finite number, got NaN', { firstStartedAt: Number.NaN }],
    ['state.attempts must be an integer >= 0, got -1', { attempts: -1 }],
    ['state.attempts must be an integer >= 0, got "3"', { attempts: '3' }],
    ['state.previousDelayMs must be a finite number >= 0, got -1', { previousDelayMs: -1 }],
    ['state.idempotencyKey must be a string that is not empty, got ""', { idempotencyKey: '' }],
    ['state.redrives must be an integer >= 0, got 0.5', { redrives: 0.5 }],
    ['state.log must be an array, got object', { log: {} }],
    ['state.droppedDecisions must be an integer >= 0, got undefined', { droppedDecisions: undefined }],
    ['state.log[1] must be an object, got null', { log: [state.log[0], null] }],
    ['state.log[0].action must be one of succeed, retry, dead-letter, got "wait"', inLog(0, { action: 'wait' })],
    ['state.log[0].attempt must be an integer >= 1, got 0', inLog(0, { attempt: 0 })],
    ['state.log[0].startedAt must be a finite number, got null', inLog(0, { startedAt: null })],
    ['state.log[0].durationMs must be a finite number >= 0, got -1', inLog(0, { durationMs: -1 })],
    ['state.log[0].elapsedMs must be a finite number >= 0, got -1', inLog(0, { elapsedMs: -1 })],
    ['state.log[0].error must be an object, got "text"', inLog(0, { error: 'text' })],
    ['state.log[0].judgedBy must be one of mark, classifier, default, got "me"', inLog(0, { judgedBy: 'me' })],
    ['state.log[0].retryAfterMs must be a finite number >= 0, got -1', inLog(0, { retryAfterMs: -1 })],
    ['state.log[0].backoffMs must be a finite number >= 0, got undefined', inLog(0, { backoffMs: undefined })],
    ['state.log[0].delayMs must be a finite number >= 0, got undefined', inLog(0, { delayMs: undefined })],
    ['state.log[0].retryAt must be a finite number, got undefined', inLog(0, { retryAt: undefined })],
    ['state.log[0].drawnFrom must be a pair of integers, the lower first, got object', inLog(0, { drawnFrom: [2, 1] })],
    ['state.log[2].judgedBy must be one of mark, classifier, default, got "me"', inLog(2, { judgedBy: 'me' })],
    ['state.log[2].reason must be one of permanent, committed, ', inLog(2, { reason: 'tired' })],
  ])('names what is nonsense in a state: %s', (message, change) => {
    expect(() => nextStep({}, { ...state, ...change } as RetryState, { ok: true }, at(0, 1))).toThrow(message);
  });

  it.each([
    ['state must be an object, got "{}"', '{}', { ok: true }, {}],
    ['outcome must be { ok: true } or { error }, got object', null, {}, {}],
    ['outcome must be { ok: true } or { error }, got object', null, { ok: false }, {}],
    ['outcome must be { ok: true } or { error }, got object', null, { ok: true, error: 1 }, {}],
    ['outcome.committed must be a boolean, got "yes"', null, { error: 1, committed: 'yes' }, {}],
    ['environment.now must be a finite number, got undefined', null, { ok: true }, { now: undefined }],
    ['environment.startedAt must be a finite number, got NaN', null, { ok: true }, { startedAt: Number.NaN }],
    ['environment.random must be a function, got undefined', null, { ok: true }, { random: undefined }],
    ['environment.idempotencyKey must be a string that is not empty, got 7', null, { ok: true }, { idempotencyKey: 7 }],
    ['environment.logLimit must be an integer >= 0, got -1', null, { ok: true }, { logLimit: -1 }],
    ['unknown option clock', null, { ok: true }, { clock: {} }],
  ])('refuses wrong arguments: %s', (message, given, outcome, change) => {
    expect(() => nextStep({}, given as never, outcome as never, { ...at(0, 1), ...(change as object) })).toThrow(message);
  });

  it('refuses a wrong policy', () => {
    expect(() => nextStep({ maxAttempts: 0 }, null, { ok: true }, at(0, 1))).toThrow('invalid retry policy: maxAttempts');
  });

  test('the fault of a hook comes with what the attempt did', () => {
    const boom = () => {
      throw new Error('boom');
    };
    const faultOf = (...args: Parameters<typeof nextStep>) => {
      try {
        nextStep(...args);
      } catch (fault) {
        return fault;
      }
      return undefined;
    };
    const ofClassify = faultOf({ classify: boom }, null, { error: 'E' }, at(0, 1));
    expect(isRetryHookError(ofClassify)).toBe(true);
    expect(ofClassify).toMatchObject({ hook: 'classify', error: 'E', log: [] });
    expect(faultOf({ classifyValue: boom }, null, { ok: true, value: 3 }, at(0, 1))).toMatchObject({ hook: 'classifyValue', value: 3 });
  });
});

describe('a dead letter', () => {
  const source = { engine: 'table', queue: 'mail', id: '7' };
  const { state } = failing({ maxAttempts: 2 }, 2);
  const letter = toDeadLetter(state, { payload: { to: 'ann' }, source, diedAt: 9_000 });

  it('has all that is known of the job, as JSON', () => {
    expect(letter).toEqual({
      ...{ reason: 'attempts-exhausted', attempts: 2, firstStartedAt: 1_000, diedAt: 9_000, log: state.log, redrives: 0 },
      ...{
        error: state.log.at(-1) && (state.log[1] as { error?: unknown }).error,
        payload: { to: 'ann' },
        source,
        idempotencyKey: 'job 7',
      },
    });
    expect(throughJson(letter)).toEqual(letter);
  });

  it('is made only of a job that is dead', () => {
    const job = { payload: 1, source, diedAt: 1 };
    expect(() => toDeadLetter(failing({}, 1).state, job)).toThrow('state.log must end with a dead letter, got retry');
    expect(() => toDeadLetter({ ...state, log: [] }, job)).toThrow('state.log must end with a dead letter, got an empty log');
  });

  it('comes back with a fresh state that remembers the key and the number of its lives', () => {
    const fresh = redriveState(letter);
    expect(fresh).toMatchObject({ attempts: 0, redrives: 1, idempotencyKey: 'job 7', log: [], droppedDecisions: 0 });
    const { idempotencyKey: _, ...keyless } = at(50_000, 50_010);
    const { decision, state: next } = nextStep({}, throughJson(fresh), { error: busy }, keyless);
    expect(decision).toMatchObject({ action: 'retry', attempt: 1, elapsedMs: 10 });
    expect(next).toMatchObject({ firstStartedAt: 50_000, redrives: 1, idempotencyKey: 'job 7' });
  });

  it.each([
    ...[{ reason: 'tired' }, { redrives: '1' }, { redrives: null }, { idempotencyKey: '' }, { log: {} }, { source: null }],
    { payload: undefined },
  ])('is known among other data by its fields: not with %o', (change) => {
    expect(isDeadLetter(letter)).toBe(true);
    expect(isDeadLetter(throughJson({ ...letter, ...change }))).toBe(false);
    expect([isDeadLetter(null), isDeadLetter('text'), isDeadLetter({})]).toEqual([false, false, false]);
  });

  it('does not circle', () => {
    expect(redriveState({ ...letter, redrives: 9 }).redrives).toBe(10);
    expect(() => redriveState({ ...letter, redrives: 10 })).toThrow(
      new RangeError('letter.redrives must be below maxRedrives (10), got 10'),
    );
    expect(() => redriveState({ ...letter, redrives: 1 }, { maxRedrives: 1 })).toThrow(RangeError);
  });

  it.each([
    ['letter must be an object', undefined, {}],
    ['letter.redrives must be an integer >= 0', { ...letter, redrives: '1' }, {}],
    ['letter.idempotencyKey must be a string', { ...letter, idempotencyKey: undefined }, {}],
    ['letter.diedAt must be a finite number', { ...letter, diedAt: 'now' }, {}],
    ['maxRedrives must be an integer >= 1', letter, { maxRedrives: 0 }],
    ['unknown option limit', letter, { limit: 1 }],
  ])('is refused where it is none: %s', (message, given, options) => {
    expect(() => redriveState(given as never, options as never)).toThrow(message);
  });
});
