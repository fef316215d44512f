import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { AttemptTimeout, type RetryPolicy, TransientFailure } from 'retry-policy';
import { type ActivityInfo, type InterceptorOptions, type PolicyOfActivity, retryingActivities } from 'retry-policy/temporal';
import { frozenClock, virtualClock } from 'retry-policy/testing';
import { describe, expect, it } from 'vitest';

const policy: RetryPolicy = { jitter: 'none', backoff: { baseMs: 500 } };
const busy = new TransientFailure('503');
const fails = (error: unknown) => () => Promise.reject(error);
const clock = frozenClock(5_000);
const info: ActivityInfo = {
  ...{ activityId: '1', activityType: 'send', attempt: 1, scheduledTimestampMs: 4_000, taskQueue: 'mail' },
  workflowExecution: { workflowId: 'order 9', runId: 'abc' },
};

interface Execution {
  readonly policy?: PolicyOfActivity;
  readonly info?: Partial<ActivityInfo>;
  readonly options?: InterceptorOptions;
  readonly cancellation?: AbortSignal;
}

/** One execution of an activity, as the SDK makes it. */
function execute(activity: (...args: never[]) => Promise<unknown>, execution: Execution = {}): Promise<unknown> {
  const { cancellation = new AbortController().signal, options = { clock } } = execution;
  const interceptor = retryingActivities(
    execution.policy ?? policy,
    options,
  )({
    info: { ...info, ...execution.info },
    cancellationSignal: cancellation,
  });
  return interceptor.inbound.execute({ args: ['ann'], headers: {} }, ({ args }) => activity(...(args as never[])));
}

/** What comes out instead of a value. */
const failureOf = (activity: Parameters<typeof execute>[0], execution?: Execution) =>
  execute(activity, execution).then(
    () => expect.unreachable('it did not fail'),
    (failure) => failure as ApplicationFailure,
  );

describe('an activity', () => {
  it('is called with its input, and answers what it returns', async () => {
    expect(await execute(async (to: string) => `sent to ${to}`)).toBe('sent to ann');
  });

  it('that fails in passing tells the server when to try again', async () => {
    const failure = await failureOf(fails(busy), { info: { attempt: 2 } });
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ message: '503', type: 'TransientFailure', nonRetryable: false, nextRetryDelay: 1_000, cause: busy });
    expect(failure.details).toMatchObject([{ action: 'retry', attempt: 2, delayMs: 1_000, error: { message: '503' } }]);
  });

  it.each([
    [0, 1],
    [0.2, 1],
    [99.5, 100],
    [1e300, 31_536_000_000],
  ])('never says a delay that the server takes for another: %d ms', async (delayMs, nextRetryDelay) => {
    expect(await failureOf(fails(busy), { policy: { delay: () => delayMs } })).toMatchObject({ nextRetryDelay });
  });

  it.each([
    ['permanent', new Error('400'), {}, 1],
    ['attempts-exhausted', busy, { maxAttempts: 3 }, 3],
    ['budget-exhausted', busy, { totalBudgetMs: 1_400 }, 2],
  ] as const)('that is given up tells the server to stop, with its dead letter: %s', async (reason, error, limits, attempt) => {
    const failure = await failureOf(fails(error), { policy: { ...policy, ...limits }, info: { attempt } });
    expect(failure).toMatchObject({ nonRetryable: true, message: error.message, cause: error });
    expect(failure.nextRetryDelay).toBeUndefined();
    const source = { engine: 'temporal', queue: 'mail', id: 'order 9/abc/1' };
    const firstStartedAt = attempt === 1 ? 5_000 : 4_000;
    expect(failure.details).toMatchObject([{ reason, attempts: attempt, payload: ['ann'], source, firstStartedAt, diedAt: 5_000 }]);
  });

  it('does not begin once its budget is over', async () => {
    let calls = 0;
    const activity = async () => {
      calls += 1;
    };
    const failure = await failureOf(activity, { policy: { ...policy, totalBudgetMs: 1_000 }, info: { attempt: 2 } });
    expect(failure.details).toMatchObject([{ reason: 'budget-exhausted' }]);
    expect(calls).toBe(0);
  });

  it('is cut off by the time limit of an attempt', async () => {
    const time = virtualClock();
    const running = failureOf(() => new Promise(() => {}), { policy: { ...policy, attemptTimeoutMs: 50 }, options: { clock: time } });
    await time.advance(50);
    expect(await running).toMatchObject({ nextRetryDelay: 500, cause: expect.any(AttemptTimeout) });
  });

  it.each<[Partial<ActivityInfo>, string]>([
    [{}, 'order 9/abc/1'],
    [{ workflowExecution: undefined, activityRunId: 'run 4' }, 'run 4/1'],
    [{ workflowExecution: undefined }, '1'],
  ])('has one key over all its attempts: %j', async (differing, idempotencyKey) => {
    for (const attempt of [1, 2]) {
      const failure = await failureOf(fails(new Error('400')), { info: { ...differing, attempt } });
      expect(failure.details).toMatchObject([{ idempotencyKey, source: { id: idempotencyKey } }]);
    }
  });

  it('has the policy for its type, or is left alone', async () => {
    const policyOf = ({ activityType }: ActivityInfo) => (activityType === 'send' ? policy : undefined);
    expect(await failureOf(fails(busy), { policy: policyOf })).toMatchObject({ nextRetryDelay: 500 });
    expect(await failureOf(fails(busy), { policy: policyOf, info: { activityType: 'charge' } })).toBe(busy);
  });

  it('tells each decision', async () => {
    const told: unknown[] = [];
    const onDecision = ({ action, attempt }: { action: string; attempt: number }) => {
      told.push([action, attempt]);
    };
    await execute(async () => 1, { options: { clock, onDecision }, info: { attempt: 4 } });
    expect(told).toEqual([['succeed', 4]]);
  });
});

describe('what an activity says by its own ApplicationFailure', () => {
  it('to stop, stays, with its type and its details', async () => {
    const failure = await failureOf(fails(ApplicationFailure.nonRetryable('closed', 'AccountClosed', 'a detail')));
    expect(failure).toMatchObject({ message: 'closed', type: 'AccountClosed', nonRetryable: true });
    expect(failure.details).toMatchObject(['a detail', { reason: 'permanent' }]);
  });

  it.each([
    [900, 1_400], // and spread over the backoff, as any hint
    [0, 500], // no wait is asked for, but another attempt
    ['2s', 500],
  ])('to try again after %s, is heard', async (nextRetryDelay, waitMs) => {
    const error = ApplicationFailure.create({ message: '503', nextRetryDelay: nextRetryDelay as number });
    expect(await failureOf(fails(error))).toMatchObject({ nextRetryDelay: waitMs, nonRetryable: false });
  });

  it.each([[undefined], [null]])('by default, is nothing: %s', async (nextRetryDelay) => {
    const error = Object.assign(new Error('503'), { name: 'ApplicationFailure', nonRetryable: false, nextRetryDelay });
    expect(await failureOf(fails(error))).toMatchObject({ nonRetryable: true });
    expect(await failureOf(fails(error), { policy: { ...policy, classify: () => 'transient' } })).toMatchObject({ nextRetryDelay: 500 });
  });
});

describe('whatever else is thrown', () => {
  const trap = {
    get name() {
      throw new Error('trap');
    },
    get message() {
      throw new Error('trap');
    },
  };
  it.each([
    ['a string', 'boom', { message: '"boom"', type: 'string' }],
    ['nothing', undefined, { type: 'undefined' }],
    ['an object that traps', trap, { type: 'object' }],
    ['an object with a type', { type: 'Own', message: 'm' }, { type: 'Own' }],
  ])('becomes a failure: %s', async (_, error, expected) => {
    const failure = await failureOf(fails(error));
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ ...expected, nonRetryable: true });
    expect(failure.cause).toBeUndefined();
  });
});

describe('messages to the worker', () => {
  const named = (name: string) => Object.assign(new Error('elsewhere'), { name });
  const cancelled = AbortSignal.abort();

  it.each([
    ['a cancellation', new CancelledFailure('CANCELLED'), undefined],
    ['asynchronous completion', named('CompleteAsyncError'), undefined],
    ['an abort by a cancellation', named('AbortError'), cancelled],
  ])('pass untouched: %s', async (_, error, cancellation) => {
    expect(
      await failureOf(fails(error), { policy: { ...policy, classify: () => 'transient' }, ...(cancellation && { cancellation }) }),
    ).toBe(error);
  });

  it('are none where an abort has another cause', async () => {
    expect(await failureOf(fails(named('AbortError')))).toMatchObject({ type: 'AbortError', nonRetryable: true });
  });
});

it.each<[string, PolicyOfActivity, InterceptorOptions]>([
  ['maxAttempts', { maxAttempts: 0 }, {}],
  ['random', {}, { random: 5 as never }],
  ['clock', () => undefined, { clock: {} as never }],
])('says what is wrong before any activity comes: %s', (name, wrong, options) => {
  expect(() => retryingActivities(wrong, options)).toThrow(name);
});
