import { abortReason, onAbort } from '../abort.js';
import { aBoolean, mustBe, noOthers, optionsOf } from '../assert.js';
import type { AttemptContext } from '../attempt.js';
import type { Clock } from '../clock.js';
import { markPermanent } from '../mark.js';
import { aClock } from '../run-options.js';
import { whenIdle } from './idle.js';
import { inWords } from './instant.js';

/** One call of a scripted task: the number of the attempt, its start by the clock's `now()`, and its signal. */
export interface ScriptedCall {
  readonly attempt: number;
  readonly startedAt: number;
  readonly signal: AbortSignal;
}

/** When a step comes to its end: after so many milliseconds on the script's clock (finite, >= 0; default at once), unless it is aborted. */
export interface StepOptions {
  readonly afterMs?: number | undefined;
}

/** A task that does what its script says: attempt 1 the first step, attempt 2 the second. */
export interface ScriptedTask<T> {
  /** A call without a context counts as the attempt after the call before. */
  (context?: AttemptContext): Promise<T>;
  /** The next attempt fails with `error`. */
  fails(error: unknown, options?: StepOptions): this;
  /** The next attempt never settles; with `untilAborted`, it fails with the reason once its signal aborts, as a polite task does. */
  hangs(options?: { readonly untilAborted?: boolean | undefined }): this;
  /** The next attempt returns `value`. */
  returns<V>(value: V, options?: StepOptions): ScriptedTask<T | Awaited<V>>;
  /** The calls so far. */
  readonly calls: readonly ScriptedCall[];
}

type Step = (call: ScriptedCall) => Promise<unknown>;

/**
 * A task from a script that reads as a sentence: one step for each attempt.
 *
 * A step with `afterMs` waits on `clock`, and no longer than its attempt's signal lets it. An attempt beyond the script fails with an
 * error that says so, and so does a step that hangs once nothing can end it any more: nothing is pending on a virtual clock that moves
 * by itself, and no abort has come (one by a real timer comes too late: move the clock by hand then). Both errors bear the permanent
 * mark, so that no policy repeats them.
 *
 * @param clock  the one that the run is given
 * @throws {TypeError | RangeError} from its steps, if an option is of the wrong type, unknown, or out of range
 * @example
 * const clock = virtualClock()
 * const task = scriptedTask(clock).fails(new TransientFailure('503'), { afterMs: 200 }).hangs().returns('done')
 * const policy = { attemptTimeoutMs: 1_000, backoff: { baseMs: 100 }, jitter: 'none' }
 * const result = await runWithRetry(task, policy, { clock })
 * result.value // => 'done'
 * task.calls.map(({ startedAt }) => startedAt) // => [0, 300, 1_500]
 */
export function scriptedTask(clock: Clock): ScriptedTask<never> {
  mustBe('clock', clock, aClock);
  const steps: Step[] = [];
  const calls: ScriptedCall[] = [];
  const add = (step: Step) => {
    steps.push(step);
    return task;
  };
  const settles = (options: StepOptions | undefined, settle: () => unknown) => {
    const { afterMs, ...others } = optionsOf(options);
    if (afterMs !== undefined) mustBe('afterMs', afterMs);
    noOthers(others, 'afterMs');
    return add(async ({ signal }) => {
      if (afterMs !== undefined) await clock.sleep(afterMs, signal);
      return settle();
    });
  };
  const script = {
    calls,
    returns: (value: unknown, options?: StepOptions) => settles(options, () => value),
    fails: (error: unknown, options?: StepOptions) =>
      settles(options, () => {
        throw error;
      }),
    hangs(options?: { readonly untilAborted?: boolean | undefined }) {
      const { untilAborted = false, ...others } = optionsOf(options);
      mustBe('untilAborted', untilAborted, aBoolean);
      noOthers(others, 'untilAborted');
      return add((call) => hang(clock, call, untilAborted));
    },
  };
  const nextContext = () => ({ attempt: (calls.at(-1)?.attempt ?? 0) + 1, signal: new AbortController().signal });
  const perform = async (context?: AttemptContext) => {
    const { attempt, signal } = context?.signal && context.attempt ? context : nextContext(); // what is called alone may be called with anything
    const call = { attempt, startedAt: clock.now(), signal };
    calls.push(call);
    const step = steps[attempt - 1];
    if (step !== undefined) return step(call);
    throw markPermanent(new Error(`the script has no step for attempt ${attempt}, only ${steps.length}: add one, or lower maxAttempts`));
  };
  const task: unknown = Object.assign(perform, script);
  return task as ScriptedTask<never>;
}

function hang(clock: Clock, { attempt, startedAt, signal }: ScriptedCall, untilAborted: boolean): Promise<never> {
  return new Promise((_, reject) => {
    const forget = () => {
      stopWatching();
      stopListening();
    };
    const stopWatching = whenIdle(clock, () => {
      forget();
      const message = `attempt ${attempt} of the scripted task is stuck: it hangs since ${inWords(startedAt)}, nothing is pending on its clock`;
      const help = 'hand this clock to the run and set a time limit, or abort it, with autoAdvance: false if real time passes first';
      reject(markPermanent(new Error(`${message}, and it was not aborted; ${help}`)));
    });
    const end = () => {
      forget();
      if (untilAborted) reject(abortReason(signal));
    };
    const stopListening = onAbort(signal, end);
    if (signal.aborted) end();
  });
}
