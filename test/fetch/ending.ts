import type { Decision } from 'retry-policy';
import { attemptsOf } from 'retry-policy/fetch';

/** How a call ended: with a response or by throwing, and the log of its attempts. */
export interface Ending {
  readonly response?: Response;
  readonly error?: unknown;
  readonly log: readonly Decision[];
  /** The last decision in a word or two: `'succeed'`, or the reason of the dead letter. */
  readonly end: string | undefined;
}

export async function endingOf(call: Promise<Response>): Promise<Ending> {
  try {
    const response = await call;
    return { response, ...told(response) };
  } catch (error) {
    return { error, ...told(error) };
  }
}

function told(outcome: unknown) {
  const log = attemptsOf(outcome) ?? [];
  const last = log.at(-1);
  return { log, end: last?.action === 'dead-letter' ? last.reason : last?.action };
}

/** What a call threw that should throw. */
export const thrownBy = async (call: Promise<Response>): Promise<unknown> =>
  call.then(
    () => {
      throw new Error('it should have thrown');
    },
    (error: unknown) => error,
  );
