import { callbacksOn } from '../abort.js';
import { mustBe, type Rule } from '../assert.js';
import type { Clock } from '../clock.js';
import { overrides } from '../override.js';
import { aSignal } from '../run-options.js';
import { areOne } from './idle.js';
import { inWords } from './instant.js';
import type { OverrideLayer } from './override-defaults.js';
import type { VirtualClock } from './virtual-clock.js';

/** How many waits and timers a message names. */
const MOST_TOLD = 10;

/**
 * Asserts that nothing is left behind: no wait and no timer on the clock, no listener for aborts on the signal, and no override of the
 * defaults that an earlier test forgot to restore (any but those by this very clock, which may be in force still). For the end of a test,
 * or `afterEach`, where your own override is restored first.
 *
 * All listeners of a signal are counted where the runtime has `process.getBuiltinModule` (Node from 20.16 on, and those that follow
 * it) and the signal is its own; elsewhere this library's.
 *
 * @throws {Error} that names all that is left; for an override, its `cause` bears the stack of the place where it was made
 * @throws {TypeError} if `clock` is no virtual clock or `signal` no AbortSignal
 * @example
 * const clock = virtualClock({ autoAdvance: false })
 * const cancel = clock.schedule(1_000, () => {})
 * try {
 *   assertNoLeaks(clock)
 * } catch ({ message }) {
 *   message // => 'left behind: a timer due at 1970-01-01T00:00:01.000Z'
 * }
 * cancel()
 * assertNoLeaks(clock) // => undefined
 */
export function assertNoLeaks(clock: VirtualClock, signal?: AbortSignal): void {
  mustBe('clock', clock, aVirtualClock);
  if (signal !== undefined) mustBe('signal', signal, aSignal);
  const pending = clock.pending.map(({ kind, dueAt }) => `a ${kind} due at ${inWords(dueAt)}`);
  const left = pending.slice(0, MOST_TOLD);
  if (pending.length > MOST_TOLD) left.push(`${pending.length - MOST_TOLD} more`);
  const listeners = signal === undefined ? 0 : listenersOn(signal);
  if (listeners > 0) left.push(`${listeners} abort listener${listeners === 1 ? '' : 's'} on the signal`);
  const override = foreignOverride(clock, overrides().inForce as OverrideLayer | undefined);
  if (override !== undefined) left.push(`an override of ${namesOf(override)}, see the cause`);
  if (left.length > 0) throw new Error(`left behind: ${left.join('; ')}`, override && { cause: override.madeAt });
}

/** The latest override but for those by this very clock, which may be the caller's own. */
function foreignOverride(clock: Clock, layer: OverrideLayer | undefined): OverrideLayer | undefined {
  const isOwn = layer?.given.clock !== undefined && areOne(layer.given.clock, clock);
  return isOwn ? foreignOverride(clock, layer.outer) : layer;
}

const namesOf = ({ given }: OverrideLayer): string =>
  Object.entries(given)
    .flatMap(([name, value]) => (value === undefined ? [] : name))
    .join(' and ') || 'nothing';

const aVirtualClock: Rule = {
  words: 'a virtual clock, as virtualClock() makes',
  holds: ({ pending }: VirtualClock) => Array.isArray(pending),
  type: 'object',
};

interface NodeHost {
  readonly process: { getBuiltinModule(name: 'node:events'): { getEventListeners(target: EventTarget, name: string): readonly unknown[] } };
}

/** Other hosts have no such function, and Node refuses to count the listeners of a signal that is not its own. */
function listenersOn(signal: AbortSignal): number {
  try {
    const { process } = globalThis as unknown as NodeHost;
    return process.getBuiltinModule('node:events').getEventListeners(signal, 'abort').length;
  } catch {
    return callbacksOn(signal);
  }
}
