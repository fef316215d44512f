import type { Decision, RetryResult } from 'retry-policy';

/** The log without its times, a line for each decision: `1 retry: 40P01, by classifier`, `2 succeed`. */
export const told = ({ log }: RetryResult<unknown>): readonly string[] => log.map(lineOf);

function lineOf(decision: Decision): string {
  const { action, attempt } = decision;
  if (action === 'succeed') return `${attempt} succeed`;
  const end = action === 'dead-letter' ? `dead-letter ${decision.reason}` : action;
  return `${attempt} ${end}: ${kindOf(decision.error)}, by ${decision.judgedBy}`;
}

/** What a client tells faults apart by: a code, the first word of what Redis answered, a name, or nothing but the message. */
function kindOf(error: unknown): string {
  const { code, name, message } = error as Error & { code?: string };
  if (code !== undefined) return code;
  if (name === 'ReplyError') return message.split(' ', 1).join();
  return name === 'Error' ? message : name;
}

/** What the attempts failed with that were followed by another. */
export const failuresOf = ({ log }: RetryResult<unknown>): readonly unknown[] =>
  log.flatMap((decision) => (decision.action === 'retry' ? [decision.error] : []));

/** The kinds of all these failures, each once. */
export const retriedKinds = (results: readonly RetryResult<unknown>[]): readonly string[] => [
  ...new Set(results.flatMap(failuresOf).map(kindOf)),
];
