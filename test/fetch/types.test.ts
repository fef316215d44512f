import type { Decision, ResolvedPolicy, RetryDecision, RetryPolicy, RunOptions } from 'retry-policy';
import { attemptsOf, type RetryingFetchOptions, retryingFetch } from 'retry-policy/fetch';
import { describe, expectTypeOf, it } from 'vitest';

// What is checked here is checked by the compiler; nothing of it runs.

describe('the type of retryingFetch', () => {
  it('is that of a function which makes a fetch', () => {
    expectTypeOf(retryingFetch).returns.toEqualTypeOf<typeof fetch>();
    expectTypeOf(retryingFetch).parameter(0).toEqualTypeOf<RetryingFetchOptions | undefined>();
    void (() => {
      const own: typeof fetch = retryingFetch();
      expectTypeOf(own('https://example.com/')).resolves.toEqualTypeOf<Response>();
      return retryingFetch({ fetch: own });
    });
  });

  it('takes undefined for absent, in every option', () => {
    type Explicit<T> = { [Name in keyof T]-?: undefined };
    expectTypeOf<Explicit<RetryingFetchOptions>>().toExtend<RetryingFetchOptions>();
    expectTypeOf<Record<string, never>>().toExtend<RetryingFetchOptions>();
  });

  it('takes policies for responses, and for any value', () => {
    expectTypeOf<RetryingFetchOptions['policy']>().toEqualTypeOf<RetryPolicy<Response> | undefined>();
    expectTypeOf<RetryPolicy>().toExtend<NonNullable<RetryingFetchOptions['policy']>>();
    expectTypeOf<ResolvedPolicy<Response>>().toExtend<NonNullable<RetryingFetchOptions['policy']>>();
    expectTypeOf<RetryingFetchOptions['run']>().toEqualTypeOf<RunOptions | undefined>();
    void (() =>
      retryingFetch({
        policy: {
          classifyValue(response) {
            expectTypeOf(response).toEqualTypeOf<Response>();
            return undefined;
          },
        },
        onDiscard(response, decision) {
          expectTypeOf(response).toEqualTypeOf<Response>();
          expectTypeOf(decision).toEqualTypeOf<RetryDecision>();
        },
      }));
    // @ts-expect-error a policy for numbers is none for responses
    void ((policy: RetryPolicy<number>) => retryingFetch({ policy }));
  });

  it('takes lists that are frozen, and either kind of onDiscard', () => {
    void ((list: readonly number[], names: readonly string[]) => retryingFetch({ statuses: list, notDoneStatuses: list, methods: names }));
    void (() => retryingFetch({ onDiscard: async (response: Response, _decision: Decision) => void (await response.text()) }));
    void (() => retryingFetch({ onDiscard: () => {} }));
    void (() => [retryingFetch({ idempotencyKeyHeader: true }), retryingFetch({ idempotencyKeyHeader: 'X-Key' })]);
  });

  it('takes no misspelt name', () => {
    // @ts-expect-error no such option
    void (() => retryingFetch({ retries: 3 }));
  });
});

it('attemptsOf takes anything', () => {
  expectTypeOf(attemptsOf).parameter(0).toEqualTypeOf<unknown>();
  expectTypeOf(attemptsOf).returns.toEqualTypeOf<readonly Decision[] | undefined>();
});
