import type { BullJob } from '../../src/bullmq/engine.js';

type Processor<T> = (job: FakeJob, token?: string, signal?: AbortSignal) => Promise<T>;

/** How BullMQ has noted a job's last turn. */
export type Turn =
  | { readonly state: 'completed'; readonly value: unknown }
  | { readonly state: 'failed'; readonly error: Error }
  | { readonly state: 'delayed'; readonly dueAt: number }
  | { readonly state: 'lost' };

/** A worker's copy of a job: what it changes reaches the queue by calls alone. */
class FakeJob implements BullJob {
  readonly id = '7';
  readonly name = 'welcome';
  readonly queueName = 'mail';
  readonly timestamp = 123;
  data: unknown;

  constructor(
    readonly queue: FakeQueue,
    readonly attemptsStarted: number,
    readonly stalledCounter: number,
  ) {
    this.data = JSON.parse(queue.stored);
  }

  async updateData(data: unknown) {
    this.queue.stored = JSON.stringify(data);
    this.data = data;
  }

  async moveToDelayed(timestamp: number, token?: string) {
    this.queue.mustHold(token);
    if (!Number.isInteger(timestamp)) throw new Error('ERR value is not an integer or out of range');
    this.queue.dueAt = timestamp;
  }

  async extendLock(token: string) {
    return token === this.queue.token ? 1 : 0;
  }
}

/** One job in a queue, as far as a processor meets BullMQ and Redis. */
export class FakeQueue {
  stored: string;
  dueAt: number | undefined;
  token: string | undefined;
  #starts = 0;
  #stalls = 0;

  constructor(data: unknown) {
    this.stored = JSON.stringify(data);
  }

  get data() {
    return JSON.parse(this.stored);
  }

  mustHold(token: string | undefined) {
    if (token !== this.token) throw new Error(`Missing lock for job 7. moveToDelayed`);
  }

  /** A worker takes the job. */
  take(): FakeJob {
    this.dueAt = undefined;
    this.#starts += 1;
    this.token = `token ${this.#starts}`;
    return new FakeJob(this, this.#starts, this.#stalls);
  }

  /** The worker that has it went away, as far as the queue knows. */
  stall(): void {
    this.token = undefined;
    this.#stalls += 1;
  }

  async turn<T>(processor: Processor<T>, signal?: AbortSignal): Promise<Turn> {
    const job = this.take();
    const { token } = this;
    try {
      const value = await processor(job, token, signal);
      return { state: 'completed', value };
    } catch (fault) {
      const error = fault as Error;
      if (error.name !== 'DelayedError') return { state: 'failed', error };
      return this.dueAt === undefined ? { state: 'lost' } : { state: 'delayed', dueAt: this.dueAt };
    }
  }
}
