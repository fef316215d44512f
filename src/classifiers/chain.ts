import { isObject } from '../assert.js';
import { markOf, readSafely } from '../mark.js';
import { isAbortLike } from './abort-like.js';

const MOST = 100; // objects; no honest chain has as many

/**
 * What an error says, or the first of its causes that says something. An aggregate says what its members say together. Cycles end, and so
 * does what is endless.
 *
 * @param look  what a single one says of itself, if it says anything
 * @param together  what the members of an aggregate say together
 * @param ends  whether there is nothing more to ask, wherever in the chain this one stands; the answer is `end` then
 */
export function readChain<S>(
  error: unknown,
  look: (node: unknown) => S | undefined,
  together: (said: readonly (S | undefined)[]) => S,
  ends: (node: object) => boolean,
  end: S,
): S | undefined {
  const above = new Set<unknown>();
  let left = MOST;
  let isEnded = false;
  const ask = (node: unknown): S | undefined => {
    if (above.has(node) || left === 0) return undefined;
    left -= 1;
    if (!isObject(node)) return look(node);
    isEnded ||= ends(node);
    if (isEnded) return undefined;
    above.add(node);
    const members = membersOf(node);
    const own = members.length > 0 ? together(members.map(ask)) : look(node);
    const cause = causeOf(node);
    const below = cause === undefined ? undefined : ask(cause);
    above.delete(node);
    return own ?? below;
  };
  const said = ask(error);
  return isEnded ? end : said;
}

/** Some clients set it to null. */
export const causeOf = (node: unknown): unknown => readSafely(node, 'cause') ?? undefined;

function membersOf(node: object): unknown[] {
  if (readSafely(node, 'name') !== 'AggregateError') return [];
  const errors = readSafely(node, 'errors');
  const length = readSafely(errors, 'length');
  return Array.from({ length: typeof length === 'number' ? Math.min(length, MOST) : 0 }, (_, i) => readSafely(errors, i));
}

/** Whether somebody wants an end: it was aborted, or bears the permanent mark, as a dead letter does. */
export const isRefused = (node: object): boolean => markOf(node) === 'permanent' || isAbortLike(node);

/** Whether an error says so of itself, or a cause of it does. An aggregate does if each member does; what is refused says nothing. */
export const says = (error: unknown, look: (node: unknown) => boolean): boolean =>
  readChain(
    error,
    (node) => look(node) || undefined,
    (members) => members.every(Boolean),
    isRefused,
    false,
  ) === true;
