import { toErrorRecord } from 'retry-policy/durable';
import { describe, expect, it, test } from 'vitest';

describe('toErrorRecord', () => {
  it.each([
    ['a string', 'no', { name: 'string', message: 'no' }],
    ['nothing', undefined, { name: 'undefined', message: 'undefined' }],
    ['null', null, { name: 'null', message: 'null' }],
    ['a number', 42, { name: 'number', message: '42' }],
    ['a plain object', { status: 503, text: 'busy', deep: {} }, { name: 'Object', message: '{ status: 503, text: "busy", deep: object }' }],
    ['an object of no class', Object.create(null), { name: 'object', message: 'object' }],
    ['an object of a class', new (class Refusal {})(), { name: 'Refusal', message: 'object' }],
    ['an object with a message', { message: 'm', code: 7 }, { name: 'Object', message: 'm', code: 7 }],
    ['a code that is no number', { message: 'm', code: Number.NaN }, { name: 'Object', message: 'm' }],
    ['an empty stack and an empty cause', { name: 'E', message: 'm', stack: '', cause: null }, { name: 'E', message: 'm' }],
  ])('tells what was thrown: %s', (_, thrown, record) => {
    expect(toErrorRecord(thrown)).toEqual(record);
  });

  it('never throws', () => {
    const deny = () => {
      throw new Error('no');
    };
    const hostile = new Proxy({}, { get: deny, ownKeys: deny, getPrototypeOf: deny });
    expect(toErrorRecord(hostile)).toEqual({ name: 'object', message: 'object' });
    const halfHostile = new Proxy({}, { ownKeys: deny });
    expect(toErrorRecord(halfHostile)).toEqual({ name: 'Object', message: 'object' });
  });

  it('follows causes and the members of aggregates, and ends where a cycle closes', () => {
    const inner = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const error = new Error('outer', { cause: new AggregateError([inner, 'text'], 'all') });
    inner.cause = error;
    const { cause } = toErrorRecord(error);
    expect(cause).toMatchObject({ name: 'AggregateError', errors: [{ code: 'ECONNREFUSED' }, { name: 'string', message: 'text' }] });
    expect(cause?.errors?.[0]).not.toHaveProperty('cause');
  });

  it('is bounded in depth, in breadth and in each text', () => {
    let deep = new Error('the deepest');
    for (let i = 0; i < 100; i++) deep = new Error(`${i}`, { cause: deep });
    expect(JSON.stringify(toErrorRecord(deep)).match(/"message"/g)).toHaveLength(16);
    expect(toErrorRecord(new AggregateError(Array.from({ length: 1_000 }, () => new Error('member')))).errors).toHaveLength(15);
    const long = Object.assign(new Error('x'.repeat(9_999)), { name: 'n'.repeat(999), code: 'c'.repeat(999), stack: 's'.repeat(9_999) });
    const { name, message, code, stack } = toErrorRecord(long);
    expect([name, message, code, stack].map((text) => String(text).length)).toEqual([100, 1_000, 100, 2_000]);
    expect(toErrorRecord({ name: 'AggregateError', message: 'm', errors: 'none' })).toEqual({ name: 'AggregateError', message: 'm' });
    expect(toErrorRecord({ name: 'AggregateError', message: 'm', errors: {} })).toEqual({ name: 'AggregateError', message: 'm' });
  });

  it('has no characters that JSON columns refuse, also where a text is cut', () => {
    expect(toErrorRecord(`a\0b\uD800c\u{1F600}`).message).toBe('a\uFFFDb\uFFFDc\u{1F600}');
    expect(toErrorRecord(`${'x'.repeat(999)}\u{1F600}`).message).toBe(`${'x'.repeat(999)}\uFFFD`);
  });

  test('is the same after JSON', () => {
    const record = toErrorRecord(new TypeError('m', { cause: new AggregateError([new Error('a')]) }));
    expect(JSON.parse(JSON.stringify(record))).toEqual(record);
  });
});
