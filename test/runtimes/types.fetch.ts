// The same of the entries that need the types of `fetch`.
import type { Classifier, Decision } from 'retry-policy';
import { type FailureStage, failureStage, httpErrors, networkErrors, parseRetryAfter, throughCause } from 'retry-policy/classifiers';
import { attemptsOf, type RetryingFetchOptions, retryingFetch } from 'retry-policy/fetch';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <_Holds extends true>(): void => {};

export async function itIsAFetch(): Promise<void> {
  const retrying = retryingFetch({ policy: { classifyValue: ({ status }) => (status === 202 ? 'transient' : undefined) } });
  is<Equal<typeof retrying, typeof fetch>>();
  const response = await retrying(new URL('https://example.com/'), { method: 'POST', body: 'x' });
  is<Equal<typeof response, Response>>();
  is<Equal<ReturnType<typeof attemptsOf>, readonly Decision[] | undefined>>();
  attemptsOf(response)?.map(({ action }) => action);
  // @ts-expect-error a number is nothing that can be fetched
  await retrying(5);
}

export const options: RetryingFetchOptions = {
  fetch,
  statuses: [503],
  methods: undefined,
  idempotencyKeyHeader: 'X-Key',
  onDiscard: (response, decision) => void [response.status, decision.delayMs],
};

export function optionsAreExact(): void {
  // @ts-expect-error a name that nobody knows
  retryingFetch({ retries: 3 });
  // @ts-expect-error a header's name, or whether there is one
  retryingFetch({ idempotencyKeyHeader: 5 });
}

export const classifiers: readonly Classifier[] = [networkErrors, httpErrors({ statuses: [503] }), throughCause(networkErrors)];

export function answersAreNarrow(response: Response): FailureStage {
  is<Equal<ReturnType<typeof parseRetryAfter>, number | undefined>>();
  parseRetryAfter(response.headers, 0);
  parseRetryAfter({ 'retry-after': ['5'] }, 0);
  // @ts-expect-error a classifier is made by a call
  is<Equal<typeof httpErrors, Classifier>>();
  return failureStage(response);
}
