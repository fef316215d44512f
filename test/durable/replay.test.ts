import fc from 'fast-check';
import { isRetryHookError, type RetryPolicy, runWithRetry, TransientFailure } from 'retry-policy';
import { type DecisionRecord, nextStep, type RetryState, replay, toDecisionRecord } from 'retry-policy/durable';
import { seededRandom, virtualClock } from 'retry-policy/testing';
import { describe, expect, it, test } from 'vitest';

const policies: readonly RetryPolicy[] = (['full', 'equal', 'decorrelated', 'none'] as const).flatMap((jitter) => [
  { jitter, maxAttempts: 6 },
  { jitter, maxAttempts: 6, totalBudgetMs: 30_000, attemptTimeoutMs: 1_000 },
  { jitter, maxAttempts: 3, maxRetryAfterMs: 500 },
]);

/** The log of a run in memory, with hints, and its end by chance. */
async function logOf(policy: RetryPolicy, seed: number): Promise<readonly DecisionRecord[]> {
  const random = seededRandom(seed);
  const task = async () => {
    const kind = random(0, 9);
    if (kind === 0) throw new Error('404');
    if (kind === 1) return 'done';
    throw new TransientFailure('503', kind > 6 ? { retryAfterMs: kind * 100 } : {});
  };
  const { log } = await runWithRetry(task, policy, { clock: virtualClock(), random });
  return log.map(toDecisionRecord);
}

describe('replay', () => {
  it.each(policies)('is exact for the policy that was in force: %o', async (policy) => {
    for (let seed = 0; seed < 40; seed++) {
      const log = await logOf(policy, seed);
      const replayed = replay(policy, JSON.parse(JSON.stringify(log)));
      expect(replayed).toEqual({ equal: true, decisions: log });
      expect(replay(policy, log.slice(1)).equal).toBe(true); // its oldest decision was dropped
    }
  });

  it('keeps the place of each draw in its range for another policy, and moves the times', () => {
    let state: RetryState | null = null;
    for (const [startedAt, drawn] of [
      [0, 500],
      [700, 3_000],
    ] as const) {
      const environment = { now: startedAt + 100, startedAt, random: () => drawn };
      ({ state } = nextStep({}, state, { error: new TransientFailure('503') }, environment));
    }
    const { equal, decisions, firstDifference } = replay({ backoff: { baseMs: 8_000 } }, (state as unknown as RetryState).log);
    expect(equal).toBe(false);
    expect(decisions).toMatchObject([
      { backoffMs: 2_000, drawnFrom: [0, 8_000], retryAt: 2_100 },
      { backoffMs: 12_000, drawnFrom: [0, 16_000], startedAt: 2_200, elapsedMs: 2_300, retryAt: 14_300 },
    ]);
    expect(firstDifference).toMatchObject({ attempt: 1, recorded: { backoffMs: 500 }, derived: { backoffMs: 2_000 } });
    expect(firstDifference?.why).toBe('backoffMs was 500 and is 2000');
  });

  const two = (last: object): DecisionRecord[] =>
    [
      {
        ...{ action: 'retry', attempt: 1, startedAt: 0, durationMs: 10, elapsedMs: 10, judgedBy: 'mark' },
        ...{ backoffMs: 50, drawnFrom: [50, 50], delayMs: 50, retryAt: 60 },
      },
      { ...{ attempt: 2, startedAt: 60, durationMs: 10, elapsedMs: 70 }, ...last },
    ].map((record) => ({ ...record, error: { name: 'E', message: 'm' } })) as DecisionRecord[];

  it('ends with the policy, though the log goes on', () => {
    const { decisions, firstDifference } = replay({ maxAttempts: 1 }, two({ action: 'succeed' }));
    expect(decisions).toMatchObject([{ action: 'dead-letter', reason: 'attempts-exhausted' }]);
    expect(firstDifference?.why).toBe('action was "retry" and is "dead-letter"');
  });

  it('goes on where the policy would have, though the log ends', () => {
    const log = two({ action: 'dead-letter', reason: 'attempts-exhausted', judgedBy: 'mark' });
    const { decisions, firstDifference } = replay({ maxAttempts: 3, backoff: { baseMs: 50 }, jitter: 'none' }, log);
    expect(decisions[1]).toMatchObject({ action: 'retry', backoffMs: 100, retryAt: 170 });
    expect(firstDifference).toMatchObject({ attempt: 1, why: 'drawnFrom was [50,50] and is absent' });
  });

  it.each([
    { action: 'dead-letter', reason: 'aborted' },
    { action: 'dead-letter', reason: 'quota-exhausted', judgedBy: 'mark' },
    { action: 'succeed' },
  ])('takes an end that no policy makes as it is: %o', (last) => {
    const log = two(last);
    expect(replay({ maxAttempts: 2, backoff: { baseMs: 50 } }, log).decisions[1]).toEqual(log[1]);
  });

  it('knows an end in a wait, and that another budget would not have ended there', () => {
    const log = two({
      ...{ action: 'dead-letter', attempt: 1, startedAt: 0, elapsedMs: 9_000 },
      ...{ reason: 'budget-exhausted', judgedBy: 'mark' },
    });
    const policy = { backoff: { baseMs: 50, capMs: 50 }, jitter: 'none' } as const;
    expect(replay({ ...policy, totalBudgetMs: 9_000 }, log).decisions[1]).toEqual(log[1]);
    const { decisions, firstDifference } = replay(policy, [
      { ...log[0], drawnFrom: undefined } as DecisionRecord,
      log[1] as DecisionRecord,
    ]);
    expect(decisions).toHaveLength(1);
    expect(firstDifference).toEqual({ attempt: 1, recorded: log[1], why: 'dead-letter was recorded, and nothing is decided' });
  });

  it('asks a delay with the recorded wait as its draw, as far as the range has it', () => {
    const log = two({ action: 'succeed' });
    expect(replay({ delay: (_, random) => random(0, 100) }, log).decisions[0]).toMatchObject({ backoffMs: 50 });
    expect(replay({ delay: (_, random) => random(0, 40) }, log).decisions[0]).toMatchObject({ backoffMs: 40 });
    let fault: unknown;
    try {
      replay({ delay: () => Number.NaN }, log);
    } catch (thrown) {
      fault = thrown;
    }
    expect(isRetryHookError(fault)).toBe(true);
    expect(fault).toMatchObject({ hook: 'delay', error: { message: 'm' } });
  });

  it('answers every draw within its range, whatever policies meet', async () => {
    const anyPolicy = fc.record({
      jitter: fc.constantFrom('full' as const, 'equal' as const, 'decorrelated' as const, 'none' as const),
      backoff: fc.record({ baseMs: fc.nat(100_000), capMs: fc.nat(1_000_000) }),
      maxAttempts: fc.integer({ min: 1, max: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(anyPolicy, anyPolicy, fc.nat(1_000), async (one, other, seed) => {
        const log = await logOf(one, seed);
        expect(replay(one, log).equal).toBe(true);
        const { decisions } = replay(other, log);
        expect(decisions.length).toBeGreaterThan(0);
        expect(decisions.length).toBeLessThanOrEqual(log.length);
        expect(replay(other, decisions).equal).toBe(true);
      }),
    );
  });

  test('a log that is none is refused by name', () => {
    expect(() => replay({}, 'log' as never)).toThrow('log must be an array, got "log"');
    expect(() => replay({}, [{}] as never)).toThrow('log[0].action must be one of succeed, retry, dead-letter, got undefined');
  });
});
