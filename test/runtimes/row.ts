import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Behaviours, behaviours } from './behaviours.mjs';
import { fetchBehaviours } from './fetching.mjs';
import type { Report } from './program.js';
import { Servers } from './server.js';

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

type More<Told> = (told: () => Told) => void;

const testAll = (all: Behaviours, told: () => Report) =>
  test.each(Object.keys(all))('%s', (behaviour) => {
    const { error } = told().results.find(({ name }) => name === behaviour) ?? { error: 'it was not run' };
    expect(error, error).toBeUndefined();
  });

/** A row that runs the suite without what it fetches: each of its behaviours is a test. */
export function behaviourRow<Told extends Report>(name: string, start: () => Promise<Told>, more?: More<Told>) {
  row(name, start, (told) => {
    testAll(behaviours, told);
    more?.(told);
  });
}

/** A row that runs all of the suite, with servers of its own. */
export function fetchingRow<Told extends Report>(name: string, report: (servers: Servers) => Promise<Told>, more?: More<Told>) {
  const start = async () => {
    const servers = await Servers.start();
    try {
      return await report(servers);
    } finally {
      await servers.close();
    }
  };
  behaviourRow(name, start, (told) => {
    testAll(fetchBehaviours, told);
    more?.(told);
  });
}
