import { aFunction, anObject } from '../assert.js';
import { transientStatuses, verdictOn } from '../classifiers/answer.js';
import { says } from '../classifiers/chain.js';
import { idempotentMethods } from '../classifiers/idempotent-methods.js';
import { isNetworkFailure } from '../classifiers/network.js';
import { aStatusList, listOf } from '../classifiers/rules.js';
import type { Classifier } from '../classify.js';
import type { Clock } from '../clock.js';
import type { RetryDecision } from '../decision.js';
import type { Verdict } from '../mark.js';
import { Faults, type Rules } from '../options.js';
import { type ResolvedPolicy, type RetryPolicy, resolvePolicy } from '../policy.js';
import { type RunOptions, resolveRunOptions } from '../run-options.js';

/** A `fetch`, without what some platforms have on theirs. */
export type Fetch = (...args: Parameters<typeof fetch>) => Promise<Response>;

/** How a `fetch` retries. Every field may be left out, and `undefined` is the same as left out. */
export interface RetryingFetchOptions {
  /**
   * How to retry. Its `classify` and `classifyValue` are asked before the rules of this library; they cannot have a request repeated
   * that must not be. Its time limits hold up to the headers of an answer, never while a body is read.
   */
  policy?: RetryPolicy<Response> | undefined;
  /** Of each call: clock, random source, `onDecision`, length of the log; a signal that ends all calls. No `idempotencyKey`. */
  run?: RunOptions | undefined;
  /**
   * What sends a request. It must hand on `redirect: 'manual'`, and an error that says "refused" must be of this request and of no other
   * that it makes. Default the global `fetch`, looked up at each call.
   */
  fetch?: Fetch | undefined;
  /** The statuses that are worth asking again for. Default `transientStatuses` of `retry-policy/classifiers`. */
  statuses?: readonly number[] | undefined;
  /** The methods that may be repeated. Default `idempotentMethods` of `retry-policy/classifiers`. */
  methods?: readonly string[] | undefined;
  /** Statuses by which a server promises that it has done nothing: a request may go again then, whatever its method. Default none. */
  notDoneStatuses?: readonly number[] | undefined;
  /** Gives requests of other methods a key, the same for all attempts of a call: `true` as `Idempotency-Key`, or under a name of your own. Default false. */
  idempotencyKeyHeader?: boolean | string | undefined;
  /**
   * Called with each response that a retry replaces, before its body is let go of: read it here, or not. What it throws is dropped. It is
   * awaited: one that never settles holds the call up. Only its reading ends, after `attemptTimeoutMs`, else `totalBudgetMs`.
   */
  onDiscard?: ((response: Response, decision: RetryDecision) => void | PromiseLike<void>) | undefined;
}

/** Options that were checked and completed. */
export interface Settings {
  readonly fetch: Fetch | undefined;
  /** With the rules of this library behind the caller's own. */
  readonly policy: ResolvedPolicy<Response>;
  readonly run: RunOptions;
  readonly clock: () => Clock;
  readonly methods: readonly string[];
  readonly notDoneStatuses: readonly number[];
  /** The header that a key is added in, if one is. */
  readonly keyHeader: string | undefined;
  readonly onDiscard: RetryingFetchOptions['onDiscard'];
}

export const IDEMPOTENCY_KEY = 'Idempotency-Key'; // draft-ietf-httpapi-idempotency-key-header

const rules: Rules<RetryingFetchOptions> = {
  policy: anObject,
  run: {
    words: 'run options without idempotencyKey',
    holds: (run: RunOptions) => run.idempotencyKey === undefined,
    type: 'object',
  },
  fetch: aFunction,
  statuses: aStatusList,
  methods: /* @__PURE__ */ listOf('strings', (method: unknown) => typeof method === 'string'),
  notDoneStatuses: aStatusList,
  idempotencyKeyHeader: {
    words: 'a boolean or a header name',
    holds: (name: string) => /^[\w!#$%&'*+.^`|~-]+$/.test(name), // RFC 9110 §5.6.2
    type: 'string',
  },
  onDiscard: aFunction,
};

/**
 * Checks the options, once for all calls, and completes them.
 *
 * @throws {TypeError | RangeError} if an option is wrong, or one of the policy's or the run's
 */
export function settingsOf(options: RetryingFetchOptions): Settings {
  const faults = new Faults('retryingFetch options');
  const given = faults.names('options', options, rules);
  const { policy = {}, run = {}, fetch, statuses = transientStatuses, methods = idempotentMethods, notDoneStatuses = [] } = given;
  const { idempotencyKeyHeader: header, onDiscard } = given;
  const idempotencyKeyHeader = typeof header === 'boolean' ? undefined : header;
  faults.values({ ...given, idempotencyKeyHeader }, rules);
  faults.throwIfAny();
  resolveRunOptions(run);
  const clock = () => resolveRunOptions(run).clock;
  return {
    policy: withOwnRules(resolvePolicy(policy), [...statuses, ...notDoneStatuses], () => clock().now()),
    run,
    clock,
    fetch,
    methods: methods.map((method) => method.toUpperCase()),
    notDoneStatuses: [...notDoneStatuses],
    keyHeader: header === true ? IDEMPOTENCY_KEY : idempotencyKeyHeader,
    onDiscard,
  };
}

/** The caller's classifiers come first, this library's behind them. */
function withOwnRules(given: ResolvedPolicy<Response>, statuses: readonly number[], now: () => number): ResolvedPolicy<Response> {
  const classifyValue = (response: Response): Verdict | undefined => {
    const verdict = given.classifyValue?.(response);
    if (verdict !== undefined) return verdict;
    const said = verdictOn(response, statuses, now);
    return said === 'no' ? undefined : said;
  };
  const classify: Classifier = (error) => (says(error, isNetworkFailure) ? 'transient' : undefined);
  return { ...given, classify: [...given.classify, classify], classifyValue };
}
