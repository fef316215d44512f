import { abortableWait } from '../abort.js';
import { aFunction, anInstant, mustBe } from '../assert.js';
import type { Clock } from '../clock.js';
import { micro } from '../decision.js';
import { type Timer, TimerQueue } from './timer-queue.js';
import { nextTurn } from './turn.js';

/** What waits on a virtual clock, and the instant at which it is due by `now()`. */
export interface PendingTimer {
  readonly dueAt: number;
  readonly kind: 'sleep' | 'timer';
}

/** A clock whose time moves only by being told or, with `autoAdvance`, when nothing else can happen. */
export interface VirtualClock extends Clock {
  /** Lets `ms` pass. Wakes what falls due by due time, then by arrival, and lets promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Lets time pass until `now()` is `at`; as `advance`. */
  advanceTo(at: number): Promise<void>;
  /** Moves `now()` by `ms`, back if negative, as a correction of the wall clock does; `monotonicNow()` and what waits stay. */
  jumpWallClock(ms: number): void;
  /** A machine that sleeps: `ms` pass at once, before this returns; then what fell due meanwhile wakes, late. */
  suspend(ms: number): Promise<void>;
  /** What waits, by due time, then by arrival. */
  readonly pending: readonly PendingTimer[];
}

/** How long a clock stands idle before it says that it is stuck, in turns: whoever is about to abort something may need a few. */
const IDLE_TURNS = 20;

/** Its public members are arrow functions, so that they can be taken off the clock and handed on. */
export class VirtualTime implements VirtualClock {
  readonly #movesByItself: boolean;
  readonly #timers = new TimerQueue();
  /** What `now()` was, or would have been after all corrections, when the clock was made. */
  #beganAt: number;
  #passedMs = 0;
  #isWatched = false;
  /** The last of the advances, each of which begins when the one before has ended. */
  #lastJourney = Promise.resolve();
  #isTravelling = false;
  /** Whom to tell when nothing can happen any more. */
  readonly #waitForIdle = new Set<() => void>();
  #idleTurns = 0;

  constructor(startAt: number, autoAdvance: boolean) {
    this.#beganAt = startAt;
    this.#movesByItself = autoAdvance;
  }

  readonly now = (): number => this.#beganAt + this.#passedMs;

  readonly monotonicNow = (): number => this.#passedMs;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => abortableWait(ms, (done) => this.#start('sleep', ms, done), signal);

  readonly schedule = (ms: number, callback: () => void): (() => void) => {
    mustBe('ms', ms);
    mustBe('callback', callback, aFunction);
    return this.#start('timer', ms, callback);
  };

  readonly advance = async (ms: number): Promise<void> => {
    mustBe('ms', ms);
    await this.#travel(() => this.#passedMs + ms);
  };

  readonly advanceTo = async (at: number): Promise<void> => {
    const now = this.now();
    mustBe('at', at, { words: `a finite number >= ${now}, which is now`, holds: (n: number) => n >= now && n < Infinity });
    await this.#travel(() => at - this.#beganAt);
  };

  readonly jumpWallClock = (ms: number): void => {
    mustBe('ms', ms, anInstant);
    this.#beganAt += ms;
  };

  readonly suspend = async (ms: number): Promise<void> => {
    mustBe('ms', ms);
    this.#passTo(this.#passedMs + ms);
    await this.#travel(() => this.#passedMs);
  };

  get pending(): readonly PendingTimer[] {
    return this.#timers.inOrder().map(({ dueMs, kind }) => ({ dueAt: this.#beganAt + dueMs, kind }));
  }

  /** Calls back when nothing can happen any more on a clock that moves by itself; no other clock can tell. Returns what takes it off. */
  static whenIdle(clock: Clock, callback: () => void): () => void {
    if (!(#waitForIdle in clock)) return () => {};
    clock.#waitForIdle.add(callback);
    clock.#watch();
    return () => clock.#waitForIdle.delete(callback);
  }

  #start(kind: Timer['kind'], ms: number, wake: () => void): () => void {
    this.#watch();
    return this.#timers.add({ kind, dueMs: micro(this.#passedMs + ms), wake });
  }

  #travel(toMs: () => number): Promise<void> {
    const journey = this.#lastJourney.then(() => this.#go(toMs()));
    this.#lastJourney = journey.catch(() => {});
    return journey;
  }

  async #go(toMs: number): Promise<void> {
    this.#isTravelling = true;
    try {
      await new Promise<void>(nextTurn);
      while (this.#isDueBy(toMs)) {
        this.#wakeFirst();
        await new Promise<void>(nextTurn);
      }
      this.#passTo(toMs);
    } finally {
      this.#isTravelling = false;
      this.#watch();
    }
  }

  /** Has a look at what is to happen next, once everything has settled that can without it. */
  #watch(idleTurns = 0): void {
    this.#idleTurns = idleTurns;
    if (this.#isWatched) return;
    this.#isWatched = true;
    nextTurn(() => {
      this.#isWatched = false;
      if (!this.#isTravelling) this.#goOn();
    });
  }

  #goOn(): void {
    if (this.#isDueBy(this.#movesByItself ? Infinity : this.#passedMs)) {
      this.#watch(); // first, since what wakes may throw
      this.#wakeFirst();
    } else if (this.#movesByItself && this.#waitForIdle.size > 0) {
      if (this.#idleTurns < IDLE_TURNS) this.#watch(this.#idleTurns + 1);
      else for (const callback of this.#waitForIdle) callback();
    }
  }

  #isDueBy(ms: number): boolean {
    return this.#timers.first !== undefined && this.#timers.first.dueMs <= ms;
  }

  #wakeFirst(): void {
    const { dueMs, wake } = this.#timers.takeFirst();
    this.#passTo(dueMs);
    wake();
  }

  /** Time never goes back: what wakes late does not take it along. */
  #passTo(ms: number): void {
    this.#passedMs = Math.max(this.#passedMs, micro(ms));
  }
}
