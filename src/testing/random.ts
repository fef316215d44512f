import { mustBe } from '../assert.js';
import type { RandomSource } from '../jitter.js';
import { uniformFrom } from '../random.js';

/**
 * A source that always answers `value`, rounded down and clamped into the asked range: 0 for the shortest waits, Infinity for the
 * longest.
 *
 * @param value  any number but NaN
 * @throws {TypeError} if it is no number
 * @throws {RangeError} if it is NaN
 * @example
 * fixedRandom(7)(0, 10) // => 7
 * fixedRandom(0)(500, 1_000) // => 500
 * fixedRandom(Infinity)(500, 1_000) // => 1_000
 */
export function fixedRandom(value: number): RandomSource {
  mustBe('value', value, { words: 'a number', holds: (n: number) => !Number.isNaN(n) });
  return (min, max) => Math.min(Math.max(Math.floor(value), min), max);
}

/**
 * A source that draws the same sequence for the same seed, uniform in [min, max], both ends included. The sequence is a promise until
 * the next major version. Not for secrets.
 *
 * @param seed  a safe integer
 * @throws {TypeError} if `seed` is no number
 * @throws {RangeError} if `seed` is no safe integer; from the source, if the range is malformed
 * @see https://prng.di.unimi.it/xoshiro128starstar.c (generator), https://prng.di.unimi.it/splitmix64.c (the idea of its seeding)
 * @example
 * const [one, other] = [seededRandom(42), seededRandom(42)]
 * one(1, 1_000_000) === other(1, 1_000_000) // => true
 * one(1, 1_000_000) === other(1, 1_000_000) // => true
 */
export function seededRandom(seed: number): RandomSource {
  mustBe('seed', seed, { words: 'a safe integer', holds: Number.isSafeInteger });
  return uniformFrom(xoshiro128(seed));
}

/** xoshiro128** by Blackman and Vigna: 32-bit words of period 2^128 - 1. */
function xoshiro128(seed: number): () => number {
  const [low, high] = [scramble(seed | 0), scramble(Math.floor(seed / 0x1_0000_0000))];
  let [a, b, c, d] = [low(), low(), high(), high()];
  return () => {
    const word = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return word;
  };
}

const rotateLeft = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/** Spreads 32 bits of a seed over words, so that neighbouring seeds start far apart: a counter through the 32-bit finalizer of MurmurHash3. */
function scramble(counter: number): () => number {
  return () => {
    counter = (counter + 0x9e3779b9) | 0;
    let word = Math.imul(counter ^ (counter >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    return word ^ (word >>> 16);
  };
}
