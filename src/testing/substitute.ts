import type { Clock } from '../clock.js';
import { draw, type RandomSource } from '../jitter.js';
import { type Override, overrides } from '../override.js';
import { spanOf } from '../random.js';
import { nextTurn } from './turn.js';

/** The clock as it stands in for others: it may build on what it replaces. */
export function substituteClock(clock: Clock, replaced: Override | undefined): Clock {
  const guardTurn = guardOfTurns();
  return {
    ...clock,
    now: uncovering(replaced, () => clock.now()),
    monotonicNow: uncovering(replaced, () => clock.monotonicNow()),
    sleep: uncovering(replaced, (ms: number, signal?: AbortSignal) => {
      guardTurn();
      return clock.sleep(ms, signal);
    }),
    schedule: uncovering(replaced, (ms: number, callback: () => void) => clock.schedule(ms, callback)),
  };
}

/** The source as it stands in for another, with the checks that the other one makes. */
export const substituteSource = (random: RandomSource, replaced: Override | undefined): RandomSource =>
  uncovering(replaced, (min, max) => {
    spanOf(min, max);
    return draw([min, max], random);
  });

/** Has what is replaced in force while the substitute is asked. */
function uncovering<Arguments extends unknown[], Answer>(replaced: Override | undefined, ask: (...args: Arguments) => Answer) {
  return (...args: Arguments): Answer => {
    const all = overrides();
    const { inForce } = all;
    all.inForce = replaced;
    try {
      return ask(...args);
    } finally {
      all.inForce = inForce;
    }
  };
}

/** More than any code under test waits for at once. */
const MOST_SLEEPS_IN_A_TURN = 250_000;

/** Throws where sleeps without end are asked for in one turn, as by a clock that waits on what it replaces once it has awaited something. */
function guardOfTurns(): () => void {
  let sleeps = 0;
  return () => {
    if (sleeps === 0) {
      nextTurn(() => {
        sleeps = 0;
      });
    }
    sleeps += 1;
    if (sleeps <= MOST_SLEEPS_IN_A_TURN) return;
    throw new Error('the clock of this override waits on the system clock, and so on itself: it must not await before');
  };
}
