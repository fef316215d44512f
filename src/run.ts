import { SignalWatch } from './abort.js';
import { Attempt, type SharedByAttempts, type Task } from './attempt.js';
import type { Judgement } from './classify.js';
import type { Clock } from './clock.js';
import { deadLetter, decideChecked, type Facts, judgeValue } from './decide.js';
import type { DeadLetterDecision, Decision, RetryDecision } from './decision.js';
import { callHook, hookError, RetryHookError, type TaskOutcome } from './hook.js';
import type { RetryResult } from './outcome.js';
import { limitedTo, type ResolvedPolicy } from './policy.js';
import { randomUuid } from './random.js';
import type { ResolvedRunOptions } from './run-options.js';
import { Stopwatch } from './stopwatch.js';

/** One run: its counters and its log, and the steps that the runner takes. Nothing of it outlives the run or is shared with another. */
export class Run<T> extends Stopwatch implements SharedByAttempts {
  committed = false;
  readonly #policy: ResolvedPolicy<T>;
  readonly #options: ResolvedRunOptions;
  #idempotencyKey: string | undefined;
  readonly #watch: SignalWatch | undefined;
  #attempt: Attempt | undefined;
  /** Whether the task returned when it was last called, and what it returned or failed with; undefined before the first call. */
  #returned: boolean | undefined;
  #outcome: unknown;
  /** The decision that the run waits by, or waited by last. */
  #retry: RetryDecision | undefined;
  #log: Decision[] | undefined;

  constructor(policy: ResolvedPolicy<T>, options: ResolvedRunOptions) {
    super();
    this.#policy = limitedTo(options.maxAttempts, policy);
    this.#options = options;
    if (options.signal !== undefined) this.#watch = new SignalWatch(options.signal);
  }

  protected get clock(): Clock {
    return this.#options.clock;
  }

  get idempotencyKey(): string {
    this.#idempotencyKey ??= this.#options.idempotencyKey ?? randomUuid();
    return this.#idempotencyKey;
  }

  get aborted(): boolean {
    return this.#watch?.aborted === true;
  }

  get lastFailure(): { readonly cause: unknown } | undefined {
    return this.#retry && { cause: this.#retry.error };
  }

  startAttempt(): void {
    this.#attempt = new Attempt(this, (this.#retry?.attempt ?? 0) + 1, this.#policy);
  }

  /** Calls the task: settles as it does, or rejects as soon as its time is up or the caller aborts. */
  call(task: Task<T>): T | PromiseLike<T> {
    const attempt = this.#attempt as Attempt;
    if (this.#watch !== undefined) {
      this.#watch.interrupt = (reason) => Attempt.cutOff(attempt, reason);
      if (this.aborted) Attempt.cutOff(attempt, this.#watch.reason);
    } else if (!Attempt.isLimited(attempt)) {
      return task(attempt);
    }
    return Attempt.outcome(attempt, task);
  }

  returned(value: T): void {
    this.#returned = true;
    this.#outcome = value;
  }

  failed(error: unknown): void {
    this.#returned = false;
    this.#outcome = error;
  }

  /** What follows from the attempt that has settled. */
  decide(): Decision {
    const success = Attempt.settle(this.#attempt as Attempt);
    this.#attempt = undefined;
    const judged = this.#returned ? judgeValue(this.#outcome as T, this.#policy) : undefined;
    if (this.#returned && judged === undefined) return success;
    this.#returned = false;
    const { attempt, startedAt, durationMs, elapsedMs } = success;
    return this.#decideFailure({ attempt, startedAt, durationMs, elapsedMs, error: this.#outcome }, judged);
  }

  #decideFailure(facts: Facts, judged: Judgement | undefined): Decision {
    if (this.aborted) return deadLetter(facts, 'aborted');
    const known = { committed: this.committed, previousDelayMs: this.#retry?.backoffMs, judged };
    const decision = decideChecked(facts, known, this.#policy, { now: this.wallClock(), random: this.#options.random });
    if (this.aborted) return deadLetter(facts, 'aborted'); // by one of the hooks
    this.#retry = decision.action === 'retry' ? decision : undefined;
    return decision;
  }

  /** Waits; an abort only ends the wait. */
  wait(ms: number): Promise<void> | undefined {
    if (this.aborted) return undefined;
    const slept = this.sleep(ms, this.#options.signal);
    return this.#watch === undefined ? slept : this.#watch.orAborted(slept);
  }

  /** The end that came from outside while the run waited, if one did. */
  endAfterWait(): Decision | undefined {
    if (this.#retry === undefined) return undefined;
    const { attempt, startedAt, durationMs, error, judgedBy } = this.#retry;
    const facts = { attempt, startedAt, durationMs, elapsedMs: this.elapsedMs(), error };
    if (this.aborted) return deadLetter(facts, 'aborted');
    if (this.committed) return deadLetter(facts, 'committed');
    const { totalBudgetMs = Infinity } = this.#policy;
    return facts.elapsedMs >= totalBudgetMs ? deadLetter(facts, 'budget-exhausted', { judgedBy }) : undefined;
  }

  /** Puts a decision into the log and tells it. Answers a promise if there is something to wait for; an abort ends that wait. */
  tell(decision: Decision): Promise<void> | undefined {
    const { onDecision, logLimit } = this.#options;
    if (this.#log === undefined) {
      this.#log = [decision]; // a literal has no spare room, which counts where many runs wait
    } else {
      this.#log.push(decision);
    }
    if (this.#log.length > logLimit) this.#log.shift();
    if (onDecision === undefined) return undefined;
    const told = callHook('onDecision', () => Promise.resolve(onDecision(Object.freeze(decision)))).then(undefined, (cause) => {
      throw new RetryHookError('onDecision', cause);
    });
    return this.#watch === undefined ? told : this.#watch.orAborted(told);
  }

  /** The result that its last decision stands for; without one, the caller aborted before the first attempt. */
  result(end?: Decision): RetryResult<T> {
    this.#watch?.stop();
    const attempts = end?.attempt ?? 0;
    const elapsedMs = end?.elapsedMs ?? 0;
    const log = this.#log ?? [];
    // One decision for each attempt, and one more if the run ended in a wait.
    const droppedDecisions = attempts + (this.#retry?.attempt === attempts ? 1 : 0) - log.length;
    if (end?.action === 'succeed') return { ok: true, value: this.#outcome as T, attempts, elapsedMs, log, droppedDecisions };
    const { reason, error } = (end ?? { reason: 'aborted' }) as DeadLetterDecision;
    const final = reason === 'aborted' ? (this.#watch as SignalWatch).reason : error;
    return { ok: false, error: final, reason, attempts, elapsedMs, log, droppedDecisions };
  }

  hookError(fault: unknown): RetryHookError {
    this.#watch?.stop();
    const outcome: TaskOutcome = this.#returned === undefined ? {} : this.#returned ? { value: this.#outcome } : { error: this.#outcome };
    return hookError(fault, outcome, this.#log ?? []);
  }
}
