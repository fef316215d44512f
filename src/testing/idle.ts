import type { Clock } from '../clock.js';
import { overrides } from '../override.js';
import { clockOfRun } from '../system-clock.js';

/** A member that copies and wrappers of a clock take along, and that another copy of this library finds. */
export const WHEN_IDLE: unique symbol = /* @__PURE__ */ Symbol.for('retry-policy.when-idle');

interface Idling extends Clock {
  /** Calls back when nothing can happen any more on this clock; returns what takes the callback off. */
  readonly [WHEN_IDLE]?: (callback: () => void) => () => void;
}

/** Calls back when nothing can happen any more on a clock, or on the one in its place; most clocks cannot tell. Returns what takes it off. */
export function whenIdle(clock: Clock, callback: () => void): () => void {
  const inForce: Idling = clockOfRun(clock, overrides().inForce);
  return inForce[WHEN_IDLE]?.(callback) ?? (() => {});
}

/** Whether two clocks show the same virtual time: one is the other, or made of it. */
export const areOne = (one: Idling, other: Idling): boolean =>
  one === other || (one[WHEN_IDLE] !== undefined && one[WHEN_IDLE] === other[WHEN_IDLE]);
