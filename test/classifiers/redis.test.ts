import { redisErrors } from 'retry-policy/classifiers';
import { describe, expect, it } from 'vitest';
import { redis } from './databases/redis.js';

describe('what redis tells', () => {
  it.each(redis)('by $thrower: $fault', ({ error, knownBy }) => {
    const verdict = knownBy.length > 0 ? 'transient' : undefined;
    expect(redisErrors(error)).toBe(verdict);
    expect(redisErrors(new Error('import failed', { cause: error }))).toBe(verdict);
  });
});
