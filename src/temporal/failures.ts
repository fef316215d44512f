import { ApplicationFailure } from '@temporalio/common';
import type { Classifier } from '../classify.js';
import type { JobEnd } from '../durable/job.js';
import { toDecisionRecord } from '../durable/record.js';
import { messageOf } from '../failure.js';
import { isHint, readSafely } from '../mark.js';
import { type ActivityContext, serverDelayMs } from './engine.js';

/** What an `ApplicationFailure` says of itself. It says nothing if it is left at its defaults. */
export const applicationFailures: Classifier = (error) => {
  if (readSafely(error, 'name') !== 'ApplicationFailure') return undefined;
  if (readSafely(error, 'nonRetryable') === true) return 'permanent';
  const retryAfterMs = readSafely(error, 'nextRetryDelay');
  if (isHint(retryAfterMs)) return { verdict: 'transient', retryAfterMs };
  return retryAfterMs === undefined || retryAfterMs === null ? undefined : 'transient';
};

/** Whether an activity throws it as a message to the worker, and not as a failure: a cancellation, or "completed by somebody else, later". */
export const isSignalIn = ({ cancellationSignal }: ActivityContext): ((error: unknown) => boolean) => {
  return (error) => {
    const name = readSafely(error, 'name');
    return name === 'CancelledFailure' || name === 'CompleteAsyncError' || (name === 'AbortError' && cancellationSignal.aborted);
  };
};

/** What tells the server of the end of an attempt. The details that the activity gave stay; the last one is ours. */
export function failureOf(end: Exclude<JobEnd, { readonly action: 'succeed' }>): ApplicationFailure {
  const { error } = end.decision;
  const given = readSafely(error, 'details');
  const type = readSafely(error, 'type');
  const own = end.action === 'retry' ? toDecisionRecord(end.decision) : end.letter;
  return ApplicationFailure.create({
    message: messageOf(error),
    type: typeof type === 'string' ? type : readName(error),
    details: [...(Array.isArray(given) ? given : []), own],
    ...(error instanceof Error && { cause: error }),
    ...(end.action === 'retry' ? { nextRetryDelay: serverDelayMs(end.decision.delayMs) } : { nonRetryable: true }),
  });
}

function readName(error: unknown): string {
  const name = readSafely(error, 'name');
  return typeof name === 'string' ? name : typeof error;
}
