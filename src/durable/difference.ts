import type { DecisionRecord } from './record.js';

/** Where a policy decides something else than was recorded. */
export interface Difference {
  readonly attempt: number;
  readonly recorded: DecisionRecord;
  /** Absent where the policy would not have got there, or would have gone on. */
  readonly derived?: DecisionRecord | undefined;
  /** In words. */
  readonly why: string;
}

const FIRST = ['action', 'reason', 'backoffMs', 'delayMs']; // they say most

/** In what two decisions on one failure differ, if they do. Their errors are the same. */
export function difference(recorded: DecisionRecord, derived: DecisionRecord | undefined): Difference | undefined {
  if (derived === undefined) return { attempt: recorded.attempt, recorded, why: `${recorded.action} was recorded, and nothing is decided` };
  const was = recorded as unknown as Record<string, unknown>;
  const is = derived as unknown as Record<string, unknown>;
  const text = (value: unknown) => JSON.stringify(value) ?? 'absent';
  const names = [...new Set([...FIRST, ...Object.keys(was), ...Object.keys(is)])].filter((name) => name !== 'error');
  const name = names.find((each) => text(was[each]) !== text(is[each]));
  return name === undefined
    ? undefined
    : { attempt: recorded.attempt, recorded, derived, why: `${name} was ${text(was[name])} and is ${text(is[name])}` };
}
