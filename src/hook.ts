import { show } from './assert.js';
import type { Decision } from './decision.js';
import { PermanentFailure, readSafely } from './failure.js';

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
 * [fault.hook, fault.cause.message, fault.error] // => ['classify', 'boom', 'the task failed']
 */
export class RetryHookError extends PermanentFailure {
  readonly hook: HookName;
  declare readonly error?: unknown;
  declare readonly value?: unknown;
  readonly log: readonly Decision[];

  constructor(hook: HookName, cause: unknown, outcome: TaskOutcome, log: readonly Decision[]) {
    super(`the ${hook} hook failed: ${show(cause)}`, { cause });
    this.hook = hook;
    this.log = log;
    Object.assign(this, outcome);
  }

  /** @internal */
  get [HOOK_ERROR](): true {
    return true;
  }

  static {
    RetryHookError.prototype.name = 'RetryHookError';
  }
}

/** Whether `error` is a {@link RetryHookError}, of whichever copy of this library. */
export const isRetryHookError = (error: unknown): error is RetryHookError => readSafely(error, HOOK_ERROR) === true;

/** The fault of a hook on its way to the edge of the library, where it becomes a `RetryHookError` with all that is known there. */
export class HookFault {
  constructor(
    readonly hook: HookName,
    readonly cause: unknown,
  ) {}
}

/** Calls a hook, or checks its answer; a fault that is on its way already keeps its name. */
export function callHook<R>(hook: HookName, call: () => R): R {
  try {
    return call();
  } catch (cause) {
    throw cause instanceof HookFault ? cause : new HookFault(hook, cause);
  }
}

/** The error for the fault of a hook, with what the task did. Every hook but the clock is called through `callHook`, so what has no name is the clock's. */
export function hookError(fault: unknown, outcome: TaskOutcome, log: readonly Decision[]): RetryHookError {
  const { hook, cause } = fault instanceof HookFault ? fault : new HookFault('clock', fault);
  return new RetryHookError(hook, cause, outcome, log);
}
