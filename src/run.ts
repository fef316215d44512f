import { abortReason, onAbort } from './abort.js';
import { show } from './assert.js';
import { Attempt, type SharedByAttempts, type Task } from './attempt.js';
import { judgement } from './classify.js';
import { deadLetter, decideChecked, type Facts, type Failure } from './decide.js';
import type { DeadLetterDecision, Decision, RetryDecision } from './decision.js';
import { AttemptTimeout, type Verdict } from './failure.js';
import { callHook, HookFault, hookError, type RetryHookError } from './hook.js';
import type { RetryResult } from './outcome.js';
import type { ResolvedPolicy } from './policy.js';
import { randomUuid } from './random.js';
import type { ResolvedRunOptions } from './run-options.js';

/** How the task's last call ended. */
export type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/** One run: its counters and its log, and the steps that the runner takes. Nothing of it outlives the run or is shared with another. */
export class Run<T> implements SharedByAttempts {
  committed = false;
  readonly #policy: ResolvedPolicy<T>;
  readonly #options: ResolvedRunOptions;
  #idempotencyKey: string | undefined;
  #beganAt: number | undefined;
  #elapsedMs = 0;
  #attempts = 0;
  #startedAt = 0;
  #startedAtMs = 0;
  #cancelLimit: (() => void) | undefined;
  #interrupt: ((reason: unknown) => void) | undefined;
  #outcome: Outcome<T> | undefined;
  #previousDelayMs: number | undefined;
  #log: Decision[] = [];
  #droppedDecisions = 0;

  constructor(policy: ResolvedPolicy<T>, options: ResolvedRunOptions) {
    this.#policy = policy;
    this.#options = options;
    this.#idempotencyKey = options.idempotencyKey;
  }

  get idempotencyKey(): string {
    this.#idempotencyKey ??= randomUuid();
    return this.#idempotencyKey;
  }

  get aborted(): boolean {
    return this.#options.signal?.aborted === true;
  }

  /** Lets the caller's signal interrupt what the run waits for; returns what takes the listener off again. */
  listen(): (() => void) | undefined {
    const { signal } = this.#options;
    return signal && onAbort(signal, () => this.#interrupt?.(abortReason(signal)));
  }

  /** Time since it was first asked for, in whole microseconds. A clock that goes back stands still. */
  elapsedMs(): number {
    const now = finite('monotonicNow', this.#options.clock.monotonicNow());
    this.#beganAt ??= now;
    this.#elapsedMs = Math.max(this.#elapsedMs, micro(now - this.#beganAt));
    return this.#elapsedMs;
  }

  startAttempt(): Attempt {
    const { clock } = this.#options;
    const { attemptTimeoutMs = Infinity, totalBudgetMs = Infinity } = this.#policy;
    this.#startedAtMs = this.elapsedMs();
    this.#startedAt = finite('now', clock.now());
    const endsAtMs = Math.min(this.#startedAtMs + attemptTimeoutMs, totalBudgetMs);
    const attempt = new Attempt(this, this.#attempts + 1, endsAtMs);
    if (endsAtMs < Infinity) {
      const limit = endsAtMs < totalBudgetMs ? 'attempt' : 'budget';
      const timeoutMs = micro(endsAtMs - this.#startedAtMs);
      this.#cancelLimit = clock.schedule(timeoutMs, () => attempt.cutOff(new AttemptTimeout(limit, timeoutMs)));
    }
    return attempt;
  }

  /** Calls the task: settles as it does, or rejects as soon as its time is up or the caller aborts. */
  call(attempt: Attempt, task: Task<T>): T | PromiseLike<T> {
    this.#attempts = attempt.attempt;
    if (this.#cancelLimit === undefined && this.#options.signal === undefined) return task(attempt);
    this.#interrupt = (reason) => attempt.cutOff(reason);
    return attempt.outcome(task);
  }

  /** What follows from an attempt and its outcome. */
  decide(attempt: Attempt, outcome: Outcome<T>): Decision {
    attempt.settle();
    this.#outcome = outcome;
    this.#interrupt = undefined;
    this.#cancelLimit?.();
    this.#cancelLimit = undefined;
    const elapsedMs = this.elapsedMs();
    const facts = { attempt: this.#attempts, startedAt: this.#startedAt, durationMs: micro(elapsedMs - this.#startedAtMs), elapsedMs };
    if ('error' in outcome) return this.#decideFailure({ ...facts, error: outcome.error });
    const verdict = this.#judgeValue(outcome.value);
    if (verdict === undefined) return Object.freeze({ action: 'succeed', ...facts });
    this.#outcome = { error: outcome.value };
    return this.#decideFailure({ ...facts, error: outcome.value, verdict });
  }

  #judgeValue(value: T): Verdict | undefined {
    const { classifyValue } = this.#policy;
    if (classifyValue === undefined) return undefined;
    return callHook('classifyValue', () => {
      const verdict = classifyValue(value);
      if (verdict !== undefined) judgement(verdict, 'classifier');
      return verdict;
    });
  }

  #decideFailure(failure: Facts & Pick<Failure, 'verdict'>): RetryDecision | DeadLetterDecision {
    if (this.aborted) return deadLetter(failure, 'aborted');
    const { clock, random } = this.#options;
    const known = { ...failure, committed: this.committed, previousDelayMs: this.#previousDelayMs };
    const decision = decideChecked(known, this.#policy, { now: finite('now', clock.now()), random });
    if (this.aborted) return deadLetter(failure, 'aborted'); // a hook may have done it
    if (decision.action === 'retry') this.#previousDelayMs = decision.backoffMs;
    return decision;
  }

  /** The end that came from outside while the run waited, if one did. */
  endAfterWait(retry: RetryDecision): DeadLetterDecision | undefined {
    const { totalBudgetMs = Infinity } = this.#policy;
    const elapsedMs = this.elapsedMs();
    if (this.aborted) return deadLetter({ ...retry, elapsedMs }, 'aborted');
    if (this.committed) return deadLetter({ ...retry, elapsedMs }, 'committed');
    if (elapsedMs >= totalBudgetMs) return deadLetter({ ...retry, elapsedMs }, 'budget-exhausted', { judgedBy: retry.judgedBy });
    return undefined;
  }

  /** Puts a decision into the log and tells it. Answers a promise if there is something to wait for; an abort ends that wait. */
  tell(decision: Decision): Promise<void> | undefined {
    this.#keep(decision);
    const { onDecision } = this.#options;
    if (onDecision === undefined) return undefined;
    const told = callHook('onDecision', () => {
      const answer = onDecision(decision);
      return answer === undefined ? undefined : Promise.resolve(answer);
    });
    if (told === undefined) return undefined;
    return new Promise((resolve, reject) => {
      this.#interrupt = () => resolve();
      told.then(
        () => resolve(),
        (cause) => reject(new HookFault('onDecision', cause)),
      );
      if (this.aborted) resolve();
    });
  }

  #keep(decision: Decision): void {
    this.#log.push(decision);
    if (this.#log.length <= this.#options.logLimit) return;
    this.#log.shift();
    this.#droppedDecisions++;
  }

  sleep(ms: number): Promise<void> {
    const { clock, signal } = this.#options;
    const slept = clock.sleep(ms, signal);
    if (typeof slept?.then !== 'function') throw new TypeError(`clock.sleep() must answer a promise, got ${show(slept)}`);
    return slept;
  }

  /** The result that its last decision stands for; without one, the caller aborted before the first attempt. */
  result(end?: Decision): RetryResult<T> {
    const story = { attempts: this.#attempts, elapsedMs: end?.elapsedMs ?? 0, log: this.#log, droppedDecisions: this.#droppedDecisions };
    if (end?.action === 'succeed') return { ok: true, value: (this.#outcome as { value: T }).value, ...story };
    const reason = end === undefined ? 'aborted' : (end as DeadLetterDecision).reason;
    const error = reason === 'aborted' ? abortReason(this.#options.signal as AbortSignal) : (end as DeadLetterDecision).error;
    return { ok: false, error, reason, ...story };
  }

  hookError(fault: unknown): RetryHookError {
    return hookError(fault, this.#outcome ?? {}, this.#log);
  }
}

const micro = (ms: number): number => Math.round(ms * 1_000) / 1_000;

function finite(method: string, reading: number): number {
  if (Number.isFinite(reading)) return reading;
  throw new TypeError(`clock.${method}() must answer a finite number, got ${show(reading)}`);
}
