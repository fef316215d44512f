import { sqlServerErrors } from 'retry-policy/classifiers';
import { describe, expect, it } from 'vitest';
import { sqlServer } from './databases/sql-server.js';

describe('what sql-server tells', () => {
  it.each(sqlServer)('by $thrower: $fault', ({ error, knownBy }) => {
    const verdict = knownBy.length > 0 ? 'transient' : undefined;
    expect(sqlServerErrors(error)).toBe(verdict);
    expect(sqlServerErrors(new Error('import failed', { cause: error }))).toBe(verdict);
  });
});
