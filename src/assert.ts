/** What a value must be. */
export interface Rule {
  /** The rule in words that complete "must be …". */
  readonly words: string;
  /** Asked only about values of the right type. */
  readonly holds: (value: never) => boolean;
  /** What `typeof` must say; default `'number'`. */
  readonly type?: string;
}

const always = (): boolean => true;

export const aDuration: Rule = { words: 'a finite number >= 0', holds: (n: number) => n >= 0 && n < Infinity };
export const aCount: Rule = { words: 'an integer >= 1', holds: (n: number) => n >= 1 && Number.isInteger(n) };
export const aFactor: Rule = { words: 'a finite number >= 1', holds: (n: number) => n >= 1 && n < Infinity };
export const anInstant: Rule = { words: 'a finite number', holds: (n: number) => Number.isFinite(n) };
export const aFunction: Rule = { words: 'a function', holds: always, type: 'function' };
export const anObject: Rule = { words: 'an object', holds: always, type: 'object' };
export const aBoolean: Rule = { words: 'a boolean', holds: always, type: 'boolean' };

/**
 * What is wrong with a value, as the error to throw: a TypeError if it is of the wrong type or the wrong kind of object, a RangeError if
 * it breaks the rule, undefined if it keeps it.
 */
export function fault(name: string, value: unknown, { words, holds, type = 'number' }: Rule = aDuration, path = ''): Error | undefined {
  const rightType = typeof value === type && value !== null;
  if (rightType && holds(value as never)) return undefined;
  const Fault = rightType && !isObject(value) ? RangeError : TypeError;
  return new Fault(`${path}${name} must be ${words}, got ${show(value)}`);
}

/** Throws what `fault` finds. */
export function mustBe(name: string, value: unknown, rule?: Rule): void {
  const error = fault(name, value, rule);
  if (error) throw error;
}

/** Refuses the options that are left when all known ones are taken. */
export function noOthers(others: object, known: string): void {
  for (const name in others) throw new TypeError(`unknown option ${name} (known: ${known})`);
}

/** Options that may be left out. What is no object would pass as if it said nothing. */
export function optionsOf<T extends object>(options: T | undefined): Partial<T> {
  if (options === undefined) return {};
  mustBe('options', options, anObject);
  return options;
}

/** For an answer that must not be a promise, and may be one: its rejection must not end the process. */
export function quiet(answer: unknown): void {
  Promise.resolve(answer).catch(() => {});
}

/** Any value as a short text for a message; never throws. */
export const show = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : isObject(value) ? typeof value : String(value);

export const isObject = (value: unknown): value is object => Object(value) === value;
