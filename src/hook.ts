import type { Decision } from './decision.js';
import { messageOf, PermanentFailure } from './failure.js';
import { brand, readSafely } from './mark.js';

/** The callbacks and sources that the caller sets up. */
export type HookName = 'classify' | 'classifyValue' | 'delay' | 'random' | 'clock' | 'onDecision';

/** What the task did last: neither, if it was never called. */
export interface TaskOutcome {
  readonly error?: unknown;
  readonly value?: unknown;
}

const HOOK_ERROR: unique symbol = /* @__PURE__ */ Symbol.for('retry-policy.hook-error');

/**
 * A hook threw, or answered nonsense: a fault of the caller's own set-up, told beside what the task did and not instead of it.
 *
 * `hook` is its name, `cause` its fault; `error` is what the task last failed with, or `value` what it returned if it had succeeded;
 * `log` holds the decisions so far. It bears the permanent mark, so that an outer run does not repeat it.
 *
 * @example
 * const policy = { classify: () => { throw new Error('boom') } }
 * const fault = await runWithRetry(() => { throw 'the task failed' }, policy).catch((error) => error)
 * isRetryHookError(fault) // => true
 * fault.hook // => 'classify'
 * fault.cause.message // => 'boom'
 * fault.error // => 'the task failed'
 */
export class RetryHookError extends PermanentFailure {
  readonly hook: HookName;
  declare readonly error?: unknown;
  declare readonly value?: unknown;
  declare readonly log: readonly Decision[];

  constructor(hook: HookName, cause: unknown) {
    giveName();
    super(`the ${hook} hook failed: ${messageOf(cause)}`, cause);
    brand(this, HOOK_ERROR);
    this.hook = hook;
  }
}

function giveName(): void {
  RetryHookError.prototype.name = 'RetryHookError';
}

/**
 * Whether `error` is a {@link RetryHookError}, of whichever copy of this library; never throws.
 *
 * @example
 * const error = await runWithRetry(() => 1, {}, { onDecision: () => { throw new Error('boom') } }).catch((error) => error)
 * isRetryHookError(error) // => true
 */
export const isRetryHookError = (error: unknown): error is RetryHookError => readSafely(error, HOOK_ERROR) === true;

/** Calls a hook, or checks its answer. The error has no log until it comes to the edge of the library, and keeps its name on the way. */
export function callHook<R>(hook: HookName, call: () => R): R {
  try {
    return call();
  } catch (cause) {
    throw isOnItsWay(cause) ? cause : new RetryHookError(hook, cause);
  }
}

const isOnItsWay = (fault: unknown): fault is RetryHookError => fault instanceof RetryHookError && fault.log === undefined;

/** The edge: the error with all that is known of the run. Each hook but the clock is called through `callHook`, so what has no name is the clock's. */
export function hookError(fault: unknown, outcome: TaskOutcome, log: readonly Decision[]): RetryHookError {
  return Object.assign(isOnItsWay(fault) ? fault : new RetryHookError('clock', fault), outcome, { log });
}
