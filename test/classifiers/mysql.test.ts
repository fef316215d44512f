import { mysqlErrors } from 'retry-policy/classifiers';
import { describe, expect, it } from 'vitest';
import { mysql } from './databases/mysql.js';

describe('what mysql tells', () => {
  it.each(mysql)('by $thrower: $fault', ({ error, knownBy }) => {
    const verdict = knownBy.length > 0 ? 'transient' : undefined;
    expect(mysqlErrors(error)).toBe(verdict);
    expect(mysqlErrors(new Error('import failed', { cause: error }))).toBe(verdict);
  });
});
