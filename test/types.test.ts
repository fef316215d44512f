import {
  type AttemptContext,
  type Classifier,
  type DeadLetterDecision,
  type DeadLetterReason,
  type Decision,
  decide,
  definePolicy,
  type Environment,
  exponentialBackoff,
  type Failure,
  isDeadLetterError,
  type ResolvedPolicy,
  type RetryDecision,
  type RetryPolicy,
  type RetryResult,
  type RunOptions,
  runWithRetry,
  TransientFailure,
  unwrap,
  type Verdict,
  withRetry,
} from 'retry-policy';
import { describe, expectTypeOf, it } from 'vitest';

// What is checked here is checked by the compiler; nothing of it runs but the calls that make up a type.

describe('the type of a run', () => {
  it('is inferred from the task, whether it is asynchronous or not', () => {
    const asynchronous = () => runWithRetry(async () => 42);
    const synchronous = () => runWithRetry(() => 'done' as const);
    const thenable = () => runWithRetry((): PromiseLike<Date> => Promise.resolve(new Date()));
    const either = () => runWithRetry(({ attempt }): number | Promise<number> => attempt);
    const never = () =>
      runWithRetry(() => {
        throw new TransientFailure();
      });
    expectTypeOf(asynchronous).returns.resolves.toEqualTypeOf<RetryResult<number>>();
    expectTypeOf(synchronous).returns.resolves.toEqualTypeOf<RetryResult<'done'>>();
    expectTypeOf(thenable).returns.resolves.toEqualTypeOf<RetryResult<Date>>();
    expectTypeOf(either).returns.resolves.toEqualTypeOf<RetryResult<number>>();
    expectTypeOf(never).returns.resolves.toEqualTypeOf<RetryResult<never>>();
  });

  it('does not change with the policy', () => {
    const run = () => runWithRetry(async () => 42, { classifyValue: (value: unknown) => (value ? undefined : 'transient') });
    expectTypeOf(run).returns.resolves.toEqualTypeOf<RetryResult<number>>();
  });

  it('gives the task its context', () => {
    void (() => runWithRetry((context) => expectTypeOf(context).toEqualTypeOf<AttemptContext>()));
    expectTypeOf<AttemptContext['signal']>().toEqualTypeOf<AbortSignal>();
    expectTypeOf<AttemptContext['commit']>().toEqualTypeOf<() => void>();
    // @ts-expect-error the context is read-only
    void ((context: AttemptContext) => (context.attempt = 2));
  });

  it('takes no promise for a task', () => {
    // @ts-expect-error a promise is no function
    void (() => runWithRetry(Promise.resolve(1)));
  });
});

describe('narrowing', () => {
  it('by ok tells value from error and reason', () => {
    const look = (result: RetryResult<number>) => {
      expectTypeOf(result.attempts).toEqualTypeOf<number>();
      expectTypeOf(result.log).toEqualTypeOf<readonly Decision[]>();
      if (result.ok) {
        expectTypeOf(result.value).toEqualTypeOf<number>();
        expectTypeOf(result).not.toHaveProperty('reason');
      } else {
        expectTypeOf(result.error).toEqualTypeOf<unknown>();
        expectTypeOf(result.reason).toEqualTypeOf<DeadLetterReason>();
        expectTypeOf(result).not.toHaveProperty('value');
      }
    };
    expectTypeOf(look).toBeFunction();
    expectTypeOf(unwrap<number>).returns.toEqualTypeOf<number>();
  });

  it('by action tells the decisions apart', () => {
    const look = (decision: Decision) => {
      switch (decision.action) {
        case 'succeed':
          return expectTypeOf(decision).not.toHaveProperty('error');
        case 'retry':
          expectTypeOf(decision.drawnFrom).toEqualTypeOf<readonly [min: number, max: number] | undefined>();
          return expectTypeOf(decision).toEqualTypeOf<RetryDecision>();
        case 'dead-letter':
          expectTypeOf(decision.judgedBy).toEqualTypeOf<'mark' | 'classifier' | 'default' | undefined>();
          return expectTypeOf(decision).toEqualTypeOf<DeadLetterDecision>();
        default:
          return expectTypeOf(decision).toBeNever();
      }
    };
    expectTypeOf(look).parameter(0).toEqualTypeOf<Decision>();
    expectTypeOf(decide).returns.toEqualTypeOf<RetryDecision | DeadLetterDecision>();
  });

  it('by reason can be exhaustive', () => {
    const look = (reason: DeadLetterReason) => {
      switch (reason) {
        case 'permanent':
        case 'committed':
        case 'attempts-exhausted':
        case 'budget-exhausted':
        case 'retry-after-too-long':
        case 'quota-exhausted':
        case 'aborted':
          return;
        default:
          expectTypeOf(reason).toBeNever();
      }
    };
    expectTypeOf(look).toBeFunction();
  });

  it('by a guard gives the error its facts', () => {
    const look = (error: unknown) => {
      if (isDeadLetterError(error)) expectTypeOf(error.log).toEqualTypeOf<readonly Decision[]>();
    };
    expectTypeOf(look).toBeFunction();
  });

  it('of records does not let them be written to', () => {
    // @ts-expect-error the log is read-only
    void ((result: RetryResult<number>) => result.log.pop());
    // @ts-expect-error a decision is read-only
    void ((decision: RetryDecision) => (decision.delayMs = 0));
  });
});

describe('the type of a policy', () => {
  it('takes over the value of the task', () => {
    void (() =>
      runWithRetry(async () => new Response(), {
        classifyValue: (response) => {
          expectTypeOf(response).toEqualTypeOf<Response>();
          return response.status === 503 ? 'transient' : undefined;
        },
      }));
    // @ts-expect-error a policy for responses is none for numbers
    void ((policy: RetryPolicy<Response>) => runWithRetry(async () => 42, policy));
    // @ts-expect-error not where it is resolved either
    void ((policy: ResolvedPolicy<Response>) => runWithRetry(async () => 42, policy));
  });

  it('for any value is usable for every task', () => {
    const uses = (policy: RetryPolicy, resolved: ResolvedPolicy) => {
      void runWithRetry(async () => 42, policy);
      void runWithRetry(async () => new Response(), resolved);
      void withRetry((text: string) => text.length, resolved)('five');
      expectTypeOf(definePolicy(policy)).toEqualTypeOf<ResolvedPolicy>();
      expectTypeOf(definePolicy({})).toEqualTypeOf<ResolvedPolicy>();
      expectTypeOf(definePolicy(resolved)).toEqualTypeOf<ResolvedPolicy>();
    };
    expectTypeOf(uses).toBeFunction();
    expectTypeOf<RetryPolicy>().toExtend<RetryPolicy<Response>>();
    expectTypeOf<ResolvedPolicy>().toExtend<ResolvedPolicy<Response>>();
    expectTypeOf<ResolvedPolicy<Response>>().toExtend<RetryPolicy<Response>>();
  });

  it('is inferred by definePolicy from what it classifies', () => {
    const policy = definePolicy({ classifyValue: (response: Response) => (response.ok ? undefined : 'transient') });
    expectTypeOf(policy).toEqualTypeOf<ResolvedPolicy<Response>>();
    void (() => runWithRetry(() => fetch('http://localhost'), policy));
    void (() => decide({} as Failure, policy, {} as Environment));
  });

  it('has its defaults filled in when it is resolved', () => {
    expectTypeOf<ResolvedPolicy['maxAttempts']>().toEqualTypeOf<number>();
    expectTypeOf<ResolvedPolicy['backoff']>().toEqualTypeOf<{ readonly baseMs: number; readonly capMs: number; readonly factor: number }>();
    expectTypeOf<ResolvedPolicy['jitter']>().toEqualTypeOf<'full' | 'equal' | 'decorrelated' | 'none'>();
    expectTypeOf<ResolvedPolicy['classify']>().toEqualTypeOf<readonly Classifier[]>();
    expectTypeOf<ResolvedPolicy['totalBudgetMs']>().toEqualTypeOf<number | undefined>();
  });

  it('takes undefined for absent, in every option', () => {
    type Explicit<T> = { [Name in keyof T]-?: undefined };
    expectTypeOf<Explicit<RetryPolicy>>().toExtend<RetryPolicy>();
    expectTypeOf<Explicit<NonNullable<RetryPolicy['backoff']>>>().toExtend<NonNullable<RetryPolicy['backoff']>>();
    expectTypeOf<Explicit<RunOptions>>().toExtend<RunOptions>();
    expectTypeOf<Explicit<Omit<Failure, 'attempt' | 'error' | 'elapsedMs'>>>().toExtend<Partial<Failure>>();
    void (() => definePolicy({ maxAttempts: undefined, backoff: { baseMs: undefined, capMs: undefined, factor: undefined } }));
    void (() => exponentialBackoff(1, { baseMs: 1, capMs: 2, factor: undefined }));
    void (() => new TransientFailure(undefined, { cause: undefined, retryAfterMs: undefined }));
  });

  it('takes no classifier that is asynchronous, and no misspelt verdict or name', () => {
    // @ts-expect-error a classifier is synchronous
    void (() => definePolicy({ classify: async () => 'transient' as const }));
    // @ts-expect-error no such verdict
    expectTypeOf<'retry'>().toExtend<Verdict>();
    // @ts-expect-error no such jitter
    void (() => definePolicy({ jitter: 'ful' }));
    // @ts-expect-error no such option
    void (() => definePolicy({ maxAttempt: 4 }));
  });
});

describe('the type of a function with retries', () => {
  it('keeps the arguments, and resolves with the value', () => {
    expectTypeOf(withRetry(async (item: string, count?: number) => item.length + (count ?? 0))).toEqualTypeOf<
      (this: unknown, item: string, count?: number) => Promise<number>
    >();
    expectTypeOf(withRetry((...items: string[]) => items)).toEqualTypeOf<(this: unknown, ...items: string[]) => Promise<string[]>>();
  });

  it('knows the value that its policy classifies', () => {
    void withRetry(async (id: number) => ({ id, status: 503 }), {
      classifyValue: (value) => {
        expectTypeOf(value).toEqualTypeOf<{ id: number; status: number }>();
        return undefined;
      },
    });
    // @ts-expect-error a policy for responses is none for numbers
    void ((policy: RetryPolicy<Response>) => withRetry(async () => 42, policy));
  });

  it('keeps this', () => {
    interface Account {
      balance: number;
    }
    const add = withRetry(function (this: Account, amount: number) {
      return this.balance + amount;
    });
    expectTypeOf(add).toEqualTypeOf<(this: Account, amount: number) => Promise<number>>();
    // @ts-expect-error it needs its account
    void (() => add(1));
  });

  it('keeps type parameters', () => {
    const echo = withRetry(<T>(value: T) => Promise.resolve(value));
    expectTypeOf(echo<'x'>).returns.resolves.toEqualTypeOf<'x'>();
  });

  it('gives this and arguments to the options', () => {
    void withRetry(
      function (this: Date, _id: number) {},
      {},
      function (id) {
        expectTypeOf(this).toEqualTypeOf<Date>();
        expectTypeOf(id).toEqualTypeOf<number>();
        return { idempotencyKey: String(id) };
      },
    );
  });
});
