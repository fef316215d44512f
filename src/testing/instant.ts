import { mustBe } from '../assert.js';

/** An instant in epoch milliseconds, given as such or as a Date. */
export function instant(name: string, at: number | Date): number {
  const epochMs = typeof at === 'object' && at !== null ? at.valueOf() : at; // a Date of another realm is no instance
  mustBe(name, epochMs, { words: 'a finite number or a valid Date', holds: Number.isFinite });
  return epochMs;
}

/** An instant in words, for messages. */
export const inWords = (at: number): string => (Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : `${at} ms`);
