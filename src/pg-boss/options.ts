import { type RetryPolicy, resolvePolicy } from '../policy.js';

/**
 * What a pg-boss worker needs: spread it into the options of `work`. With metadata a job tells how many claims it has left; with a result
 * for each job, one that fails takes no other of its batch with it.
 *
 * @example
 * workOptions // => { includeMetadata: true, perJobResults: true }
 */
export const workOptions: { readonly includeMetadata: true; readonly perJobResults: true } = /* @__PURE__ */ Object.freeze({
  includeMetadata: true,
  perJobResults: true,
});

const LONGEST_SECONDS = 86_399; // pg-boss expires a job within a day
const MOST_RETRIES = 1_000_000; // out of the policy's way, and far from the end of the column

/**
 * What a pg-boss queue needs so that the policy rules it: spread it into the options of `createQueue` or `updateQueue`. pg-boss must give
 * a job as many claims as the policy may want, and one more to bury it; its own delay counts only where a worker is killed, and so is
 * as long as the policy's longest backoff.
 *
 * @returns `expireInSeconds` only if the policy has an `attemptTimeoutMs`: that and a minute more, so that the policy's limit comes first
 * @throws {TypeError | RangeError} if the policy is wrong
 * @example
 * queueOptions({ backoff: { capMs: 30_000 } }) // => { retryLimit: 1_000_000, retryDelay: 30, retryBackoff: false }
 * queueOptions({ attemptTimeoutMs: 500 }).expireInSeconds // => 61
 */
export function queueOptions<T>(policy?: RetryPolicy<T>): {
  retryLimit: number;
  retryDelay: number;
  retryBackoff: false;
  expireInSeconds?: number;
} {
  const { backoff, attemptTimeoutMs } = resolvePolicy(policy);
  const retryDelay = Math.min(Math.max(1, Math.ceil(backoff.capMs / 1_000)), LONGEST_SECONDS);
  return {
    ...{ retryLimit: MOST_RETRIES, retryDelay, retryBackoff: false },
    ...(attemptTimeoutMs !== undefined && { expireInSeconds: Math.min(Math.ceil(attemptTimeoutMs / 1_000) + 60, LONGEST_SECONDS) }),
  };
}
