import { activityInfo, CompleteAsyncError, Context, sleep } from '@temporalio/activity';
import {
  ApplicationFailure,
  CancelledFailure,
  compileRetryPolicy,
  defaultFailureConverter,
  defaultPayloadConverter,
} from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger, type WorkerOptions } from '@temporalio/worker';
import { type RetryPolicy, TransientFailure } from 'retry-policy';
import type { DeadLetter } from 'retry-policy/durable';
import { type PolicyOfActivity, retryingActivities, toTemporalRetryPolicy } from 'retry-policy/temporal';
import { describe, expect, it } from 'vitest';

const policy: RetryPolicy = { jitter: 'none', backoff: { baseMs: 500 } };
// What a user writes; it compiles.
export const workerOptions: WorkerOptions = { taskQueue: 'mail', interceptors: { activity: [retryingActivities(policy)] } };

type Activity = () => Promise<unknown>;

/** One execution by the SDK, in an environment that plays the server. */
const environmentOf = (policyOf: PolicyOfActivity, attempt = 1) =>
  new MockActivityEnvironment(
    { attempt, scheduledTimestampMs: Date.now() - 1_000, activityType: 'send' },
    { interceptors: [retryingActivities(policyOf)], logger: new DefaultLogger('ERROR') },
  );
const endOf = (activity: Activity, attempt = 1, policyOf: PolicyOfActivity = policy) =>
  environmentOf(policyOf, attempt)
    .run(activity)
    .then(
      (value) => ({ value, failure: undefined }),
      (failure: unknown) => ({ value: undefined, failure }),
    );
const busy = async () => {
  throw new TransientFailure('503');
};

/** What the server is sent. */
const sent = (failure: unknown) => defaultFailureConverter.errorToFailure(failure, defaultPayloadConverter).applicationFailureInfo;

describe("an activity in the SDK's mock environment", () => {
  it('answers what it returns, and sees its context', async () => {
    expect(await endOf(async () => activityInfo().activityType)).toMatchObject({ value: 'send' });
  });

  it('tells the server when to try again', async () => {
    const { failure } = await endOf(busy, 2);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ message: '503', type: 'TransientFailure', nonRetryable: false, nextRetryDelay: 1_000 });
    expect(sent(failure)?.nextRetryDelay).toMatchObject({ nanos: 0 });
    expect(Number(sent(failure)?.nextRetryDelay?.seconds)).toBe(1);
  });

  it('never says 0, which is the maximum to the server', async () => {
    const { failure } = await endOf(busy, 1, { delay: () => 0 });
    expect(failure).toMatchObject({ nextRetryDelay: 1 });
    expect(sent(failure)?.nextRetryDelay?.nanos).toBe(1_000_000);
  });

  it.each([
    ['permanent', 1, async () => Promise.reject(new Error('400'))],
    ['attempts-exhausted', 4, busy],
    ['permanent', 1, async () => Promise.reject(ApplicationFailure.nonRetryable('closed', 'AccountClosed', 'a detail'))],
  ])('tells the server to stop, with a dead letter: %s', async (reason, attempt, activity) => {
    const { failure } = (await endOf(activity, attempt)) as { failure: ApplicationFailure };
    const letter = failure.details?.at(-1) as DeadLetter;
    expect(letter).toMatchObject({ reason, attempts: attempt, source: { engine: 'temporal', queue: 'test' }, payload: [] });
    expect(sent(failure)).toMatchObject({ nonRetryable: true });
  });

  it('keeps what the activity said of its own failure', async () => {
    const own = () => Promise.reject(ApplicationFailure.nonRetryable('closed', 'AccountClosed', 'a detail'));
    const { failure } = await endOf(own);
    expect(failure).toMatchObject({ message: 'closed', type: 'AccountClosed', details: ['a detail', { reason: 'permanent' }] });
  });

  it('is left alone where it has no policy', async () => {
    const error = new Error('400');
    const { failure } = await endOf(
      () => Promise.reject(error),
      1,
      ({ activityType }) => (activityType === 'charge' ? policy : undefined),
    );
    expect(failure).toBe(error);
  });

  it('may say that somebody else completes it', async () => {
    const { failure } = await endOf(async () => {
      throw new CompleteAsyncError();
    });
    expect(failure).toBeInstanceOf(CompleteAsyncError);
  });

  it.each([
    ['waits in the SDK', () => sleep(60_000), CancelledFailure],
    [
      'hands its signal on',
      async () => {
        Context.current().cancellationSignal.throwIfAborted();
        await new Promise((_, reject) => {
          Context.current().cancellationSignal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
        });
      },
      DOMException,
    ],
  ])('may be cancelled while it %s', async (_, activity, kind) => {
    const environment = environmentOf(policy);
    const running = environment.run(activity as Activity).catch((failure: unknown) => failure);
    environment.cancel('CANCELLED');
    expect(await running).toBeInstanceOf(kind);
  });
});

it.each([{}, { maxAttempts: Infinity }, { backoff: { baseMs: 0, capMs: 0 } }, { backoff: { baseMs: 9e300, capMs: 9e300 } }])(
  'the SDK accepts what is made of the policy %j',
  (each) => {
    expect(() => compileRetryPolicy(toTemporalRetryPolicy(each))).not.toThrow();
  },
);
