/** Time, as it is injected. Its kinds are not interchangeable: each member says what it must not be used for. */
export interface Clock {
  /** The wall clock, in epoch milliseconds. It may jump: only for instants that are written to the log, never to measure with. */
  now(): number;
  /** Milliseconds since some fixed point; never goes back. Durations and budgets are measured on it; it says nothing of the date. */
  monotonicNow(): number;
  /**
   * Resolves once `ms` (finite, >= 0) have passed on `monotonicNow`. Gives other work a turn, even for 0. Rejects with
   * `signal.reason` as soon as the signal aborts. Leaves no timer and no listener either way.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once, when `ms` (finite, >= 0) have passed; returns what cancels it. For time limits. */
  schedule(ms: number, callback: () => void): () => void;
}
