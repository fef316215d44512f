export interface Timer {
  readonly kind: 'sleep' | 'timer';
  readonly dueMs: number;
  readonly wake: () => void;
}

interface Queued extends Timer {
  /** How many arrived before it. */
  readonly arrival: number;
  /** Where it stands in the heap. */
  place: number;
}

/** Timers by due time, then by arrival: a binary heap, since tens of thousands may wait at once. */
export class TimerQueue {
  readonly #heap: Queued[] = [];
  #arrived = 0;

  get first(): Timer | undefined {
    return this.#heap[0];
  }

  inOrder(): Timer[] {
    return [...this.#heap].sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  /** Returns what takes the timer out again; without effect once it is out. */
  add({ kind, dueMs, wake }: Timer): () => void {
    const queued = { kind, dueMs, wake, arrival: this.#arrived++, place: this.#heap.length }; // a spread would take most of the time
    this.#settle(queued);
    return () => {
      if (this.#heap[queued.place] === queued) this.#remove(queued);
    };
  }

  takeFirst(): Timer {
    const first = this.#heap[0] as Queued;
    this.#remove(first);
    return first;
  }

  #remove(queued: Queued): void {
    const last = this.#heap.pop() as Queued;
    if (last === queued) return;
    last.place = queued.place;
    this.#settle(last);
  }

  /** Puts a timer where it belongs: from its place, later ones come down past it, then earlier ones go up past it. */
  #settle(queued: Queued): void {
    let gap = queued.place;
    for (let next = this.#above(gap); next !== undefined && isBefore(queued, next); next = this.#above(gap)) gap = this.#put(next, gap);
    for (let next = this.#below(gap); next !== undefined && isBefore(next, queued); next = this.#below(gap)) gap = this.#put(next, gap);
    this.#put(queued, gap);
  }

  /** Returns the place that it leaves. */
  #put(queued: Queued, place: number): number {
    const left = queued.place;
    queued.place = place;
    this.#heap[place] = queued;
    return left;
  }

  #above(place: number): Queued | undefined {
    return place === 0 ? undefined : this.#heap[(place - 1) >> 1];
  }

  #below(place: number): Queued | undefined {
    const [left, right] = [this.#heap[2 * place + 1], this.#heap[2 * place + 2]];
    return left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
  }
}

const isBefore = (a: Queued, b: Queued): boolean => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.arrival < b.arrival);
