import { mustBe, quiet } from './assert.js';
import { longestDelay } from './backoff.js';
import { callHook } from './hook.js';
import { type DrawRange, decorrelatedRange, draw, equalRange, fullRange, type RandomSource, wholeMs } from './jitter.js';
import type { DelayContext, ResolvedPolicy } from './policy.js';

export interface PlannedDelay {
  readonly backoffMs: number;
  readonly drawnFrom?: DrawRange;
}

/** What a policy answers to a failed attempt, before the wait that a server demands: its `delay`, or else its backoff with its jitter. */
export function planDelay(policy: ResolvedPolicy<never>, context: DelayContext, random: RandomSource): PlannedDelay {
  const { delay, jitter } = policy;
  if (delay !== undefined) {
    const checkedRandom: RandomSource = (min, max) => callHook('random', () => draw([min, max], random));
    return { backoffMs: callHook('delay', () => checkedDelay(delay(context, checkedRandom))) };
  }
  if (jitter === 'none') return { backoffMs: wholeMs(longestDelay(context.attempt, policy.backoff)) };
  const drawnFrom = Object.freeze(rangeOf(policy, context));
  return { backoffMs: callHook('random', () => draw(drawnFrom, random)), drawnFrom };
}

function rangeOf({ backoff, jitter }: ResolvedPolicy<never>, { attempt, previousDelayMs = backoff.baseMs }: DelayContext): DrawRange {
  if (jitter === 'decorrelated') return decorrelatedRange(previousDelayMs, backoff.baseMs, backoff.capMs);
  const range = jitter === 'equal' ? equalRange : fullRange;
  return range(longestDelay(attempt, backoff));
}

function checkedDelay(ms: number): number {
  if (typeof ms !== 'number') quiet(ms);
  mustBe('delay()', ms);
  return Math.min(Math.max(Math.ceil(ms), 0), Number.MAX_SAFE_INTEGER); // no -0
}
