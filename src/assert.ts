/** What a value must be: the `typeof` it must have, the rule in words (they complete "must be …"), and the check behind the words. */
export interface Rule {
  readonly type: 'number' | 'string' | 'function' | 'object' | 'boolean';
  readonly words: string;
  /** Asked only about values of the right type. */
  readonly holds?: (value: never) => boolean;
}

export const count: Rule = { type: 'number', words: 'an integer >= 1', holds: (n: number) => Number.isInteger(n) && n >= 1 };
export const duration: Rule = { type: 'number', words: 'a finite number >= 0', holds: (n: number) => n >= 0 && n < Infinity };
export const growth: Rule = { type: 'number', words: 'a finite number >= 1', holds: (n: number) => n >= 1 && n < Infinity };
export const instant: Rule = { type: 'number', words: 'a finite number', holds: Number.isFinite };
export const flag: Rule = { type: 'boolean', words: 'a boolean' };
export const func: Rule = { type: 'function', words: 'a function' };
export const record: Rule = {
  type: 'object',
  words: 'an object',
  holds: (value: object | null) => value !== null && !Array.isArray(value),
};

/** Collects every fault of one input, so that they are told together: a TypeError if one of them is of type, else a RangeError. */
export class Faults {
  readonly #subject: string;
  readonly #texts: string[] = [];
  #ofType = false;

  /** @param subject  what is checked, as the message names it */
  constructor(subject: string) {
    this.#subject = subject;
  }

  add(text: string, ofType: boolean): void {
    this.#texts.push(text);
    this.#ofType ||= ofType;
  }

  /** Whether `value` keeps `rule`; a fault is noted if not. */
  check(name: string, value: unknown, { type, words, holds }: Rule): boolean {
    const rightType = typeof value === type && value !== null;
    const kept = rightType && (!holds || holds(value as never));
    if (!kept) this.add(`${name} must be ${words}, got ${show(value)}`, !rightType);
    return kept;
  }

  /** As `check`, for a value that may be left out. */
  checkOptional(name: string, value: unknown, rule: Rule): void {
    if (value !== undefined) this.check(name, value, rule);
  }

  /** Checks that `options` is an object with no names but the known ones, and returns it; an empty object in place of anything else. */
  options<T extends object>(name: string, options: T, known: readonly string[], path = ''): Partial<T> {
    if (!this.check(name, options, record)) return {};
    for (const given in options) {
      if (!known.includes(given)) this.add(`unknown option ${path}${given}${suggestion(given, known)}`, true);
    }
    return options;
  }

  throwIfAny(): void {
    if (this.#texts.length === 0) return;
    const message = `${this.#subject}: ${this.#texts.join('; ')}`;
    throw this.#ofType ? new TypeError(message) : new RangeError(message);
  }
}

/** One check that stands alone. */
export function mustBe(subject: string, name: string, value: unknown, rule: Rule): void {
  const faults = new Faults(subject);
  faults.check(name, value, rule);
  faults.throwIfAny();
}

/** Any value as a short text for a message; never throws. */
export function show(value: unknown): string {
  try {
    if (typeof value === 'function') return `function ${value.name}`;
    if (Array.isArray(value)) return `[${value}]`;
    return typeof value === 'string' ? JSON.stringify(value) : String(value);
  } catch {
    return `an unprintable ${typeof value}`;
  }
}

/** The known name that shares the most pairs of neighbouring letters (Dice's coefficient). */
function suggestion(given: string, known: readonly string[]): string {
  const pairs = (name: string) => new Set(Array.from(name.toLowerCase().slice(1), (letter, i) => name[i]?.toLowerCase() + letter));
  const mine = pairs(given);
  const likeness = (name: string) => {
    const theirs = pairs(name);
    return [...theirs].filter((pair) => mine.has(pair)).length / (mine.size + theirs.size);
  };
  const nearest = known.reduce((best, name) => (likeness(name) > likeness(best) ? name : best));
  return likeness(nearest) > 0 ? ` (did you mean ${nearest}?)` : ` (known: ${known.join(', ')})`;
}
