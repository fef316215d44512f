import type { Rule } from '../assert.js';

export const anEpochMs: Rule = { words: 'a finite number or a valid Date', holds: Number.isFinite };

/** An instant in epoch milliseconds where it is given as a Date, which may be of another realm; anything else as it is. */
export const epochMs = (at: number | Date): number => (typeof at === 'object' && at !== null ? at.valueOf() : at);

/** An instant in words, for messages. */
export const inWords = (at: number): string => (Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : `${at} ms`);
