import { mustBe } from './assert.js';

interface Subscription {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const subscriptions = /* @__PURE__ */ new WeakMap<AbortSignal, Subscription>();

/**
 * Calls back when the signal aborts; returns what takes the callback off again.
 *
 * All callbacks of a signal share one listener, which is there only while there are callbacks: one listener for each run would be
 * quadratic in Node, where adding and removing one walks the list of all.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, listener } = subscriptions.get(signal) ?? newSubscription(signal);
  if (callbacks.size === 0) signal.addEventListener('abort', listener);
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) signal.removeEventListener('abort', listener);
  };
}

function newSubscription(signal: AbortSignal): Subscription {
  const callbacks = new Set<() => void>();
  const listener = () => {
    for (const callback of callbacks) callback();
  };
  const subscription = { callbacks, listener };
  subscriptions.set(signal, subscription);
  return subscription;
}

/** How many callbacks of this library's wait for the signal. */
export const callbacksOn = (signal: AbortSignal): number => subscriptions.get(signal)?.callbacks.size ?? 0;

/** The signal's own reason, by identity; an AbortError where the platform gives none. */
export function abortReason(signal: AbortSignal): unknown {
  if (signal.reason !== undefined) return signal.reason;
  const error = new Error('The operation was aborted');
  error.name = 'AbortError';
  return error;
}

/**
 * A wait that the signal can end. `start` gets what it is to call when the wait is over, and answers its cancel. Leaves nothing
 * behind either way.
 */
export function abortableWait(ms: number, start: (done: () => void) => () => void, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    mustBe('ms', ms);
    if (signal === undefined) start(resolve);
    else if (signal.aborted) reject(abortReason(signal));
    else {
      const end = (settle: () => void) => () => {
        forget();
        cancel();
        settle();
      };
      const forget = onAbort(
        signal,
        end(() => reject(abortReason(signal))),
      );
      const cancel = start(end(resolve));
    }
  });
}

/** Follows the caller's signal for the length of a run. */
export class SignalWatch {
  /** Ends what the run waits for at the moment. */
  interrupt: ((reason: unknown) => void) | undefined;
  readonly stop: () => void;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.stop = onAbort(signal, () => this.interrupt?.(this.reason));
  }

  /** Settles as the work does, or resolves as soon as the signal aborts; what the work does later is observed and dropped. */
  orAborted(work: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.interrupt = () => resolve();
      if (this.aborted) resolve();
      work.then(resolve, (fault) => (this.aborted ? resolve() : reject(fault)));
    });
  }

  get aborted(): boolean {
    return this.#signal.aborted;
  }

  get reason(): unknown {
    return abortReason(this.#signal);
  }
}
