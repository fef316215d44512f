import type { DeadLetter } from '../durable/dead-letter.js';
import { readSafely } from '../mark.js';

/** What is used of a BullMQ `Job`; its class fits. */
export interface BullJob {
  id?: string | undefined;
  name: string;
  data: unknown;
  readonly queueName: string;
  readonly timestamp: number;
  readonly attemptsStarted: number;
  readonly stalledCounter: number;
  // biome-ignore lint/suspicious/noExplicitAny: of a Job of any data
  updateData(data: any): Promise<void>;
  moveToDelayed(timestamp: number, token?: string): Promise<void>;
  extendLock(token: string, durationMs: number): Promise<number>;
}

/** What is used of a BullMQ `Queue`; its class fits. */
export interface BullQueue {
  add(name: string, letter: DeadLetter, options: { jobId: string }): Promise<unknown>;
}

const RATE_LIMIT = 'bullmq:rateLimitExceeded';
const signals: readonly unknown[] = ['DelayedError', 'WaitingError', 'WaitingChildrenError'];

/** Whether a processor throws it to tell BullMQ that the job was put elsewhere. BullMQ knows these by their name as well. */
export const isEngineSignal = (error: unknown): boolean =>
  signals.includes(readSafely(error, 'name')) || readSafely(error, 'message') === RATE_LIMIT;

/** Tells BullMQ that the job was moved to the delayed ones. */
export const delayedError = (): Error => Object.assign(new Error('the job waits for its next attempt'), { name: 'DelayedError' });

/** Tells BullMQ to try no more; it shows the stack of the failure that led to it. */
export const unrecoverableError = (message: string, { stack }: { readonly stack?: string | undefined } = {}, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { name: 'UnrecoverableError' }, stack !== undefined && { stack });
