import { mongoErrors } from 'retry-policy/classifiers';
import { describe, expect, it } from 'vitest';
import { mongoDb } from './databases/mongo.js';

describe('what mongo tells', () => {
  it.each(mongoDb)('by $thrower: $fault', ({ error, knownBy }) => {
    const verdict = knownBy.length > 0 ? 'transient' : undefined;
    expect(mongoErrors(error)).toBe(verdict);
    expect(mongoErrors(new Error('import failed', { cause: error }))).toBe(verdict);
  });
});
