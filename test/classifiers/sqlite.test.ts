import { sqliteErrors } from 'retry-policy/classifiers';
import { describe, expect, it } from 'vitest';
import { sqlite } from './databases/sqlite.js';

describe('what sqlite tells', () => {
  it.each(sqlite)('by $thrower: $fault', ({ error, knownBy }) => {
    const verdict = knownBy.length > 0 ? 'transient' : undefined;
    expect(sqliteErrors(error)).toBe(verdict);
    expect(sqliteErrors(new Error('import failed', { cause: error }))).toBe(verdict);
  });
});
