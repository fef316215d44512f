import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { behaviours } from './behaviours.mjs';
import type { Report } from './program.js';

/** What the table says of a row besides the counts. */
export interface RowFacts {
  readonly beganAt: number;
  readonly version?: string;
  readonly told?: Report['facts'] | undefined;
}

declare module 'vitest' {
  interface TaskMeta {
    row?: RowFacts;
  }
}

/**
 * A row of the matrix: what starts it, once, and tests of what that told. A row that cannot start fails in all of its tests, so that
 * none is passed over.
 */
export function row<Told extends { readonly version: string }>(
  name: string,
  start: () => Promise<Told>,
  tests: (told: () => Told) => void,
) {
  describe(name, () => {
    let facts: RowFacts;
    let told: Told & Partial<Pick<Report, 'facts'>>;
    let fault: unknown;
    beforeAll(async () => {
      facts = { beganAt: Date.now() };
      try {
        told = await start();
        facts = { ...facts, version: told.version, told: told.facts };
      } catch (error) {
        fault = error;
      }
    });
    beforeEach(({ task }) => {
      task.meta.row = facts;
      if (fault !== undefined) throw fault;
    });
    tests(() => told);
  });
}

/** A row that runs the suite: each of its behaviours is a test. */
export function behaviourRow<Told extends Report>(name: string, start: () => Promise<Told>, more?: (told: () => Told) => void) {
  row(name, start, (told) => {
    test.each(Object.keys(behaviours))('%s', (behaviour) => {
      const { error } = told().results.find(({ name }) => name === behaviour) ?? { error: 'it was not run' };
      expect(error, error).toBeUndefined();
    });
    more?.(told);
  });
}
