import { aFunction, mustBe } from './assert.js';
import type { RandomSource } from './jitter.js';
import { type Override, overrides } from './override.js';

const TWO_32 = 0x1_0000_0000;
const TWO_53 = 0x20_0000_0000_0000;
const POOL_WORDS = 256; // an unpooled draw from Web Crypto costs several microseconds

/**
 * A source of uniform integers made of a source of uniform 32-bit words: each draw takes 53 bits, and those that would favour the
 * low numbers are drawn again (rejection sampling), so that no number of the range is likelier than another.
 */
export function uniformFrom(word: () => number): RandomSource {
  return (min, max) => {
    const span = spanOf(min, max);
    const limit = TWO_53 - (TWO_53 % span);
    let bits: number;
    do bits = (word() & 0x1fffff) * TWO_32 + (word() >>> 0);
    while (bits >= limit);
    return min + (bits % span);
  };
}

/** How many integers a range has. A range that is none is refused. */
export function spanOf(min: number, max: number): number {
  mustBe('min', min, { words: 'a safe integer', holds: Number.isSafeInteger });
  const most = min + Number.MAX_SAFE_INTEGER;
  mustBe('max', max, {
    words: `a safe integer in [${min}, ${most}]`,
    holds: (n: number) => Number.isSafeInteger(n) && n >= min && n <= most,
  });
  return max - min + 1;
}

let pool: Uint32Array<ArrayBuffer> | undefined;
let taken = POOL_WORDS;

function secureWord(): number {
  if (taken === POOL_WORDS) {
    pool ??= new Uint32Array(POOL_WORDS);
    if (typeof globalThis.crypto?.getRandomValues === 'function') crypto.getRandomValues(pool);
    else
      pool.forEach((_, i, words) => {
        words[i] = Math.random() * TWO_32;
      });
    taken = 0;
  }
  return (pool as Uint32Array)[taken++] as number;
}

/** What runs draw from unless they are told otherwise. */
export const secureRandom: RandomSource = /* @__PURE__ */ uniformFrom(secureWord);

/**
 * The production source of chance: uniform integers in [min, max], both ends included, from Web Crypto, unbiased (rejection
 * sampling), for ranges up to `Number.MAX_SAFE_INTEGER`. It cannot be seeded or frozen: tests inject their own source, or put one in its
 * place with `overrideDefaults` of `retry-policy/testing`.
 *
 * A runtime without Web Crypto (some React Native engines) gets words made by `Math.random`, which are good enough to spread waits.
 *
 * @throws {TypeError} if an end is not a number
 * @throws {RangeError} if an end is not a safe integer, `min > max`, or the range is wider than 2^53 - 1
 * @see https://www.w3.org/TR/WebCryptoAPI/#Crypto-method-getRandomValues
 * @example
 * cryptoRandom(3, 3) // => 3
 * cryptoRandom(1, 6) >= 1 && cryptoRandom(1, 6) <= 6 // => true
 */
export const cryptoRandom: RandomSource = (min, max) => randomOfRun(cryptoRandom, overrides().inForce)(min, max);

/** The source that a run draws from to its end, whatever is put in place of the cryptographic one meanwhile. */
export const randomOfRun = (random: RandomSource, override: Override | undefined): RandomSource =>
  random === cryptoRandom ? (override?.random ?? secureRandom) : random;

/**
 * Adapts a source of fractions in [0, 1), such as `Math.random`, to integers in [min, max], both ends included.
 *
 *     min + floor(unit() * (max - min + 1))
 *
 * Ranges that are wide against the resolution of `unit` (2^-52 or so for `Math.random`) do not reach every number.
 *
 * @param unit  answers numbers in [0, 1)
 * @throws {TypeError} if `unit` is not a function; from the source, if `unit` answers no number
 * @throws {RangeError} from the source, if `unit` answers outside [0, 1), or the range is malformed (as for {@link cryptoRandom})
 * @example
 * randomFrom(() => 0)(1, 6) // => 1
 * randomFrom(() => 0.5)(1, 6) // => 4
 * randomFrom(() => 0.999)(1, 6) // => 6
 */
export function randomFrom(unit: () => number): RandomSource {
  mustBe('unit', unit, aFunction);
  return (min, max) => {
    const span = spanOf(min, max);
    const fraction = unit();
    mustBe('unit()', fraction, { words: 'a number in [0, 1)', holds: (n: number) => n >= 0 && n < 1 });
    return min + Math.floor(fraction * span);
  };
}

/** A random version 4 UUID (RFC 9562), also where `crypto.randomUUID` is missing, as in pages that were not served over https. */
export function randomUuid(): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (place) =>
    (place === 'x' ? secureRandom(0, 15) : secureRandom(8, 11)).toString(16),
  );
}
