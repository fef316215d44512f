// What a user's compiler must make of the types, without a test library: a file that compiles has passed.
import { type Decision, runWithRetry, type Task, type unwrap, withRetry } from 'retry-policy';
import { frozenClock } from 'retry-policy/testing';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <_Holds extends true>(): void => {};

export async function resultsAreInferredAndNarrowed(): Promise<void> {
  const result = await runWithRetry(async ({ attempt }) => ({ attempt, text: 'x' }), { maxAttempts: 2 }, { clock: frozenClock(0) });
  if (result.ok) {
    is<Equal<typeof result.value, { attempt: number; text: string }>>();
    // @ts-expect-error a run that succeeded has no reason
    result.reason;
  } else {
    is<Equal<typeof result.error, unknown>>();
    // @ts-expect-error a run that failed has no value
    result.value;
    switch (result.reason) {
      case 'aborted':
      case 'permanent':
        is<Equal<typeof result.reason, 'aborted' | 'permanent'>>();
        break;
      // @ts-expect-error there is no such reason
      case 'tired':
        break;
    }
  }
  is<Equal<ReturnType<typeof unwrap<number>>, number>>();
  const synchronous = await runWithRetry(() => 'x' as const);
  is<Equal<typeof synchronous, Awaited<ReturnType<typeof runWithRetry<'x'>>>>>();
}

export function decisionsAreNarrowedByTheirAction(decision: Decision): number | string | undefined {
  // @ts-expect-error only a retry has a delay
  decision.delayMs;
  if (decision.action === 'retry') return decision.delayMs;
  if (decision.action === 'dead-letter') return decision.reason;
  is<Equal<typeof decision.action, 'succeed'>>();
  // @ts-expect-error a decision cannot be changed
  decision.attempt = 2;
  return decision.elapsedMs;
}

class Shop {
  readonly tax = 2;
  readonly price = withRetry(async function (this: Shop, item: string, count?: number) {
    return item.length * (count ?? 1) + this.tax;
  });
}
is<Equal<Shop['price'], (this: Shop, item: string, count?: number) => Promise<number>>>();

export async function functionsKeepThisAndArguments(shop: Shop): Promise<void> {
  is<Equal<Awaited<ReturnType<typeof shop.price>>, number>>();
  await shop.price('pear');
  // @ts-expect-error the item is a text
  await shop.price(5);
  const { price } = shop;
  // @ts-expect-error there is no shop
  await price('pear');
}

export function optionsAreExact(task: Task<number>): void {
  void runWithRetry(task, { classifyValue: (value) => (value < 0 ? 'transient' : undefined) });
  void runWithRetry(task, { attemptTimeoutMs: undefined, backoff: { baseMs: undefined } });
  // @ts-expect-error a name that nobody knows
  void runWithRetry(task, { retries: 3 });
  // @ts-expect-error a number is no policy
  void runWithRetry(task, 3);
  // @ts-expect-error a kind of jitter that does not exist
  void runWithRetry(task, { jitter: 'some' });
  // @ts-expect-error the signal and not its controller
  void runWithRetry(task, {}, { signal: new AbortController() });
}
