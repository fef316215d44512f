import { quiet } from './assert.js';
import { messageOf } from './failure.js';
import { isHint, markOf, readSafely, type Verdict } from './mark.js';

/**
 * Says whether an error is transient or permanent, or `undefined` for "I do not know": then the next classifier is asked, and an
 * error that none knows is permanent. It must be synchronous and must not change the error.
 */
export type Classifier = (error: unknown) => Verdict | undefined;

/** Who judged a failure: the error's own mark, a classifier, or nobody (so that it counts as permanent). */
export type JudgedBy = 'mark' | 'classifier' | 'default';

export interface Judgement {
  readonly transient: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly judgedBy: JudgedBy;
}

/**
 * The classifier behind the marks: what `TransientFailure`, `markTransient`, `markPermanent` and the brands say. It is always asked
 * first, so that an explicit mark outranks any heuristic; it never throws.
 *
 * @example
 * markedFailures(markTransient(new Error('busy'))) // => 'transient'
 * markedFailures(new TransientFailure('busy', { retryAfterMs: 50 })) // => { verdict: 'transient', retryAfterMs: 50 }
 * markedFailures(new Error('no mark')) // => undefined
 */
export const markedFailures: Classifier = markOf;

/** Judges an error: its own mark, then each classifier in turn, then permanent. */
export function judge(error: unknown, classifiers: readonly Classifier[]): Judgement {
  const mark = markOf(error);
  if (mark !== undefined) return judgement(mark, 'mark');
  for (const classify of classifiers) {
    const verdict = classify(error);
    if (verdict !== undefined) return judgement(verdict);
  }
  return judgement('permanent', 'default');
}

/**
 * A verdict, read once and checked. A number that no server can have meant is no hint; hints are rounded up to whole milliseconds.
 *
 * @throws {TypeError} if it is no verdict
 */
export function judgement(verdict: Verdict, judgedBy: JudgedBy = 'classifier'): Judgement {
  if (verdict === 'transient' || verdict === 'permanent') return { transient: verdict === 'transient', judgedBy };
  const retryAfterMs = readSafely(verdict, 'retryAfterMs');
  const wellFormed = readSafely(verdict, 'verdict') === 'transient' && (retryAfterMs === undefined || typeof retryAfterMs === 'number');
  if (!wellFormed) {
    quiet(verdict);
    throw new TypeError(`a verdict must be 'transient', 'permanent' or { verdict: 'transient', retryAfterMs }, got ${messageOf(verdict)}`);
  }
  return {
    transient: true,
    retryAfterMs: isHint(retryAfterMs) ? Math.min(Math.ceil(retryAfterMs), Number.MAX_SAFE_INTEGER) : undefined,
    judgedBy,
  };
}
