import { aCount, aFunction, anObject, mustBe, type Rule } from '../assert.js';
import type { AttemptContext } from '../attempt.js';
import { type DeadLetter, MOST_REDRIVES } from '../durable/dead-letter.js';
import { engineDelayMs } from '../durable/engine-delay.js';
import { coffinOf, envelopeOf, openEnvelope, stateIn, waitLeft } from '../durable/envelope.js';
import { workOn } from '../durable/run-job.js';
import type { RetryState } from '../durable/state.js';
import { messageOf } from '../failure.js';
import { hostClock } from '../host-clock.js';
import { definePolicy, type RetryPolicy, resolvePolicy } from '../policy.js';
import { type RunOptions, resolveRunOptions } from '../run-options.js';
import { type BullJob, type BullQueue, delayedError, isEngineSignal, unrecoverableError } from './engine.js';
import { unrecoverable } from './unrecoverable.js';

/** Clock, random source, `onDecision` and `logLimit` are those of `runJob`; BullMQ itself waits by the host's clock. */
export interface ProcessorOptions extends Omit<RunOptions, 'signal' | 'idempotencyKey'> {
  /** A queue that gets the dead letters, each once. Without it they stay in the data of the failed jobs. */
  deadLetters?: BullQueue | undefined;
  /** How often one job may come back from the dead, an integer >= 1. Default 10. */
  maxRedrives?: number | undefined;
}

const aQueue: Rule = { words: 'a Queue', holds: ({ add }: BullQueue) => typeof add === 'function', type: 'object' };

const LOCK_MS = 30_000; // BullMQ's own default; the worker renews it from then on

/**
 * A BullMQ processor that retries by a policy: for `new Worker(queue, retryingProcessor(handler, policy), workerOptions)`.
 *
 * Each failure is decided on by `nextStep`. A retry is moved to the delayed jobs, with its state in the job's data under the key
 * `retryPolicy`; a job that is given up fails as unrecoverable, with its {@link DeadLetter} as its data. So BullMQ's own `attempts` and
 * `backoff` have no part in it, and may be left at their defaults. Its `failed` event tells of dead jobs alone.
 *
 * A job whose worker was killed (BullMQ calls it stalled) counts as an attempt, if it was killed in one, and waits as after any other.
 * A dead job that is retried by `job.retry()`, or whose letter is added to the queue anew, begins afresh with the letter's payload.
 *
 * @param handler  called with the job, whose `data` is the payload, and the context of the attempt; its key is `queue/id/timestamp`
 * @param policy  `UnrecoverableError` is permanent, also as a `cause`; BullMQ's signals (`DelayedError`, `WaitingError`,
 *   `WaitingChildrenError`, rate limits) are no failures
 * @returns a function of (job, token, signal); it rejects with what tells BullMQ that the job waits, or is dead
 * @throws {TypeError | RangeError} if an argument is wrong
 * @example
 * const processor = retryingProcessor((job) => `sent to ${job.data.to}`)
 * const job = { id: '7', queueName: 'mail', data: { to: 'ann' }, timestamp: 0, attemptsStarted: 1, stalledCounter: 0 }
 * await processor(job, 'token') // => 'sent to ann'
 */
export function retryingProcessor<J extends BullJob, T>(
  handler: (job: J, context: AttemptContext) => T | PromiseLike<T>,
  policy?: RetryPolicy<NoInfer<T>>,
  options: ProcessorOptions = {},
): (job: J, token?: string, signal?: AbortSignal) => Promise<T> {
  mustBe('handler', handler, aFunction);
  mustBe('options', options, anObject);
  const { deadLetters, maxRedrives = MOST_REDRIVES, ...run } = options;
  if (deadLetters !== undefined) mustBe('deadLetters', deadLetters, aQueue);
  mustBe('maxRedrives', maxRedrives, aCount);
  resolveRunOptions(run);
  const resolved = resolvePolicy(policy);
  const judging = definePolicy({ ...resolved, classify: [unrecoverable, ...resolved.classify] });

  // BullMQ counts the parameters: without a third one it makes no signal.
  return async (job: J, token?: string, signal?: AbortSignal): Promise<T> => {
    const source = { engine: 'bullmq', queue: job.queueName, id: job.id ?? '' };
    const opened = openEnvelope(job.data, source);
    const counters = { starts: job.attemptsStarted, stalls: job.stalledCounter };
    const stalls = Math.max(0, counters.stalls - opened.counters.stalls);
    const lostAttempts = Math.max(0, Math.min(stalls, counters.starts - 1 - opened.counters.starts));
    const { updateData } = job;
    let isOver = false;

    const store = async (data: unknown) => {
      isOver = true;
      if (token !== undefined && (await job.extendLock(token, LOCK_MS)) !== 1) throw new Error(`the lock of job ${source.id} is lost`);
      await updateData.call(job, data);
    };
    const wait = async (payload: unknown, state: RetryState, delayMs: number): Promise<never> => {
      await store(envelopeOf(payload, state, counters));
      await job.moveToDelayed(hostClock.now() + engineDelayMs(delayMs), token);
      throw delayedError();
    };
    const bury = async (letter: DeadLetter, cause?: unknown): Promise<never> => {
      await store(coffinOf(letter, counters));
      const { error } = letter;
      const jobId = encodeURIComponent(`${letter.idempotencyKey}/${letter.redrives}/${source.id}`);
      await deadLetters?.add(job.name, letter, { jobId }).catch((fault) => {
        throw unrecoverableError(`${error.message} (and its dead letter stays here: ${messageOf(fault)})`, error, cause);
      });
      throw unrecoverableError(error.message, error, cause);
    };

    if (stalls > 0 && lostAttempts === 0) {
      // The worker went away after it had stored a decision, and before it had told BullMQ.
      if (opened.letter !== undefined) return bury(opened.letter);
      if (opened.state !== null) return wait(opened.payload, opened.state, waitLeft(opened.state, (run.clock ?? hostClock).now()));
    }
    let state: RetryState | null;
    try {
      state = stateIn(opened, maxRedrives);
    } catch (fault) {
      throw unrecoverableError(messageOf(fault));
    }

    job.data = opened.payload;
    job.updateData = async (data: unknown) => {
      if (isOver) throw new Error('the attempt is over: its data is stored');
      await updateData.call(job, state === null ? data : envelopeOf(data, state, { ...counters, starts: counters.starts - 1 }));
      job.data = data;
    };
    const idempotencyKey = `${source.queue}/${source.id}/${job.timestamp}`;
    const work = { payload: undefined, source, state, lostAttempts };
    const task = (context: AttemptContext) => handler(job, context);
    const end = await workOn<T, unknown>(task, judging, work, { ...run, idempotencyKey, signal }, isEngineSignal);
    const { data: payload } = job;
    if (end.action === 'retry') return wait(payload, end.state, end.decision.delayMs);
    if (end.action === 'dead-letter') return bury({ ...end.letter, payload }, end.decision.error);
    isOver = true;
    return end.value;
  };
}
