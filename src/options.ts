import { anObject, fault, type Rule } from './assert.js';

/** The options that are known, each with its rule. */
export type Rules<T> = { readonly [Name in keyof T]-?: Rule };

/** Options while they are put together. */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Collects all that is wrong with some options, so that it is told in one message. */
export class Faults {
  readonly #subject: string;
  readonly #errors: Error[] = [];

  constructor(subject: string) {
    this.#subject = subject;
  }

  /** Options must be an object with known names. Answers them; an empty object in place of none. */
  names<T extends object>(name: string, options: T, rules: Rules<T>, path = ''): T {
    const noObject = fault(name, options, anObject);
    this.#note(noObject);
    if (noObject !== undefined) return {} as T;
    for (const given in options) {
      if (rules[given]?.words !== undefined) continue; // asked of the rule, since every object has a "constructor"
      this.#note(new TypeError(`unknown option ${path}${given} (${suggestion(given, Object.keys(rules), path)})`));
    }
    return options;
  }

  /** Each value must keep its rule, or be absent: undefined is. */
  values<T extends object>(options: T, rules: Rules<T>, path = ''): void {
    for (const name in rules) {
      if (options[name] !== undefined) this.#note(fault(name, options[name], rules[name], path));
    }
  }

  #note(error: Error | undefined): void {
    if (error !== undefined) this.#errors.push(error);
  }

  /** A TypeError if one of the faults is of type, else a RangeError. */
  throwIfAny(): void {
    if (this.#errors.length === 0) return;
    const Together = this.#errors.some((error) => error instanceof TypeError) ? TypeError : RangeError;
    throw new Together(`invalid ${this.#subject}: ${this.#errors.map((error) => error.message).join('; ')}`);
  }
}

/** The known name that is most like the given one, if it is like it at all: by the pairs of letters that they share (Dice). */
function suggestion(given: string, known: readonly string[], path: string): string {
  const likeness = (name: string) =>
    (2 * pairsOf(name).filter((pair) => pairsOf(given).includes(pair)).length) / (name.length + given.length - 2);
  const [nearest = ''] = [...known].sort((a, b) => likeness(b) - likeness(a));
  return likeness(nearest) > 0.5 ? `did you mean ${path}${nearest}?` : `known: ${known.join(', ')}`;
}

const pairsOf = (name: string): string[] => Array.from(name.toLowerCase().slice(1), (letter, i) => name.toLowerCase()[i] + letter);
