import {
  type DeadLetterDecision,
  type Decision,
  formatDecision,
  type RetryDecision,
  type RetryPolicy,
  runWithRetry,
  type SucceedDecision,
  TransientFailure,
} from 'retry-policy';
import { fixedRandom, frozenClock } from 'retry-policy/testing';
import { describe, expect, it } from 'vitest';

const times = { attempt: 1, startedAt: 0, durationMs: 5, elapsedMs: 5 };
const succeeded: SucceedDecision = { action: 'succeed', ...times };
const retryAt = (at: number): RetryDecision => ({
  action: 'retry',
  ...times,
  error: '503',
  judgedBy: 'mark',
  backoffMs: 0,
  delayMs: 0,
  retryAt: at,
});
const ended = (end: Partial<DeadLetterDecision>): DeadLetterDecision => ({
  action: 'dead-letter',
  ...times,
  error: '503',
  reason: 'permanent',
  ...end,
});

const jakarta = { timeZone: 'Asia/Jakarta' };
const policy: RetryPolicy = { maxAttempts: 4, backoff: { baseMs: 2_000, capMs: 60_000 }, jitter: 'none' };

describe('the log of a run at 08:00 in Jakarta', () => {
  const linesOf = async (task: (attempt: number) => unknown) => {
    const clock = frozenClock(new Date('2026-01-15T08:00:00+07:00'));
    const { log } = await runWithRetry(({ attempt }) => task(attempt), policy, { clock });
    return log.map((decision) => formatDecision(decision, jakarta));
  };

  it('reads as a story that heals on the third attempt', async () => {
    const lines = await linesOf((attempt) => {
      if (attempt < 3) throw new TransientFailure('503');
      return 'done';
    });
    expect(lines).toEqual([
      'attempt 1: transient, retry scheduled at 08:00:02',
      'attempt 2: transient, retry scheduled at 08:00:04',
      'attempt 3: succeeded',
    ]);
  });

  it('reads as a permanent failure', async () => {
    const lines = await linesOf(() => {
      throw new Error('404');
    });
    expect(lines).toEqual(['attempt 1: permanent, straight to the dead letter']);
  });

  it('reads as a transient failure to the limit', async () => {
    const lines = await linesOf(() => {
      throw new TransientFailure('503');
    });
    expect(lines).toEqual([
      'attempt 1: transient, retry scheduled at 08:00:02',
      'attempt 2: transient, retry scheduled at 08:00:04',
      'attempt 3: transient, retry scheduled at 08:00:08',
      'attempt 4: transient, attempts exhausted, to the dead letter',
    ]);
  });
});

it('a run cannot be turned by a hook that writes on the records it is told of', async () => {
  const overwrite = (decision: Decision) => {
    for (const [name, value] of Object.entries({ action: 'dead-letter', reason: 'aborted', attempt: 9, delayMs: 1, error: 0 })) {
      Reflect.set(decision, name, value);
    }
  };
  const task = ({ attempt }: { attempt: number }) => {
    if (attempt === 1) throw new TransientFailure('503');
    if (attempt === 2) throw new Error('404');
  };
  const options = { clock: frozenClock(0), random: fixedRandom(0), onDecision: overwrite };
  const failed = await runWithRetry(task, policy, options);
  expect(failed).toMatchObject({ ok: false, reason: 'permanent', attempts: 2 });
  expect(failed.log.map(({ action }) => action)).toEqual(['retry', 'dead-letter']);
  expect(await runWithRetry(() => 'done', policy, options)).toMatchObject({ ok: true, value: 'done', attempts: 1 });
});

describe('formatDecision', () => {
  it.each<[Decision, string]>([
    [succeeded, 'succeeded'],
    [ended({ reason: 'permanent' }), 'permanent, straight to the dead letter'],
    [ended({ reason: 'committed' }), 'committed, straight to the dead letter'],
    [ended({ reason: 'aborted' }), 'aborted, to the dead letter'],
    [ended({ reason: 'attempts-exhausted' }), 'transient, attempts exhausted, to the dead letter'],
    [ended({ reason: 'budget-exhausted' }), 'transient, budget exhausted, to the dead letter'],
    [ended({ reason: 'quota-exhausted' }), 'transient, quota exhausted, to the dead letter'],
    [ended({ reason: 'retry-after-too-long', retryAfterMs: 90_000 }), "transient, server's wait of 90000 ms too long, to the dead letter"],
  ])('words each end in the same manner: %o', (decision, words) => {
    expect(formatDecision({ ...decision, attempt: 12 })).toBe(`attempt 12: ${words}`);
  });

  it.each<[string, string | undefined, string]>([
    ['2026-01-15T01:00:02Z', undefined, '01:00:02'],
    ['2026-01-15T01:00:02.999Z', 'UTC', '01:00:02'],
    ['2026-01-15T01:00:02Z', 'Asia/Kathmandu', '06:45:02'],
    ['2026-01-15T13:00:02Z', 'America/New_York', '08:00:02'], // winter and
    ['2026-07-15T13:00:02Z', 'America/New_York', '09:00:02'], // summer
    ['2026-01-15T00:00:00Z', 'UTC', '00:00:00'], // not 24:00:00, and
    ['2026-01-15T12:00:00Z', 'UTC', '12:00:00'], // no AM or PM
    ['2026-01-15T23:59:59Z', 'UTC', '23:59:59'],
    ['1969-12-31T23:59:58Z', 'UTC', '23:59:58'],
  ])('tells %s in %s as %s', (instant, timeZone, time) => {
    const decision = retryAt(Date.parse(instant));
    expect(formatDecision(decision, { timeZone })).toBe(`attempt 1: transient, retry scheduled at ${time}`);
    if (timeZone === 'UTC') expect(formatDecision(decision)).toBe(`attempt 1: transient, retry scheduled at ${time}`);
  });

  it('tells also an instant that is too far for a Date', () => {
    for (const at of [8.64e15, 8.64e15 + 1, 2 ** 54, Number.MAX_VALUE, -8.64e15, -8.64e15 - 1, -Number.MAX_VALUE]) {
      expect(formatDecision(retryAt(at))).toMatch(/^attempt 1: transient, retry scheduled at \d\d:\d\d:\d\d$/);
    }
  });

  it.each<[string, ErrorConstructor]>([
    ['Mars/Olympus', RangeError],
    ['', RangeError],
    [5 as never, TypeError],
    [null as never, TypeError],
  ])('refuses a time zone of %j', (timeZone, Fault) => {
    expect(() => formatDecision(retryAt(0), { timeZone })).toThrow(Fault);
    expect(() => formatDecision(retryAt(0), { timeZone })).toThrow(`timeZone`);
    expect(() => formatDecision(retryAt(0), { timeZone })).toThrow(`got ${JSON.stringify(timeZone)}`);
  });

  it('refuses a time zone that is no text also where no time is told', () => {
    expect(() => formatDecision(succeeded, { timeZone: 7 as never })).toThrow(TypeError);
  });

  it('keeps the cause of a bad time zone', () => {
    try {
      formatDecision(retryAt(0), { timeZone: 'Mars/Olympus' });
      expect.unreachable();
    } catch (error) {
      expect((error as Error).cause).toBeInstanceOf(RangeError);
    }
  });

  it.each<[unknown, string]>([
    [undefined, 'decision must be an object, got undefined'],
    [null, 'decision must be an object, got null'],
    ['retry', 'decision must be an object, got "retry"'],
    [{}, `decision.action must be 'succeed', 'retry' or 'dead-letter', got undefined`],
    [{ ...times, action: 'Retry' }, `decision.action must be 'succeed', 'retry' or 'dead-letter', got "Retry"`],
  ])('refuses %j, which is no decision', (decision, message) => {
    expect(() => formatDecision(decision as Decision)).toThrow(new TypeError(message));
  });

  it('blames the decision, and not the time zone, where the instant of a retry is missing', () => {
    const { retryAt: _, ...incomplete } = retryAt(0);
    expect(() => formatDecision(incomplete as Decision)).toThrow(TypeError);
    expect(() => formatDecision(incomplete as Decision)).toThrow('retryAt');
  });

  it('refuses options that nobody knows', () => {
    expect(() => formatDecision(succeeded, { timezone: 'UTC' } as object)).toThrow(
      new TypeError('unknown option timezone (known: timeZone)'),
    );
  });
});
