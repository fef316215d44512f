import { engineDelayMs } from '../durable/engine-delay.js';

/** A wait for the server, to which 0 is "the longest". */
export const serverDelayMs = (delayMs: number): number => Math.max(1, engineDelayMs(delayMs));

/** What is used of an activity's `Context`; the SDK's class fits. */
export interface ActivityContext {
  readonly info: ActivityInfo;
  readonly cancellationSignal: AbortSignal;
}

/** What is used of an activity's `Info`. */
export interface ActivityInfo {
  readonly activityId: string;
  readonly activityType: string;
  /** From 1; the server counts them. */
  readonly attempt: number;
  readonly scheduledTimestampMs: number;
  readonly taskQueue: string;
  /** Absent where an activity runs without a workflow. */
  readonly workflowExecution?: { readonly workflowId: string; readonly runId: string } | undefined;
  readonly activityRunId?: string | undefined;
}

/** What an interceptor's `execute` is given; the SDK's type fits. */
export interface ActivityInput {
  readonly args: unknown[];
  // biome-ignore lint/suspicious/noExplicitAny: handed on unread
  readonly headers: any;
}
