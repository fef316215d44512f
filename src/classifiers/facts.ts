import { readSafely } from '../mark.js';

/** The string that stands under a name; an empty one if none does. */
export function textOf(node: unknown, name: 'code' | 'message' | 'name' | 'syscall'): string {
  const text = readSafely(node, name);
  return typeof text === 'string' ? text : '';
}

/** Whether a text begins with one of these, and then comes `end`. (A call, so that bundlers leave out what is not used.) */
export const anyOf = (texts: readonly string[], end = '$', flags = ''): RegExp => new RegExp(`^(${texts.join('|')})${end}`, flags);
