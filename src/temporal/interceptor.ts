import { workOn } from '../durable/run-job.js';
import type { RetryState } from '../durable/state.js';
import { definePolicy, type RetryPolicy, resolvePolicy } from '../policy.js';
import { type RunOptions, resolveRunOptions } from '../run-options.js';
import type { ActivityContext, ActivityInfo, ActivityInput } from './engine.js';
import { applicationFailures, failureOf, isSignalIn } from './failures.js';

/** As for `runJob`. The server waits by its own clock. */
export type InterceptorOptions = Omit<RunOptions, 'signal' | 'idempotencyKey'>;

/** One policy for all activities, or the one for each; undefined leaves an activity alone. */
// biome-ignore lint/suspicious/noExplicitAny: of activities that return anything
export type PolicyOfActivity = RetryPolicy<any> | ((info: ActivityInfo) => RetryPolicy<any> | undefined);

/**
 * A Temporal activity interceptor that retries by a policy: for `Worker.create({ interceptors: { activity: [retryingActivities(policy)] } })`.
 *
 * What an activity throws is decided on by `nextStep`, and becomes an `ApplicationFailure` with the decided `nextRetryDelay`, or one that
 * is `nonRetryable`, whose last detail is the {@link DeadLetter}; the error is its cause. Cancellations and asynchronous completion pass
 * untouched. An error without a mark that no classifier knows is permanent here, though Temporal itself would repeat it.
 *
 * The server counts the attempts, and ends them as well: leave `maximumAttempts` and `scheduleToCloseTimeout` of the activity above the
 * policy's limits, and set a `startToCloseTimeout`, for workers that are killed. Nothing but those counts is kept between the attempts:
 * the log holds one decision, and `jitter: 'decorrelated'` draws as for a first wait.
 *
 * @param policy  its limits end an attempt that goes on too long, which then goes on unseen: its own signal is `Context.current()`'s
 * @returns an interceptor factory
 * @throws {TypeError | RangeError} if an argument is wrong
 * @example
 * const info = { activityId: '1', activityType: 'send', attempt: 1, scheduledTimestampMs: 0, taskQueue: 'mail' }
 * const context = { info, cancellationSignal: new AbortController().signal }
 * const { inbound } = retryingActivities({ backoff: { baseMs: 500 }, jitter: 'none' })(context)
 * const failure = await inbound.execute({ args: [] }, () => { throw new TransientFailure('503') }).catch((failure) => failure)
 * failure.nextRetryDelay // => 500
 */
export function retryingActivities(
  policy: PolicyOfActivity,
  options: InterceptorOptions = {},
): (context: ActivityContext) => {
  inbound: { execute<I extends ActivityInput>(input: I, next: (input: I) => Promise<unknown>): Promise<unknown> };
} {
  const fixed = typeof policy === 'function' ? undefined : judging(policy);
  resolveRunOptions(options);

  return (context) => ({
    inbound: {
      async execute(input, next) {
        const { info } = context;
        const found = fixed ?? (policy as (info: ActivityInfo) => RetryPolicy | undefined)(info);
        if (found === undefined) return next(input);
        const idempotencyKey = keyOf(info);
        const source = { engine: 'temporal', queue: info.taskQueue, id: idempotencyKey };
        const job = { payload: input.args, source, state: stateOf(info, idempotencyKey) };
        const task = () => next(input);
        const end = await workOn(task, fixed ?? judging(found), job, { ...options, idempotencyKey }, isSignalIn(context));
        if (end.action === 'succeed') return end.value;
        throw failureOf(end);
      },
    },
  });
}

function judging(policy: RetryPolicy) {
  const resolved = resolvePolicy(policy);
  return definePolicy({ ...resolved, classify: [applicationFailures, ...resolved.classify] });
}

const keyOf = ({ workflowExecution, activityRunId, activityId }: ActivityInfo): string =>
  [workflowExecution?.workflowId, workflowExecution?.runId ?? activityRunId, activityId].filter(Boolean).join('/');

function stateOf({ attempt, scheduledTimestampMs }: ActivityInfo, idempotencyKey: string): RetryState | null {
  const attempts = attempt - 1;
  const past = { log: [], droppedDecisions: attempts };
  return attempts === 0 ? null : { version: 1, firstStartedAt: scheduledTimestampMs, attempts, idempotencyKey, redrives: 0, ...past };
}
