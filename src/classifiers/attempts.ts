import { isObject } from '../assert.js';
import type { Decision } from '../decision.js';
import { sharedInRealm } from '../realm.js';

const logs: () => WeakMap<object, readonly Decision[] | undefined> = /* @__PURE__ */ sharedInRealm(
  /* @__PURE__ */ Symbol.for('retry-policy.attempts'),
  () => new WeakMap(),
);

/**
 * The log of the call by which a `retryingFetch` gave this response, or threw this error: one decision for each attempt. `undefined` for
 * what comes from elsewhere, and for what is no object. All copies of this library in a realm know it; clones of a response do not.
 *
 * @example
 * const response = await retryingFetch({ fetch: async () => new Response('ok') })('https://example.com/')
 * attemptsOf(response).map(({ action }) => action) // => ['succeed']
 * attemptsOf(new Response()) // => undefined
 */
export const attemptsOf = (responseOrError: unknown): readonly Decision[] | undefined =>
  isObject(responseOrError) ? logs().get(responseOrError) : undefined;

/** Remembers the log for as long as the response or the error is there; without one, forgets that of an earlier call. */
export function rememberAttempts(responseOrError: unknown, log?: readonly Decision[]): void {
  if (isObject(responseOrError)) logs().set(responseOrError, log);
}
