import type { Clock } from './clock.js';
import type { RandomSource } from './jitter.js';

/** What a test puts in the place of the system clocks, of the cryptographic random source and of longer attempt limits. */
export interface Override {
  readonly clock?: Clock;
  readonly random?: RandomSource;
  readonly maxAttempts?: number;
  /** Bears the stack of the place where it was put in force. */
  readonly madeAt: Error;
}

interface Overrides {
  inForce: Override | undefined;
}

const OVERRIDES: unique symbol = /* @__PURE__ */ Symbol.for('retry-policy.overrides');

let shared: Overrides | undefined;

/**
 * What is in force now: one object for all copies of this library in a realm, so that a test reaches the copy that the code under
 * test has loaded. Looked up once by each copy, since each run asks.
 */
export function overrides(): Overrides {
  shared ??= (globalThis as { [OVERRIDES]?: Overrides })[OVERRIDES] ?? newOverrides();
  return shared;
}

function newOverrides(): Overrides {
  const none = { inForce: undefined };
  Reflect.defineProperty(globalThis, OVERRIDES, { value: none }); // a hardened realm refuses; its copies then keep to themselves
  return none;
}
