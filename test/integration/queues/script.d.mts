import type { RetryPolicy, RunOptions } from 'retry-policy';
import type { VirtualClock } from 'retry-policy/testing';

export interface Script {
  readonly name: string;
  readonly outcomes: readonly ('ok' | 'transient' | 'hint' | 'permanent')[];
  readonly policy: RetryPolicy<string>;
  readonly seed: number;
}

/** A decision, with the message of its error in the error's place. */
export interface Told {
  readonly action: string;
  readonly attempt: number;
  readonly delayMs?: number;
  readonly reason?: string;
  readonly error?: string;
}

export interface Played {
  readonly decisions: readonly Told[];
  /** When each attempt began, by the host's clock. */
  readonly begins: readonly number[];
}

export interface Play extends Played {
  readonly task: () => string;
  readonly options: RunOptions & { readonly clock: VirtualClock };
  readonly passDelay: () => Promise<void>;
}

export const START_AT: number;
export const scripts: readonly Script[];
export function play(script: Script): Play;
