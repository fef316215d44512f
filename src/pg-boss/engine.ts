/** What is used of a pg-boss job with its metadata; pg-boss's `JobWithMetadata` fits. */
export interface BossJob {
  readonly id: string;
  readonly name: string;
  data: unknown;
  /** Goes up each time the job is claimed again. */
  readonly retryCount: number;
  readonly retryLimit: number;
  readonly signal: AbortSignal;
}

/** What is used of a `PgBoss`; its class fits. */
export interface Boss {
  fail(name: string, job: { id: string; retryCount: number }, output?: object | null): Promise<object>; // with `affected`, though the type does not say so
  update(name: string, data: object, options: { id: string; startAfter: number }): Promise<unknown>;
}

/** How pg-boss is told of each job of a batch, where the worker has `perJobResults`. */
export interface BossResult<T = unknown> {
  readonly id: string;
  readonly status: 'completed' | 'failed' | 'deadletter';
  // biome-ignore lint/suspicious/noExplicitAny: so that it is pg-boss's JobResult
  readonly output?: T | any;
}
