import type { Clock } from './clock.js';
import type { RandomSource } from './jitter.js';
import { sharedInRealm } from './realm.js';

/** What tests have put in the place of the system clocks, of the cryptographic random source and of longer attempt limits. */
export interface Override {
  readonly clock?: Clock;
  readonly random?: RandomSource;
  readonly maxAttempts?: number;
}

/** The override that is in force now, whichever copy of the library a test has loaded, and whichever the code under test. */
export const overrides: () => { inForce: Override | undefined } = /* @__PURE__ */ sharedInRealm(
  /* @__PURE__ */ Symbol.for('retry-policy.overrides'),
  () => ({ inForce: undefined }),
);
