import fc from 'fast-check';
import type { Clock } from 'retry-policy';
import { describe, expect, it, vi } from 'vitest';
import { between, Stopwatch } from '../src/stopwatch.js';

class Timed extends Stopwatch {
  constructor(readonly clock: Clock) {
    super();
  }
}

const clockOf = (members: Partial<Record<keyof Clock, unknown>>): Clock =>
  ({ now: () => 0, monotonicNow: () => 0, sleep: async () => {}, schedule: () => () => {}, ...members }) as Clock;

/** A stopwatch on a clock that shows these readings, one after the other. */
const stopwatchOn = (...readings: unknown[]): Stopwatch => new Timed(clockOf({ monotonicNow: () => readings.shift() }));

const lapsOf = (...readings: number[]): number[] => {
  const stopwatch = stopwatchOn(...readings);
  return readings.map(() => stopwatch.elapsedMs());
};

describe('between two instants', () => {
  it.each([
    [0, 0, 0],
    [1_000, 1_250, 250],
    [-500, 500, 1_000],
    [0.1, 0.4, 0.3], // and not 0.30000000000000004
    [0, 1.2344, 1.234],
    [0, 1.2346, 1.235],
    [0, 0.0004, 0],
    [0, 0.0006, 0.001],
    [1_250, 1_000, 0], // a clock that went back counts as no time
    [0, -0.0001, 0],
    [0, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('from %d ms to %d ms it is %d ms', (fromMs, toMs, ms) => {
    expect(between(fromMs, toMs)).toBe(ms);
  });

  it('is never negative or NaN, and at most half a microsecond off', () => {
    const instants = fc.double({ min: -1e9, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(instants, instants, (fromMs, toMs) => {
        const ms = between(fromMs, toMs);
        expect(ms).toBeGreaterThanOrEqual(0);
        if (toMs >= fromMs) expect(Math.abs(ms - (toMs - fromMs))).toBeLessThanOrEqual(0.000_501);
        else expect(ms).toBe(0);
      }),
    );
  });
});

describe('elapsed time', () => {
  it('counts from the first question, in whole microseconds', () => {
    expect(lapsOf(5_000, 5_000, 5_000.1, 5_000.3001, 6_500)).toEqual([0, 0, 0.1, 0.3, 1_500]);
  });

  it('counts from 0 and from before 0 as well', () => {
    expect(lapsOf(0, 10)).toEqual([0, 10]);
    expect(lapsOf(-10, 10)).toEqual([0, 20]);
  });

  it('is no time on a clock that stands before its beginning', () => {
    expect(lapsOf(1_000, 400, 1_200)).toEqual([0, 0, 200]);
  });

  it.each([NaN, Infinity, -Infinity])('refuses a clock that shows %d, at first or later', (reading) => {
    const fault = new RangeError(`clock.monotonicNow() must be a finite number, got ${reading}`);
    expect(() => stopwatchOn(reading).elapsedMs()).toThrow(fault);
    const stopwatch = stopwatchOn(0, reading, 10);
    stopwatch.elapsedMs();
    expect(() => stopwatch.elapsedMs()).toThrow(fault);
    expect(stopwatch.elapsedMs()).toBe(10);
  });

  it.each([undefined, null, '5', {}, 5n, new Date(0)])('refuses a clock that shows no number: %s', (reading) => {
    expect(() => stopwatchOn(reading).elapsedMs()).toThrow(TypeError);
    expect(() => stopwatchOn(reading).elapsedMs()).toThrow(/^clock\.monotonicNow\(\) must be a finite number, got /);
  });
});

describe('the wall clock', () => {
  it.each([0, -1, 1_768_438_800_000, 0.5])('is read as it is: %d', (now) => {
    expect(new Timed(clockOf({ now: () => now })).wallClock()).toBe(now);
  });

  it.each([
    [NaN, RangeError],
    [Infinity, RangeError],
    [undefined, TypeError],
    ['2026-01-15', TypeError],
    [new Date(0), TypeError],
  ])('is refused where it shows %s', (now, Fault) => {
    const read = () => new Timed(clockOf({ now: () => now })).wallClock();
    expect(read).toThrow(Fault);
    expect(read).toThrow(/^clock\.now\(\) must be a finite number, got /);
  });
});

describe('timers and waits', () => {
  it('hands a timer on to the clock, and its cancel back', () => {
    const cancel = () => {};
    const schedule = vi.fn(() => cancel);
    const callback = () => {};
    expect(new Timed(clockOf({ schedule })).schedule(250, callback)).toBe(cancel);
    expect(schedule.mock.calls).toEqual([[250, callback]]);
  });

  it.each([undefined, null, 17, {}])('refuses a clock whose timer cannot be cancelled: %s', (cancel) => {
    const stopwatch = new Timed(clockOf({ schedule: () => cancel }));
    expect(() => stopwatch.schedule(1, () => {})).toThrow(TypeError);
    expect(() => stopwatch.schedule(1, () => {})).toThrow(/^clock\.schedule\(\) must be a function, got /);
  });

  it('hands a wait on to the clock with the signal, and its promise back', () => {
    const slept = Promise.resolve();
    const sleep = vi.fn(() => slept);
    const { signal } = new AbortController();
    const stopwatch = new Timed(clockOf({ sleep }));
    expect(stopwatch.sleep(250, signal)).toBe(slept);
    expect(stopwatch.sleep(0, undefined)).toBe(slept);
    expect(sleep.mock.calls).toEqual([
      [250, signal],
      [0, undefined],
    ]);
  });

  // A clock that answers no promise would make a busy loop of the waits.
  it.each([undefined, null, 17, {}, () => {}])('refuses a clock whose wait is no promise: %s', (slept) => {
    const stopwatch = new Timed(clockOf({ sleep: () => slept }));
    expect(() => stopwatch.sleep(1, undefined)).toThrow(TypeError);
    expect(() => stopwatch.sleep(1, undefined)).toThrow(/clock\.sleep\(\)/);
  });

  it('calls each member as a method of its clock', () => {
    class OwnClock {
      readonly shownMs = 40;
      now(): number {
        return this.shownMs;
      }
      monotonicNow(): number {
        return this.shownMs;
      }
      sleep(): Promise<void> {
        return Promise.resolve(void this.shownMs);
      }
      schedule(): () => void {
        const { shownMs } = this;
        return () => void shownMs;
      }
    }
    const stopwatch = new Timed(new OwnClock());
    expect(stopwatch.wallClock()).toBe(40);
    expect(stopwatch.elapsedMs()).toBe(0);
    expect(() => stopwatch.schedule(1, () => {})).not.toThrow();
    expect(() => stopwatch.sleep(1, undefined)).not.toThrow();
  });
});
