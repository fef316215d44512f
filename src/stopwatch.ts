import { aFunction, anInstant, mustBe } from './assert.js';
import type { Clock } from './clock.js';
import { micro } from './decision.js';

/** The time from one instant to another in whole microseconds. A clock that went back counts as no time. */
export const between = (fromMs: number, toMs: number): number => Math.max(0, micro(toMs - fromMs));

/** Measures one run on the caller's clock, whose answers are checked: NaN would lift every limit. */
export abstract class Stopwatch {
  protected abstract readonly clock: Clock;
  #beganAt: number | undefined;

  /** Time since it was first asked. */
  elapsedMs(): number {
    const now = finite('clock.monotonicNow()', this.clock.monotonicNow());
    this.#beganAt ??= now;
    return between(this.#beganAt, now);
  }

  wallClock(): number {
    return finite('clock.now()', this.clock.now());
  }

  schedule(ms: number, callback: () => void): () => void {
    const cancel = this.clock.schedule(ms, callback);
    mustBe('clock.schedule()', cancel, aFunction);
    return cancel;
  }

  sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const slept = this.clock.sleep(ms, signal);
    mustBe('clock.sleep().then', slept?.then, aFunction);
    return slept;
  }
}

function finite(name: string, reading: number): number {
  if (!Number.isFinite(reading)) mustBe(name, reading, anInstant);
  return reading;
}
