/** A signal with no more than what the library uses of one, whose listeners can be counted. */
export class CountedSignal {
  aborted = false;
  reason: unknown;
  added = 0;
  readonly listeners: (() => void)[] = [];

  addEventListener(type: string, listener: () => void): void {
    if (type !== 'abort') throw new Error(`nobody fires ${type}`);
    this.added++;
    this.listeners.push(listener);
  }

  removeEventListener(_type: string, listener: () => void): void {
    const at = this.listeners.indexOf(listener);
    if (at >= 0) this.listeners.splice(at, 1);
  }

  abort(reason?: unknown): void {
    this.aborted = true;
    this.reason = reason;
    for (const listener of [...this.listeners]) listener();
  }
}

/** The same signal twice: to count on, and to hand over. */
export function countedSignal(): { counts: CountedSignal; signal: AbortSignal } {
  const counts = new CountedSignal();
  return { counts, signal: counts as unknown as AbortSignal };
}
