import { describe, expect, it } from 'vitest';
import { fault } from '../../src/assert.js';
import { aStatusList, listOf } from '../../src/classifiers/rules.js';

describe('a list of statuses', () => {
  it.each<[string, unknown]>([
    ['one', [503]],
    ['many', [408, 503]],
    ['the same twice', [503, 503]],
    ['none', []],
    ['the least', [100]],
    ['the greatest', [599]],
    ['frozen ones', Object.freeze([503])],
  ])('may have %s', (_, list) => {
    expect(fault('statuses', list, aStatusList)).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ['99', [99], 'object'],
    ['600', [503, 600], 'object'],
    ['a fraction', [503.5], 'object'],
    ['NaN', [Number.NaN], 'object'],
    ['Infinity', [Infinity], 'object'],
    ['a text', ['503'], 'object'],
    ['null', [null], 'object'],
    ['undefined', [503, undefined], 'object'],
    ['a list', [[503]], 'object'],
  ])('cannot hold %s', (_, list, shown) => {
    expect(fault('statuses', list, aStatusList)).toEqual(new TypeError(`statuses must be an array of HTTP statuses, got ${shown}`));
  });

  it.each<[unknown, string]>([
    [503, '503'],
    ['503', '"503"'],
    [null, 'null'],
    [new Set([503]), 'object'],
    [{ length: 1, 0: 503 }, 'object'],
    [() => [503], 'function'],
  ])('cannot be %s', (list, shown) => {
    expect(fault('statuses', list, aStatusList)).toEqual(new TypeError(`statuses must be an array of HTTP statuses, got ${shown}`));
  });
});

it('a list of anything is one whose entries all keep the rule', () => {
  const words = listOf('words', (entry: unknown) => typeof entry === 'string');
  expect(fault('methods', ['GET', 'PUT'], words)).toBeUndefined();
  expect(fault('methods', ['GET', 5], words)).toEqual(new TypeError('methods must be an array of words, got object'));
});
