import { aFunction, mustBe, noOthers, quiet, show } from './assert.js';

/**
 * A uniform integer in [min, max], both ends included. `min` and `max` are safe integers with `min <= max`.
 *
 * Any other answer is refused with a RangeError, so that `Math.random`, which has the right type, cannot switch the backoff off
 * unseen: adapt it with `randomFrom`.
 */
export type RandomSource = (min: number, max: number) => number;

/** Both ends of a draw, in whole milliseconds. */
export type DrawRange = readonly [min: number, max: number];

/** Whole milliseconds, and no more than an integer can count. */
export const wholeMs = (ms: number): number => Math.min(Math.floor(ms), Number.MAX_SAFE_INTEGER);

export const fullRange = (delayMs: number): DrawRange => [0, wholeMs(delayMs)];

export const equalRange = (delayMs: number): DrawRange => [Math.min(Math.ceil(delayMs / 2), wholeMs(delayMs)), wholeMs(delayMs)];

/** The cap cuts the range and not the result; cut results would pile up on the cap. */
export const decorrelatedRange = (previousDelayMs: number, baseMs: number, capMs: number): DrawRange => {
  const least = Math.ceil(baseMs);
  const max = wholeMs(Math.min(capMs, Math.max(least, 3 * previousDelayMs)));
  return [Math.min(least, max), max];
};

/** Draws from the range and checks the answer. A range of one number is not drawn from. */
export function draw([min, max]: DrawRange, random: RandomSource): number {
  mustBe('random', random, aFunction);
  if (min === max) return min;
  const drawn = random(min, max);
  if (Number.isInteger(drawn) && drawn >= min && drawn <= max) return drawn;
  quiet(drawn);
  throw new RangeError(`random must answer an integer in [${min}, ${max}] (adapt Math.random with randomFrom), got ${show(drawn)}`);
}

/**
 * Full jitter: any wait up to the given one, each as likely as the other.
 *
 *     random(0, delayMs)
 *
 * It spreads clients that failed together best, and may well draw 0: for a wait that is never short, take {@link equalJitter}.
 *
 * @param delayMs  the longest wait in milliseconds, finite, >= 0; a fraction is cut off, and it draws from [0, 2^53 - 1] at the most
 * @param random  draws the integer
 * @returns whole milliseconds in [0, delayMs]
 * @throws {TypeError} if an argument is of the wrong type
 * @throws {RangeError} if `delayMs` is out of range, or `random` answers anything but an integer in the asked range
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ ("Full Jitter")
 * @example
 * fullJitter(10, () => 7) // => 7
 * fullJitter(10, (min, max) => max) // => 10
 * fullJitter(0, (min, max) => max) // => 0
 */
export function fullJitter(delayMs: number, random: RandomSource): number {
  mustBe('delayMs', delayMs);
  return draw(fullRange(delayMs), random);
}

/**
 * Equal jitter: at least half of the given wait, the rest by chance.
 *
 *     random(ceil(delayMs / 2), delayMs)
 *
 * @param delayMs  the longest wait in milliseconds, finite, >= 0; a fraction is cut off (below 1 ms the wait is 0)
 * @param random  draws the integer
 * @returns whole milliseconds in [delayMs / 2, delayMs]
 * @throws {TypeError} if an argument is of the wrong type
 * @throws {RangeError} if `delayMs` is out of range, or `random` answers anything but an integer in the asked range
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ ("Equal Jitter")
 * @example
 * equalJitter(1_000, (min, max) => min) // => 500
 * equalJitter(1_000, (min, max) => max) // => 1_000
 */
export function equalJitter(delayMs: number, random: RandomSource): number {
  mustBe('delayMs', delayMs);
  return draw(equalRange(delayMs), random);
}

/**
 * Decorrelated jitter: grows from the previous wait instead of the attempt number.
 *
 *     random(baseMs, min(capMs, 3 * previousDelayMs))
 *
 * The cap limits the range that is drawn from, not the result: `min(cap, random(base, 3 * previous))` would put about four waits of
 * ten exactly on the cap in a long outage. Where the cap is below the base, every wait is the cap.
 *
 * @param previousDelayMs  the wait before this one in milliseconds, finite, >= 0; before the first wait, `baseMs`
 * @param options  `baseMs` and `capMs` in milliseconds, finite, >= 0
 * @param random  draws the integer
 * @returns whole milliseconds in [min(baseMs, capMs), capMs]
 * @throws {TypeError} if a value is of the wrong type, a name is unknown, or `baseMs` or `capMs` is missing
 * @throws {RangeError} if a value is out of range, or `random` answers anything but an integer in the asked range
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ ("Decorrelated Jitter")
 * @example
 * decorrelatedJitter(2_000, { baseMs: 2_000, capMs: 60_000 }, (min, max) => max) // => 6_000
 * decorrelatedJitter(50_000, { baseMs: 2_000, capMs: 60_000 }, (min, max) => max) // => 60_000
 * decorrelatedJitter(50_000, { baseMs: 2_000, capMs: 60_000 }, (min, max) => min) // => 2_000
 */
export function decorrelatedJitter(
  previousDelayMs: number,
  options: { readonly baseMs: number; readonly capMs: number },
  random: RandomSource,
): number {
  const { baseMs, capMs, ...others } = Object(options) as typeof options;
  mustBe('previousDelayMs', previousDelayMs);
  mustBe('baseMs', baseMs);
  mustBe('capMs', capMs);
  noOthers(others, 'baseMs, capMs');
  return draw(decorrelatedRange(previousDelayMs, baseMs, capMs), random);
}
