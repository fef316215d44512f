import type { SucceedDecision } from './decision.js';
import { AttemptTimeout } from './failure.js';
import type { ResolvedPolicy } from './policy.js';
import { between, type Stopwatch } from './stopwatch.js';

/** What a task is told of its attempt. Its members are getters: take them off by name; a spread or a rest copies none of them. */
export interface AttemptContext {
  /** Number of this attempt: 1, 2, 3 … */
  readonly attempt: number;
  /**
   * Aborts at this attempt's timeout and at the end of the budget (with an `AttemptTimeout` as its reason), or when the run's own
   * signal does; never after the attempt has settled. Hand it on to whatever the task calls. It is made when it is first read.
   *
   * An attempt that ignores it is left behind, goes on by itself, and may overlap the next one.
   */
  readonly signal: AbortSignal;
  /** Milliseconds until the nearer of attempt timeout and end of the budget, as of now, >= 0; Infinity without either. */
  readonly remainingMs: number;
  /** The same for every attempt of a run, for servers that tell repeated requests by it. */
  readonly idempotencyKey: string;
  /**
   * "What I did must not be done again": whatever fails from here on is final, with the reason `'committed'`. It counts whichever
   * attempt calls it, also one that was left behind. It may be taken off the context and called alone.
   */
  readonly commit: () => void;
}

/** What is retried: called once for each attempt, synchronous or not. It must be safe to call again. */
export type Task<T> = (context: AttemptContext) => T | PromiseLike<T>;

/** What the attempts of one run share. */
export interface SharedByAttempts extends Stopwatch {
  readonly idempotencyKey: string;
  /** What the attempt before failed with, as the cause of what fails next. */
  readonly lastFailure: { readonly cause: unknown } | undefined;
  committed: boolean;
}

/**
 * One call of the task. Its members are what the task may see; what is for the runner alone is static, out of the task's reach.
 */
export class Attempt implements AttemptContext {
  readonly #run: SharedByAttempts;
  readonly #number: number;
  readonly #startedAt: number;
  /** When it began and when its time is up, in milliseconds since the run began. */
  readonly #startedAtMs: number;
  readonly #endsAtMs: number;
  readonly #cancelLimit: (() => void) | undefined;
  #controller: AbortController | undefined;
  #cut: { readonly reason: unknown } | undefined;
  #reject: ((reason: unknown) => void) | undefined;
  #settled = false;

  /** Its time starts here. */
  constructor(run: SharedByAttempts, number: number, { attemptTimeoutMs = Infinity, totalBudgetMs = Infinity }: ResolvedPolicy<never>) {
    this.#run = run;
    this.#number = number;
    this.#startedAtMs = run.elapsedMs();
    this.#startedAt = run.wallClock();
    this.#endsAtMs = Math.min(this.#startedAtMs + attemptTimeoutMs, totalBudgetMs);
    if (this.#endsAtMs === Infinity) return;
    const limit = this.#endsAtMs < totalBudgetMs ? 'attempt' : 'budget';
    const timeoutMs = between(this.#startedAtMs, this.#endsAtMs);
    this.#cancelLimit = run.schedule(timeoutMs, () => Attempt.cutOff(this, new AttemptTimeout(limit, timeoutMs, run.lastFailure)));
  }

  get attempt(): number {
    return this.#number;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cut !== undefined) this.#controller.abort(this.#cut.reason);
    }
    return this.#controller.signal;
  }

  get remainingMs(): number {
    return this.#endsAtMs === Infinity ? Infinity : Math.max(0, this.#endsAtMs - this.#run.elapsedMs());
  }

  get idempotencyKey(): string {
    return this.#run.idempotencyKey;
  }

  get commit(): () => void {
    return () => {
      this.#run.committed = true;
    };
  }

  static isLimited(attempt: Attempt): boolean {
    return attempt.#cancelLimit !== undefined;
  }

  /** Calls the task and settles as it does, or rejects when the attempt is cut off. What the task does after that is observed and dropped. */
  static outcome<T>(attempt: Attempt, task: Task<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      attempt.#reject = reject;
      if (attempt.#cut === undefined) Promise.resolve(task(attempt)).then(resolve, reject);
      else reject(attempt.#cut.reason);
    });
  }

  /** Ends an attempt from outside: the task's signal aborts, and the attempt fails with the same reason. */
  static cutOff(attempt: Attempt, reason: unknown): void {
    if (attempt.#settled) return;
    attempt.#settled = true;
    attempt.#cut = { reason };
    // In turn: behind what the task has settled with already, before what it does about its signal.
    if (attempt.#reject !== undefined) Promise.reject(reason).catch(attempt.#reject);
    attempt.#controller?.abort(reason);
  }

  /** From here on nothing aborts the task's signal. Answers the decision on an attempt that succeeded. */
  static settle(attempt: Attempt): SucceedDecision {
    attempt.#settled = true;
    attempt.#cancelLimit?.();
    const elapsedMs = attempt.#run.elapsedMs();
    const durationMs = between(attempt.#startedAtMs, elapsedMs);
    return { action: 'succeed', attempt: attempt.#number, startedAt: attempt.#startedAt, durationMs, elapsedMs };
  }
}
