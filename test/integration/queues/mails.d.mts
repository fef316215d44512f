import type { AttemptContext, RetryPolicy } from 'retry-policy';
import type { Ledger } from './ledger.mjs';

/** Where a worker is killed: in an attempt; with a decision that was not stored; with one that was, and is not told to the engine. */
export type Point = 'attempt' | 'decision' | 'stored' | 'none';
export type Hold = (here: Point, mail: number) => Promise<void>;

export const MAILS: number;
export const policy: RetryPolicy<void>;
export function endOf(mail: number): 'effect' | 'attempts-exhausted' | 'permanent';
export function handlerFor(
  ledger: Ledger,
  hold: Hold,
): (mail: number, context: Pick<AttemptContext, 'attempt' | 'idempotencyKey'>) => Promise<void>;
export function holder(ledger: Ledger, point: Point): Hold;
