import { isObject, show } from '../assert.js';
import { messageOf } from '../failure.js';
import { readSafely } from '../mark.js';

/** What was thrown, as JSON: what a person needs to know of it, bounded, and not the thing itself. */
export interface ErrorRecord {
  /** The error's name; for what is no error, its class or its type. */
  readonly name: string;
  readonly message: string;
  readonly code?: string | number | undefined;
  readonly stack?: string | undefined;
  readonly cause?: ErrorRecord | undefined;
  /** The members of an AggregateError. */
  readonly errors?: readonly ErrorRecord[] | undefined;
}

const MOST_ERRORS = 16; // one error with all that lies behind it
const LONGEST = { name: 100, code: 100, message: 1_000, stack: 2_000 } as const;
const MOST_FIELDS = 20;

/**
 * Whatever was thrown as a record: at most 16 errors along causes and aggregates, messages up to 1,000 characters, stacks up to 2,000.
 * Never throws, and changes nothing; a cycle ends where it closes. Characters that JSON columns refuse (NUL, half a surrogate pair) become U+FFFD.
 *
 * @example
 * const record = toErrorRecord(Object.assign(new TypeError('fetch failed'), { code: 'E_FETCH', cause: 'no route' }))
 * record.name // => 'TypeError'
 * record.code // => 'E_FETCH'
 * record.cause // => { name: 'string', message: 'no route' }
 */
export function toErrorRecord(error: unknown): ErrorRecord {
  const above = new Set<unknown>();
  let left = MOST_ERRORS;
  const recordOf = (node: unknown): ErrorRecord | undefined => {
    if (above.has(node) || left === 0) return undefined;
    left -= 1;
    above.add(node);
    const record = { ...factsOf(node), ...behind(node, recordOf) };
    above.delete(node);
    return record;
  };
  return recordOf(error) as ErrorRecord;
}

function factsOf(node: unknown): ErrorRecord {
  const code = readSafely(node, 'code');
  const stack = readSafely(node, 'stack');
  return {
    name: plain(nameOf(node), LONGEST.name),
    message: plain(textOf(node), LONGEST.message),
    ...(typeof code === 'string' ? { code: plain(code, LONGEST.code) } : Number.isFinite(code) ? { code: code as number } : {}),
    ...(typeof stack === 'string' && stack !== '' ? { stack: plain(stack, LONGEST.stack) } : {}),
  };
}

function behind(node: unknown, recordOf: (node: unknown) => ErrorRecord | undefined): Pick<ErrorRecord, 'cause' | 'errors'> {
  if (!isObject(node)) return {};
  const cause = readSafely(node, 'cause') ?? undefined;
  const causeRecord = cause === undefined ? undefined : recordOf(cause);
  const members = nameOf(node) === 'AggregateError' ? listOf(readSafely(node, 'errors')) : [];
  const errors = members.map(recordOf).filter((record) => record !== undefined);
  return { ...(causeRecord && { cause: causeRecord }), ...(errors.length > 0 && { errors }) };
}

function listOf(list: unknown): unknown[] {
  const length = isObject(list) ? readSafely(list, 'length') : 0;
  return Array.from({ length: typeof length === 'number' ? Math.min(length, MOST_ERRORS) : 0 }, (_, i) => readSafely(list, i));
}

function nameOf(node: unknown): string {
  const name = readSafely(node, 'name');
  if (typeof name === 'string' && name !== '') return name;
  const className = readSafely(readSafely(node, 'constructor'), 'name');
  return isObject(node) && typeof className === 'string' && className !== '' ? className : node === null ? 'null' : typeof node;
}

/** A plain object that was thrown says by its fields what others say by a message. */
function textOf(node: unknown): string {
  if (typeof node === 'string') return node;
  const isSilent = isObject(node) && typeof readSafely(node, 'message') !== 'string';
  return isSilent && readSafely(node, 'constructor') === Object ? fieldsOf(node) : messageOf(node);
}

function fieldsOf(node: object): string {
  try {
    const names = Object.keys(node).slice(0, MOST_FIELDS);
    return `{ ${names.map((name) => `${name}: ${show(readSafely(node, name))}`).join(', ')} }`;
  } catch {
    return messageOf(node);
  }
}

const plain = (text: string, length: number): string => text.slice(0, length).replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
