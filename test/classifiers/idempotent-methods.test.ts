import { idempotentMethods } from 'retry-policy/classifiers';
import { expect, it } from 'vitest';

it('the idempotent methods are those of HTTP, and QUERY', () => {
  expect([...idempotentMethods].sort()).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PUT', 'QUERY', 'TRACE']);
});

it('nobody can add to them', () => {
  expect(() => (idempotentMethods as string[]).push('POST')).toThrow(TypeError);
  expect(idempotentMethods).not.toContain('POST');
});
