const YEAR_MS = 31_536_000_000;

/**
 * A delay for an engine: in whole milliseconds, since a fraction stops some, and of a year at the most, since an endless one is beyond
 * what their clocks and columns hold.
 */
export const engineDelayMs = (delayMs: number): number => Math.ceil(Math.min(delayMs, YEAR_MS));
