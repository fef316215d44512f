import type * as Main from 'retry-policy';
import type * as Classifiers from 'retry-policy/classifiers';
import type * as Fetching from 'retry-policy/fetch';
import type * as Testing from 'retry-policy/testing';

export interface Results {
  readonly results: readonly { readonly name: string; readonly error?: string }[];
  readonly facts: { readonly digest?: string; readonly tenHoursMs?: number; readonly tenThousandRunsMs?: number };
}

export interface Library {
  readonly main: typeof Main;
  readonly testing: typeof Testing;
  readonly classifiers: typeof Classifiers;
  readonly fetching: typeof Fetching;
  /** Another copy. */
  readonly other: typeof Main & typeof Classifiers & typeof Fetching;
}

export type Behaviours = Readonly<Record<string, (library: Library & { readonly origin?: string }) => Promise<void>>>;
export const behaviours: Behaviours;
export function run(behaviours: Behaviours, library: Library & { readonly origin?: string }): Promise<Results>;
