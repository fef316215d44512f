import { postgresErrors } from 'retry-policy/classifiers';
import { describe, expect, it } from 'vitest';
import { postgres } from './databases/postgres.js';

describe('what postgres tells', () => {
  it.each(postgres)('by $thrower: $fault', ({ error, knownBy }) => {
    const verdict = knownBy.length > 0 ? 'transient' : undefined;
    expect(postgresErrors(error)).toBe(verdict);
    expect(postgresErrors(new Error('import failed', { cause: error }))).toBe(verdict);
  });
});
