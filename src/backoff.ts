import { aCount, aFactor, mustBe, noOthers } from './assert.js';

/** How the wait grows from one failed attempt to the next. */
export interface BackoffOptions {
  /** Wait after the first failed attempt, in milliseconds: finite, >= 0. */
  readonly baseMs: number;
  /** The longest wait, in milliseconds: finite, >= 0. */
  readonly capMs: number;
  /** What each wait is multiplied by to get the next: finite, >= 1. Default 2. */
  readonly factor?: number | undefined;
}

/** Backoff options in which nothing is left out. */
export type ResolvedBackoff = { readonly [Name in keyof BackoffOptions]-?: number };

/**
 * The longest wait after failed attempt number `attempt`, before jitter.
 *
 *     min(capMs, baseMs * factor^(attempt - 1))
 *
 * Never NaN and never above `capMs`, however large `attempt` is; it never falls as `attempt` grows. A base of 0 stays 0 for
 * ever, and a cap below the base is the wait from the start. Not rounded: jitter makes whole milliseconds of it.
 *
 * @param attempt  number of the attempt that just failed: an integer >= 1, 1 for the first call
 * @param options  `baseMs` and `capMs` in milliseconds (finite, >= 0); `factor` (finite, >= 1), default 2
 * @returns milliseconds in [0, capMs]
 * @throws {TypeError} if a value is of the wrong type, a name is unknown, or `baseMs` or `capMs` is missing
 * @throws {RangeError} if a value is out of its range
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 * @example
 * exponentialBackoff(1, { baseMs: 2_000, capMs: 60_000 }) // => 2_000
 * exponentialBackoff(3, { baseMs: 2_000, capMs: 60_000 }) // => 8_000
 * exponentialBackoff(6, { baseMs: 2_000, capMs: 60_000 }) // => 60_000
 * exponentialBackoff(1_000_000, { baseMs: 2_000, capMs: 60_000, factor: 10 }) // => 60_000
 */
export function exponentialBackoff(attempt: number, options: BackoffOptions): number {
  const { baseMs, capMs, factor = 2, ...others }: BackoffOptions = Object(options);
  mustBe('attempt', attempt, aCount);
  mustBe('baseMs', baseMs);
  mustBe('capMs', capMs);
  mustBe('factor', factor, aFactor);
  noOthers(others, 'baseMs, capMs, factor');
  return longestDelay(attempt, { baseMs, capMs, factor });
}

/** As `exponentialBackoff`, for arguments that are known to be right. */
export const longestDelay = (attempt: number, { baseMs, capMs, factor }: ResolvedBackoff): number =>
  baseMs > 0 ? Math.min(capMs, baseMs * factor ** (attempt - 1)) : 0; // 0 * Infinity would be NaN
