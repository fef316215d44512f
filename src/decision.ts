import { anInstant, anObject, mustBe, noOthers, optionsOf, show } from './assert.js';
import type { JudgedBy } from './classify.js';
import type { DrawRange } from './jitter.js';

/** Why a run ended without a value. */
export type DeadLetterReason =
  | 'permanent' //            a mark or a classifier said so, or nobody knew the error
  | 'committed' //            the task called `commit()`: its work must not be done again
  | 'attempts-exhausted' //   `maxAttempts`
  | 'budget-exhausted' //     `totalBudgetMs` is spent, or what comes next would not fit into it
  | 'retry-after-too-long' // the server demands a longer wait than `maxRetryAfterMs`
  | 'quota-exhausted' //      a budget that many runs share refused the retry
  | 'aborted'; //             the caller's signal

/** The attempt that was decided on. */
interface AttemptTimes {
  /** Its number, from 1. */
  readonly attempt: number;
  /** When it began, epoch milliseconds. */
  readonly startedAt: number;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
  /** Time since the run began, waits included, in milliseconds. */
  readonly elapsedMs: number;
}

/** The attempt succeeded: the run ends with its value. */
export interface SucceedDecision extends AttemptTimes {
  readonly action: 'succeed';
}

/** The attempt failed and will be repeated, after `delayMs`. */
export interface RetryDecision extends AttemptTimes {
  readonly action: 'retry';
  /** What the attempt failed with: the very thing that was thrown, or the value that `classifyValue` refused. */
  readonly error: unknown;
  readonly judgedBy: JudgedBy;
  /** What was drawn, or what the policy's `delay` answered, in whole milliseconds. */
  readonly backoffMs: number;
  /** The range of the jitter's draw; absent where the policy has no jitter, or a `delay` of its own. */
  readonly drawnFrom?: DrawRange | undefined;
  /** The wait: `(retryAfterMs ?? 0) + backoffMs`. */
  readonly delayMs: number;
  /** The wait that the server demanded, if it did. */
  readonly retryAfterMs?: number | undefined;
  /** When the next attempt is due, epoch milliseconds. */
  readonly retryAt: number;
}

/** The run ends without a value, for the `reason` given. */
export interface DeadLetterDecision extends AttemptTimes {
  readonly action: 'dead-letter';
  /** What the last attempt failed with. */
  readonly error: unknown;
  /** Absent where nobody had to judge: `'committed'`, and an attempt that was aborted. */
  readonly judgedBy?: JudgedBy | undefined;
  readonly reason: DeadLetterReason;
  /** The wait that the server demanded, if it did. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * What was decided after an attempt, and why: plain data, JSON but for `error`. It is frozen before anybody
 * sees it while the run goes on. Durations are rounded to whole microseconds.
 */
export type Decision = SucceedDecision | RetryDecision | DeadLetterDecision;

/** Whole microseconds: what is finer is noise. Whole numbers stay, however large. */
export const micro = (ms: number): number => (Number.isInteger(ms) ? ms : Math.round(ms * 1_000) / 1_000);

const LAST_DATE_AT = 8.64e15; // the last instant that a Date can hold

/**
 * One decision as a line of text, without its error.
 *
 * @param options  `timeZone`: an IANA name for the time of day of a retry; default UTC
 * @throws {TypeError} if `decision` is no decision, `timeZone` is no string, or a name is unknown
 * @throws {RangeError} if the platform does not know the time zone
 * @example
 * const retryAt = Date.UTC(2026, 0, 15, 1, 0, 2)
 * const { log } = await runWithRetry(() => 'done')
 * formatDecision(log[0]) // => 'attempt 1: succeeded'
 * formatDecision({ ...log[0], action: 'retry', retryAt }, { timeZone: 'Asia/Jakarta' }) // => 'attempt 1: transient, retry scheduled at 08:00:02'
 * formatDecision({ ...log[0], action: 'dead-letter', reason: 'permanent' }) // => 'attempt 1: permanent, straight to the dead letter'
 */
export function formatDecision(decision: Decision, options?: { readonly timeZone?: string | undefined }): string {
  const { timeZone = 'UTC', ...others } = optionsOf(options);
  mustBe('decision', decision, anObject);
  mustBe('timeZone', timeZone, { words: 'the name of a time zone', holds: () => true, type: 'string' });
  noOthers(others, 'timeZone');
  return `attempt ${decision.attempt}: ${outcomeOf(decision, timeZone)}`;
}

function outcomeOf(decision: Decision, timeZone: string): string {
  switch (decision.action) {
    case 'succeed':
      return 'succeeded';
    case 'retry':
      return `transient, retry scheduled at ${timeOfDay(decision.retryAt, timeZone)}`;
    case 'dead-letter':
      return endOf(decision);
    default:
      throw new TypeError(
        `decision.action must be 'succeed', 'retry' or 'dead-letter', got ${show((decision as { action: unknown }).action)}`,
      );
  }
}

function endOf({ reason, retryAfterMs }: DeadLetterDecision): string {
  switch (reason) {
    case 'permanent':
    case 'committed':
      return `${reason}, straight to the dead letter`;
    case 'aborted':
      return 'aborted, to the dead letter';
    case 'retry-after-too-long':
      return `transient, server's wait of ${retryAfterMs} ms too long, to the dead letter`;
    default:
      return `transient, ${reason.replace('-', ' ')}, to the dead letter`;
  }
}

function timeOfDay(at: number, timeZone: string): string {
  mustBe('decision.retryAt', at, anInstant);
  const withinReach = Math.min(Math.max(at, -LAST_DATE_AT), LAST_DATE_AT);
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' }).format(withinReach);
  } catch (cause) {
    throw new RangeError(`timeZone must be one that the platform knows, got ${show(timeZone)}`, { cause });
  }
}
