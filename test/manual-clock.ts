import type { Clock } from 'retry-policy';

interface Timer {
  readonly dueMs: number;
  readonly wake: () => void;
}

/** A clock that a test moves by hand, and that tells what waits on it. */
export class ManualClock implements Clock {
  readonly waits: number[] = [];
  readonly limits: number[] = [];
  #monotonicMs = 500;
  #wallAt: number;
  #timers: Timer[] = [];

  constructor(startAt = Date.UTC(2026, 0, 15)) {
    this.#wallAt = startAt;
  }

  get pending(): number {
    return this.#timers.length;
  }

  now(): number {
    return this.#wallAt;
  }

  monotonicNow(): number {
    return this.#monotonicMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.waits.push(ms);
    return new Promise((resolve, reject) => {
      const cancel = this.#start(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      const onAbort = () => {
        cancel();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  schedule(ms: number, callback: () => void): () => void {
    this.limits.push(ms);
    return this.#start(ms, callback);
  }

  #start(ms: number, wake: () => void): () => void {
    const timer = { dueMs: this.#monotonicMs + ms, wake };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Time passes; what is due wakes in order, and promises settle in between. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#monotonicMs + ms;
    await settled();
    for (;;) {
      const next = this.#timers.filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (next === undefined) break;
      this.#pass(Math.max(0, next.dueMs - this.#monotonicMs));
      this.#timers = this.#timers.filter((other) => other !== next);
      next.wake();
      await settled();
    }
    this.#pass(Math.max(0, endMs - this.#monotonicMs));
    await settled();
  }

  /** Time passes within a task, without anybody waking. */
  pass(ms: number): void {
    this.#pass(ms);
  }

  jumpWallClock(ms: number): void {
    this.#wallAt += ms;
  }

  #pass(ms: number): void {
    this.#monotonicMs += ms;
    this.#wallAt += ms;
  }
}

/** Every promise that can settle without a timer has settled. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
