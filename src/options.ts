import { anObject, fault, type Rule } from './assert.js';

/** Collects all that is wrong with some options, so that it is told in one message. */
export class Faults {
  readonly #subject: string;
  readonly #errors: Error[] = [];

  constructor(subject: string) {
    this.#subject = subject;
  }

  /** Checks a value that may be absent: undefined is. */
  check(name: string, value: unknown, rule?: Rule): void {
    const error = value === undefined ? undefined : fault(name, value, rule);
    if (error !== undefined) this.#errors.push(error);
  }

  /** The options themselves, if they are an object, with names that are all known; no options if they are none. */
  names<T extends object>(name: string, options: T | undefined, known: readonly string[], path = ''): Partial<T> {
    this.check(name, options, anObject);
    for (const given in options) {
      if (known.includes(given)) continue;
      this.#errors.push(new TypeError(`unknown option ${path}${given} (did you mean ${path}${nearest(given, known)}?)`));
    }
    return options ?? {};
  }

  /** A TypeError if one of the faults is of type, else a RangeError. */
  throwIfAny(): void {
    if (this.#errors.length === 0) return;
    const Together = this.#errors.some((error) => error instanceof TypeError) ? TypeError : RangeError;
    throw new Together(`invalid ${this.#subject}: ${this.#errors.map((error) => error.message).join('; ')}`);
  }
}

/** The known name that has most of the given one's three-letter pieces. */
function nearest(given: string, known: readonly string[]): string | undefined {
  const letters = given.toLowerCase();
  const likeness = (name: string) => [...letters].filter((_, i) => name.toLowerCase().includes(letters.slice(i, i + 3))).length;
  return [...known].sort((a, b) => likeness(b) - likeness(a))[0];
}
