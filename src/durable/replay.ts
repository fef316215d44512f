import type { Judgement } from '../classify.js';
import { decideChecked } from '../decide.js';
import { hookError } from '../hook.js';
import type { RandomSource } from '../jitter.js';
import { type ResolvedPolicy, type RetryPolicy, resolvePolicy } from '../policy.js';
import { type Difference, difference } from './difference.js';
import { checkLog, type DecisionRecord } from './record.js';

/** What a policy makes of a log. */
export interface Replay {
  /** Whether it decides each time what was recorded. */
  readonly equal: boolean;
  readonly firstDifference?: Difference | undefined;
  /** Its own decisions, up to its end or that of the log. */
  readonly decisions: readonly DecisionRecord[];
}

/**
 * Decides once more on the failures of a log: with the policy that was in force to prove the log, with another one to see what that would
 * have done.
 *
 * What a failure was judged to be is taken from the log, so no classifier is asked; so are the times, moved by as much as the policy's
 * waits are longer or shorter; so is chance, and therefore the answer is exact: where the range of the draw is the same, the draw is the
 * same, in another range it has the same place. A wait without a draw counts as one at the upper end. A `delay` of the policy is asked with
 * a random source that answers the recorded wait, as far as the asked range has it. An end that came from outside, an abort, stays.
 *
 * @param log  whole, or without its oldest decisions
 * @throws {TypeError | RangeError} if the policy is wrong or the log is none; the message names the record and its field
 * @throws {RetryHookError} if the policy's `delay` throws or answers nonsense
 * @example
 * const environment = { now: 100, startedAt: 0, random: () => 500 }
 * const { state } = nextStep({}, null, { error: new TransientFailure('503') }, environment)
 * replay({}, state.log).equal // => true
 * const other = replay({ backoff: { baseMs: 4_000 } }, state.log)
 * other.decisions[0].delayMs // => 1_000
 * other.firstDifference.why // => 'backoffMs was 500 and is 1000'
 */
// biome-ignore lint/suspicious/noExplicitAny: values were judged when they were recorded
export function replay(policy: RetryPolicy<any>, log: readonly DecisionRecord[]): Replay {
  const resolved = resolvePolicy(policy);
  checkLog('log', log);
  const decisions: DecisionRecord[] = [];
  let movedMs = 0;
  let before: DecisionRecord | undefined; // as recorded
  let firstDifference: Difference | undefined;
  for (const recorded of log) {
    const derived = isOver(decisions) ? undefined : derive(resolved, recorded, before, decisions.at(-1), movedMs);
    if (derived !== undefined) decisions.push(derived);
    firstDifference ??= difference(recorded, derived);
    if (recorded.action === 'retry' && derived?.action === 'retry') movedMs += derived.delayMs - recorded.delayMs;
    before = recorded;
  }
  return { equal: firstDifference === undefined, ...(firstDifference && { firstDifference }), decisions };
}

const isOver = (decisions: readonly DecisionRecord[]): boolean => decisions.length > 0 && decisions.at(-1)?.action !== 'retry';

/** What the policy decides in the place of a recorded decision; undefined where it would have gone on. */
function derive(
  policy: ResolvedPolicy<never>,
  recorded: DecisionRecord,
  before: DecisionRecord | undefined,
  derivedBefore: DecisionRecord | undefined,
  movedMs: number,
): DecisionRecord | undefined {
  const startedAt = recorded.startedAt + movedMs;
  const elapsedMs = Math.max(recorded.durationMs, recorded.elapsedMs + movedMs);
  if (recorded.action === 'succeed') return { ...recorded, startedAt, elapsedMs };
  const { action, attempt, durationMs, error } = recorded;
  const reason = action === 'dead-letter' ? recorded.reason : undefined;
  if (reason === 'aborted' || reason === 'quota-exhausted') return { ...recorded, startedAt, elapsedMs };
  const isAfterWait = before?.attempt === attempt;
  if (isAfterWait && reason === 'budget-exhausted' && elapsedMs < (policy.totalBudgetMs ?? Infinity)) return undefined;
  // The wall clock may have jumped in the attempt.
  const now = action === 'retry' ? recorded.retryAt - recorded.delayMs + movedMs : startedAt + durationMs;
  const known = {
    committed: reason === 'committed',
    judged: judgementOf(recorded),
    previousDelayMs: derivedBefore?.action === 'retry' ? derivedBefore.backoffMs : delayBefore(recorded),
  };
  try {
    const facts = { attempt, startedAt, durationMs, elapsedMs, error };
    return decideChecked(facts, known, policy, { now, random: drawOf(recorded, policy) }) as DecisionRecord;
  } catch (fault) {
    throw hookError(fault, { error }, []);
  }
}

function judgementOf(recorded: Exclude<DecisionRecord, { action: 'succeed' }>): Judgement {
  const { judgedBy = 'default', retryAfterMs } = recorded;
  return { transient: recorded.action === 'retry' || recorded.reason !== 'permanent', retryAfterMs, judgedBy };
}

/** The wait before the oldest decision that is left, by the range of its own draw (decorrelated: up to three times that wait). */
const delayBefore = (recorded: DecisionRecord): number | undefined =>
  recorded.attempt > 1 && recorded.action === 'retry' && recorded.drawnFrom !== undefined ? recorded.drawnFrom[1] / 3 : undefined;

/** Chance, as it was. */
function drawOf(recorded: DecisionRecord, { delay }: ResolvedPolicy<never>): RandomSource {
  if (recorded.action !== 'retry') return (_min, max) => max;
  const { backoffMs, drawnFrom: [from, to] = [0, 0] } = recorded;
  return (min, max) => {
    const isSameDraw = delay !== undefined || (from === min && to === max);
    if (isSameDraw && backoffMs >= min && backoffMs <= max) return backoffMs;
    return from === to ? max : min + Math.round(((backoffMs - from) / (to - from)) * (max - min));
  };
}
