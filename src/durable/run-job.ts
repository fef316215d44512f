import { aFunction, anObject, fault, mustBe } from '../assert.js';
import type { Task } from '../attempt.js';
import type { Decision } from '../decision.js';
import { limitedTo, type RetryPolicy, resolvePolicy } from '../policy.js';
import { type RunOptions, resolveRunOptions } from '../run-options.js';
import { attemptOnce } from './attempt-once.js';
import { beforeAttempt, stepOf } from './before-attempt.js';
import { checkJob, endOf, type Job, type JobEnd } from './job.js';
import { LOG_LIMIT, type Outcome, type Step } from './next-step.js';
import { aKey } from './state.js';

/**
 * One attempt of a job that a queue worker has taken, and what follows from it: the shell around {@link nextStep}, which sets the time
 * limits that the policy has, counts attempts whose worker was killed, and writes the dead letter. It waits for nothing but the task.
 *
 * A lost attempt counts as a transient failure, and its job waits before the next one. A job whose budget ran out while it waited ends
 * without another attempt. A state with nonsense in it, and a hook of the policy that throws, end the job as permanent: the dead letter
 * has the fault. An abort of `options.signal` is a failure with the signal's reason: abort with a `TransientFailure` to have a job
 * repeated that a shutdown interrupts. An attempt that ignores its time limit is left behind; a `commit()` after that comes too late.
 *
 * @param task  called once at the most, with the number of the attempt among all of the job
 * @param options  as for `runWithRetry`, with a log of 100 decisions. The idempotency key of a job without a stored one is `queue/id`, or
 *   what is given here. `onDecision` is awaited; what it throws is dropped, since the end of
 *   the attempt is told by the answer
 * @throws {TypeError | RangeError} if an argument is wrong; as a rejection
 * @example
 * const job = { payload: { to: 'ann' }, source: { engine: 'table', queue: 'mail', id: '7' }, state: null }
 * const send = ({ attempt }) => { if (attempt === 1) throw new TransientFailure('421 try again later'); return 'sent' }
 * const first = await runJob(send, {}, job)
 * first.action // => 'retry'
 * const second = await runJob(send, {}, { ...job, state: first.state })
 * second.value // => 'sent'
 * second.state.idempotencyKey // => 'mail/7'
 */
export function runJob<T, Payload>(
  task: Task<T>,
  policy: RetryPolicy<NoInfer<T>> | undefined,
  job: Job<Payload>,
  options?: RunOptions,
): Promise<JobEnd<T, Payload>> {
  return workOn(task, policy, job, options, () => false);
}

/** As `runJob`, but for errors that are the engine's own signals: they come out as they are, and nothing is decided. */
export async function workOn<T, Payload>(
  task: Task<T>,
  policy: RetryPolicy<NoInfer<T>> | undefined,
  job: Job<Payload>,
  options: RunOptions | undefined,
  isSignal: (error: unknown) => boolean,
): Promise<JobEnd<T, Payload>> {
  mustBe('task', task, aFunction);
  mustBe('job', job, anObject);
  checkJob(job);
  const { clock, random, signal, maxAttempts, logLimit, ...run } = resolveRunOptions({ logLimit: LOG_LIMIT, ...options });
  const resolved = limitedTo(maxAttempts, resolvePolicy(policy));
  const { source, state: stored, lostAttempts = 0 } = job;
  const key = run.idempotencyKey ?? `${source.queue}/${source.id}`;
  const idempotencyKey = fault('', stored?.idempotencyKey, aKey) === undefined ? stored?.idempotencyKey : key;
  const startedAt = clock.now();
  const environment = { now: startedAt, startedAt, random, idempotencyKey, logLimit };

  const end = async (step: Step, value?: T) => {
    await tell(step.decision, run.onDecision);
    return endOf<T, Payload>(step, job, clock.now(), value);
  };
  const beginning = beforeAttempt(resolved, stored, lostAttempts, environment);
  if ('step' in beginning) return end(beginning.step);

  const { state } = beginning;
  const attempt = attemptOnce(task, resolved, beginning, { clock, signal });
  const outcome = await attempt.catch((error): Outcome<T> => ({ error }));
  if ('error' in outcome && isSignal(outcome.error)) throw outcome.error;
  const step = stepOf(resolved, state, outcome, { ...environment, now: clock.now() });
  return end(step, 'value' in outcome ? outcome.value : undefined);
}

/** What a log has to say must not cost the job its end. */
async function tell(decision: Decision, onDecision: RunOptions['onDecision']): Promise<void> {
  try {
    await onDecision?.(decision);
  } catch {}
}
