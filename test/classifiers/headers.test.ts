import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerOf } from '../../src/classifiers/headers.js';

const throwing = () => {
  throw new Error('a trap');
};
const hostile = new Proxy(
  {},
  { get: throwing, has: throwing, ownKeys: throwing, getOwnPropertyDescriptor: throwing, getPrototypeOf: throwing },
);

describe('one value is found', () => {
  it.each<[string, unknown]>([
    ['in Headers', new Headers({ 'Retry-After': '5' })],
    ['in a plain object', { 'retry-after': '5' }],
    ['in any case', { 'Retry-After': '5' }],
    ['in capitals', { 'RETRY-AFTER': '5' }],
    ['in an array of one', { 'Retry-After': ['5'] }],
    ['among others', { age: '9', 'retry-after': '5', 'retry-after-ms': '7' }],
    ['without the space around it', { 'retry-after': ' \t5 ' }],
    ['beside an absent one', { 'Retry-After': undefined, 'retry-after': '5' }],
    ['beside an empty one', { 'Retry-After': [], 'retry-after': '5' }],
    ['in a Map', new Map([['retry-after', '5']])],
    ['in an array that a get answers', { get: () => ['5'] }],
    [
      'by a get that knows its this',
      {
        value: '5',
        get: function (this: { value: string }) {
          return this.value;
        },
      },
    ],
    ['by a get that is inherited', Object.create({ get: (name: string) => (name === 'retry-after' ? '5' : null) })],
    ['in an object without a prototype', Object.assign(Object.create(null), { 'retry-after': '5' })],
    ['beside a header named get', { get: 'x', 'retry-after': '5' }],
    [
      'beside headers that throw',
      {
        'retry-after': '5',
        get other() {
          return throwing();
        },
      },
    ],
  ])('%s', (_, headers) => {
    expect(headerOf(headers, 'retry-after')).toBe('5');
  });

  it.each(['get', 'constructor', 'tostring', '__proto__', 'hasownproperty'])('under the name %s', (name) => {
    expect(headerOf(JSON.parse(`{ "${name}": "5" }`), name)).toBe('5');
    expect(headerOf({}, name)).toBeUndefined();
    expect(headerOf({ 'retry-after': '5' }, name)).toBeUndefined();
  });
});

describe('there is no value', () => {
  it.each<[string, unknown]>([
    ['in nothing', undefined],
    ['in null', null],
    ['in a text', 'retry-after'],
    ['in a number', 5],
    ['in a symbol', Symbol('retry-after')],
    ['in an empty object', {}],
    ['in empty Headers', new Headers()],
    ['in an array', ['retry-after', '5']],
    ['in a function', throwing],
    ['in a Proxy whose traps throw', hostile],
    ['in two', { 'retry-after': ['5', '5'] }],
    ['in two cases of the name', { 'retry-after': '5', 'Retry-After': '5' }],
    ['in no value', { 'retry-after': [] }],
    ['in a null', { 'retry-after': null }],
    ['in what is no text', { 'retry-after': 5 }],
    ['in a text in a box', { 'retry-after': { trim: () => '5' } }],
    ['in an array in an array', { 'retry-after': [['5']] }],
    [
      'where its getter throws',
      {
        get 'retry-after'() {
          return throwing();
        },
      },
    ],
    ['where get throws', { get: throwing }],
    [
      'where the getter of get throws',
      {
        get get() {
          return throwing();
        },
      },
    ],
    ['where get answers null', { get: () => null }],
    ['where get answers nothing', { get: () => undefined, 'retry-after': '5' }],
    ['where get answers a number', { get: () => 5 }],
    ['where get answers two', { get: () => ['5', '6'] }],
    ['where get answers a promise', { get: async () => '5' }],
    ['where get answers a Proxy whose traps throw', { get: () => hostile }],
  ])('%s', (_, headers) => {
    expect(headerOf(headers, 'retry-after')).toBeUndefined();
  });
});

it('never throws, and answers a text or nothing', () => {
  const options = {
    withNullPrototype: true,
    withMap: true,
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    key: fc.constantFrom('get', 'Age', 'age'),
  };
  fc.assert(
    fc.property(fc.anything(options), (headers) => {
      const value = headerOf(headers, 'age');
      expect(value === undefined || (typeof value === 'string' && value === value.trim())).toBe(true);
    }),
  );
});
