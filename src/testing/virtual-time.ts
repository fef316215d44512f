import { abortableWait } from '../abort.js';
import { aFunction, anInstant, mustBe } from '../assert.js';
import { micro } from '../decision.js';
import { WHEN_IDLE } from './idle.js';
import { epochMs } from './instant.js';
import { type Timer, TimerQueue } from './timer-queue.js';
import { nextTurn } from './turn.js';

/** How many turns pass before time does, by what is due: work that takes several is not overtaken, least of all by a time limit. */
const TURNS_BEFORE = { sleep: 3, timer: 10 } as const;

/** How many turns a clock stands idle before it says so: whoever is about to abort something may need a few. */
const TURNS_BEFORE_STUCK = 1_000;

/** A `VirtualClock`. Its public members are arrow functions, so that they can be taken off it and handed on. */
export class VirtualTime {
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
  readonly #whenIdle = new Set<() => void>();
  /** Turns in which nobody asked for a timer. */
  #quietTurns = 0;

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

  readonly advanceTo = async (instant: number | Date): Promise<void> => {
    const at = epochMs(instant);
    await this.#travel(() => {
      const now = this.now();
      mustBe('at', at, { words: `a finite number >= ${now}, which is now`, holds: (n: number) => n >= now && n < Infinity });
      return at - this.#beganAt;
    });
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

  get pending(): readonly { readonly dueAt: number; readonly kind: Timer['kind'] }[] {
    return this.#timers.inOrder().map(({ dueMs, kind }) => ({ dueAt: this.#beganAt + dueMs, kind }));
  }

  readonly [WHEN_IDLE] = (callback: () => void): (() => void) => {
    this.#whenIdle.add(callback);
    this.#watch();
    return () => this.#whenIdle.delete(callback);
  };

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
      do await new Promise<void>(nextTurn);
      while (this.#step(toMs));
      this.#passTo(toMs);
    } finally {
      this.#isTravelling = false;
      this.#watch();
    }
  }

  /** Has a look at what is to happen next, once everything has settled that can without it. */
  #watch(): void {
    this.#quietTurns = 0;
    if (!this.#isWatched) this.#look();
  }

  #look(): void {
    this.#isWatched = true;
    nextTurn(this.#turn);
  }

  readonly #turn = (): void => {
    this.#isWatched = false;
    if (this.#isTravelling) return;
    let goesOn = true;
    try {
      goesOn = this.#step(this.#movesByItself ? Infinity : this.#passedMs) || this.#standsIdle();
    } finally {
      if (goesOn) this.#look();
    }
  };

  /** Wakes what is due first by then; where that takes time, not before the turns are over. Answers whether there is more to do. */
  #step(untilMs: number): boolean {
    const next = this.#timers.first;
    if (next === undefined || next.dueMs > untilMs) return false;
    if (next.dueMs > this.#passedMs && ++this.#quietTurns < TURNS_BEFORE[next.kind]) return true;
    this.#quietTurns = 0;
    this.#timers.takeFirst();
    this.#passTo(next.dueMs);
    next.wake();
    return true;
  }

  /** Answers whether it may yet be worth waiting; if not, whoever hangs is told. */
  #standsIdle(): boolean {
    if (!this.#movesByItself || this.#whenIdle.size === 0) return false;
    if (++this.#quietTurns < TURNS_BEFORE_STUCK) return true;
    for (const callback of this.#whenIdle) callback();
    return false;
  }

  /** Time never goes back: what wakes late does not take it along. */
  #passTo(ms: number): void {
    this.#passedMs = Math.max(this.#passedMs, micro(ms));
  }
}
