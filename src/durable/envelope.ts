import { isObject } from '../assert.js';
import { readSafely } from '../mark.js';
import { type DeadLetter, isDeadLetter, type JobSource, redriveState } from './dead-letter.js';
import type { DecisionRecord } from './record.js';
import type { RetryState } from './state.js';

/**
 * How a job's state travels with its data, for engines whose jobs have no other place: under one key, beside the fields of the payload,
 * so that whatever else reads them still can. A payload that is no plain object, or has that key itself, stands under the key as well.
 * The data of a dead job is its dead letter.
 */
const KEY = 'retryPolicy';

/** How far an engine's own counters stood when the state was stored: what they have counted since was lost. */
export interface Counters {
  /** How often the engine gave the job to a worker. */
  readonly starts: number;
  /** How often it took the job back from one that went away. */
  readonly stalls: number;
}

/** What stands under the key. It may have been written by anybody. */
interface Note extends Partial<Counters> {
  readonly state?: RetryState;
  readonly payload?: unknown;
}

/** What a job's data says. */
export interface Opened {
  readonly payload: unknown;
  readonly counters: Counters;
  /** Null for a job that is new. */
  readonly state: RetryState | null;
  /** There if the job is dead, or was and has come back. */
  readonly letter: DeadLetter | undefined;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null);

/** A letter of another queue is a payload: that is what the consumer of a queue of dead letters has. */
export function openEnvelope(data: unknown, { engine, queue, id }: JobSource): Opened {
  const note = isPlain(data) && isObject(data[KEY]) ? (data[KEY] as Note) : undefined;
  const isNew = { payload: data, counters: { starts: 0, stalls: 0 }, state: null, letter: undefined };
  const { [KEY]: _, ...rest } = isPlain(data) ? data : {};
  const isOfThisQueue = isDeadLetter(data) && data.source.engine === engine && data.source.queue === queue;
  if (isOfThisQueue) {
    const letter = rest as unknown as DeadLetter;
    // A copy that was sent anew is another job of the engine's, with counters of its own.
    return { ...isNew, payload: letter.payload, letter, ...(letter.source.id === id && { counters: countersOf(note) }) };
  }
  if (note === undefined || typeof note.starts !== 'number') return isNew;
  const payload = Object.hasOwn(note, 'payload') ? note.payload : rest;
  const { state = null } = note;
  // Without a state it is a dead letter from elsewhere, with the counters of that queue.
  return state === null ? { ...isNew, payload } : { payload, counters: countersOf(note), state, letter: undefined };
}

const countersOf = (note: unknown): Counters => ({ starts: count(note, 'starts'), stalls: count(note, 'stalls') });

function count(note: unknown, name: keyof Counters): number {
  const value = readSafely(note, name);
  return typeof value === 'number' ? value : 0;
}

/** The data to store with a job that has a state. */
export function envelopeOf(payload: unknown, state: RetryState, counters: Counters): Record<string, unknown> {
  const note = { state, ...counters };
  return isPlain(payload) && !Object.hasOwn(payload, KEY) ? { ...payload, [KEY]: note } : { [KEY]: { ...note, payload } };
}

/** The data to store with a job that is dead. */
export const coffinOf = (letter: DeadLetter, counters: Counters): object => ({ ...letter, [KEY]: counters });

/**
 * The state that a job begins with when a worker has it: a dead one is new again.
 *
 * @throws {RangeError} if it came back as often as is allowed
 */
export const stateIn = ({ state, letter }: Opened, maxRedrives: number): RetryState | null =>
  letter === undefined ? state : redriveState(letter, { maxRedrives });

/** The wait that was decided on last, as far as it is still ahead; 0 if none is known. Never longer than it was, whatever the clocks say. */
export function waitLeft(state: RetryState, now: number): number {
  const log = readSafely(state, 'log');
  const last = Array.isArray(log) ? (log.at(-1) as DecisionRecord | undefined) : undefined;
  return last?.action === 'retry' ? Math.min(Math.max(last.retryAt - now, 0), last.delayMs) : 0;
}
