import type * as Main from 'retry-policy';
import type * as Testing from 'retry-policy/testing';

export interface Results {
  readonly results: readonly { readonly name: string; readonly error?: string }[];
  readonly facts: { readonly digest?: string; readonly tenHoursMs?: number; readonly tenThousandRunsMs?: number };
}

export const behaviours: Readonly<Record<string, unknown>>;
export function run(main: typeof Main, testing: typeof Testing, other: typeof Main): Promise<Results>;
