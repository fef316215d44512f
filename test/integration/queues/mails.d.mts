import type { AttemptContext, RetryPolicy } from 'retry-policy';
import type { Ledger } from './ledger.mjs';

/** Where a worker is killed: in an attempt; with a decision and nothing done about it; half-way through a retry, or through a burial. */
export type Point = 'attempt' | 'decision' | 'retry' | 'burial' | 'none';
export type Hold = (here: Point, mail: number) => Promise<void>;

/** Whether a mail is held before what happens at a point; the others are held after it. */
export function isHeldBefore(mail: number): boolean;

export const MAILS: number;
export const policy: RetryPolicy<void>;
export function endOf(mail: number): 'effect' | 'attempts-exhausted' | 'permanent';
export function attemptsOf(mail: number): number;
export function handlerFor(
  ledger: Ledger,
  hold: Hold,
): (mail: number, context: Pick<AttemptContext, 'attempt' | 'idempotencyKey'>) => Promise<void>;
export function holder(ledger: Ledger, point: Point): Hold;
