import fc from 'fast-check';
import { createSystemClock, formatDecision, markTransient } from 'retry-policy';
import { scriptedTask, virtualClock } from 'retry-policy/testing';
import { describe, expect, it, vi } from 'vitest';
import {
  aBoolean,
  aCount,
  aDuration,
  aFactor,
  aFunction,
  anInstant,
  anObject,
  fault,
  isObject,
  mustBe,
  noOthers,
  quiet,
  type Rule,
  show,
} from '../src/assert.js';

const unprintable = {
  [Symbol.toPrimitive]() {
    throw new Error('this value cannot become text');
  },
};

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

describe('the rules', () => {
  it.each<[string, Rule, unknown[]]>([
    ['a duration', aDuration, [0, 0.5, 2_000, Number.MIN_VALUE, Number.MAX_VALUE]],
    ['a count', aCount, [1, 2, Number.MAX_SAFE_INTEGER]],
    ['a factor', aFactor, [1, 1.5, 2, Number.MAX_VALUE]],
    ['an instant', anInstant, [0, -1, 1.5, 1_768_438_800_000, -Number.MAX_VALUE]],
    ['a function', aFunction, [() => {}, class {}, Math.random]],
    ['an object', anObject, [{}, [], Object.create(null), revoked()]],
    ['a boolean', aBoolean, [true, false]],
  ])('%s keeps its rule', (_name, rule, values) => {
    for (const value of values) expect(fault('x', value, rule)).toBeUndefined();
  });

  it.each<[string, Rule, unknown[]]>([
    ['a duration', aDuration, [-1, -Number.MIN_VALUE, Infinity, -Infinity, NaN]],
    ['a count', aCount, [0, -1, 1.5, Infinity, NaN]],
    ['a factor', aFactor, [0, 0.5, 1 - Number.EPSILON, Infinity, NaN]],
    ['an instant', anInstant, [NaN, Infinity, -Infinity]],
  ])('%s out of its range is a RangeError', (_name, rule, values) => {
    for (const value of values) {
      const error = fault('x', value, rule);
      expect(error).toBeInstanceOf(RangeError);
      expect(error?.message).toBe(`x must be ${rule.words}, got ${value}`);
    }
  });

  it.each<[string, Rule, unknown[]]>([
    ['a duration', aDuration, [undefined, null, '100', '', true, [5], new Number(5), new Date(5), () => 5, Symbol('five'), 5n]],
    ['a count', aCount, [undefined, null, '1', true, [1]]],
    ['a factor', aFactor, [undefined, null, '2', true, [2]]],
    ['an instant', anInstant, [undefined, null, '0', new Date(0)]],
    ['a function', aFunction, [undefined, null, 'f', 1, {}, []]],
    ['an object', anObject, [undefined, null, 'text', 1, true, () => {}]],
    ['a boolean', aBoolean, [undefined, null, 'true', 1, 0, {}]],
  ])('%s of another type is a TypeError', (_name, rule, values) => {
    for (const value of values) {
      const error = fault('x', value, rule);
      expect(error).toBeInstanceOf(TypeError);
      expect(error?.message).toContain(`x must be ${rule.words}, got `);
    }
  });

  it('asks about values of the right type only', () => {
    const asked: unknown[] = [];
    const rule: Rule = { words: 'anything', holds: (value: unknown) => asked.push(value) > 0, type: 'object' };
    for (const value of [undefined, null, 'text', 1, () => {}]) fault('x', value, rule);
    expect(asked).toEqual([]);
  });

  it('takes an object of the wrong kind for a fault of type, and a text that is not on the list for one of range', () => {
    const dated: Rule = { words: 'a Date', holds: (value: object) => value instanceof Date, type: 'object' };
    const listed: Rule = { words: 'one of a, b', holds: (name: string) => ['a', 'b'].includes(name), type: 'string' };
    expect(fault('at', {}, dated)).toEqual(new TypeError('at must be a Date, got object'));
    expect(fault('name', 'c', listed)).toEqual(new RangeError('name must be one of a, b, got "c"'));
  });

  it('wants a duration where no rule is named', () => {
    expect(fault('ms', 0)).toBeUndefined();
    expect(fault('ms', -5)).toEqual(new RangeError('ms must be a finite number >= 0, got -5'));
    expect(fault('ms', '5')).toEqual(new TypeError('ms must be a finite number >= 0, got "5"'));
  });
});

describe('mustBe', () => {
  it('throws what is wrong, and answers nothing for what is right', () => {
    expect(mustBe('ms', 5)).toBeUndefined();
    expect(() => mustBe('ms', -5)).toThrow(new RangeError('ms must be a finite number >= 0, got -5'));
    expect(() => mustBe('attempt', 0, aCount)).toThrow(new RangeError('attempt must be an integer >= 1, got 0'));
    expect(() => mustBe('unref', 'yes', aBoolean)).toThrow(new TypeError('unref must be a boolean, got "yes"'));
  });
});

describe('noOthers', () => {
  it('lets an empty rest pass', () => {
    expect(() => noOthers({}, 'factor')).not.toThrow();
  });

  it('refuses a name that is left over, even one without a value', () => {
    expect(() => noOthers({ factr: 3 }, 'factor')).toThrow(TypeError);
    expect(() => noOthers({ factr: undefined }, 'baseMs, factor')).toThrow(new TypeError('unknown option factr (known: baseMs, factor)'));
  });
});

describe('quiet', () => {
  it('observes the rejection of what should have been no promise, and takes anything else', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    try {
      for (const answer of [Promise.reject(new Error('late')), undefined, 5, {}, Promise.resolve(5)]) quiet(answer);
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });
});

describe('show', () => {
  it.each([
    ['a text, quoted', 'Asia/Jakarta', '"Asia/Jakarta"'],
    ['a text that is empty', '', '""'],
    ['a text with a line break on one line', 'a\nb', '"a\\nb"'],
    ['a number', -5, '-5'],
    ['NaN', NaN, 'NaN'],
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a symbol', Symbol('five'), 'Symbol(five)'],
    ['an object by its type', { secret: 1 }, 'object'],
    ['an array by its type', [1, 2], 'object'],
    ['a function by its type', () => {}, 'function'],
    ['an object without a prototype', Object.create(null), 'object'],
    ['an object that cannot become text', unprintable, 'object'],
    ['a revoked proxy', revoked(), 'object'],
  ])('shows %s', (_name, value, text) => {
    expect(show(value)).toBe(text);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true }), (value) => {
        expect(typeof show(value)).toBe('string');
      }),
    );
  });
});

describe('isObject', () => {
  it('is true of whatever can bear properties', () => {
    for (const value of [{}, [], () => {}, new Error('x'), Object.create(null), revoked()]) expect(isObject(value)).toBe(true);
    for (const value of [undefined, null, 0, NaN, '', 'text', true, 5n, Symbol('x')]) expect(isObject(value)).toBe(false);
  });
});

describe('options that may be left out', () => {
  const functions = {
    createSystemClock,
    markTransient: (options: never) => markTransient(new Error('x'), options),
    formatDecision: (options: never) =>
      formatDecision({ action: 'succeed', attempt: 1, startedAt: 0, durationMs: 0, elapsedMs: 0 }, options),
    virtualClock,
    fails: (options: never) => scriptedTask(virtualClock()).fails('x', options),
    returns: (options: never) => scriptedTask(virtualClock()).returns('x', options),
    hangs: (options: never) => scriptedTask(virtualClock()).hangs(options),
  };

  it.each(Object.entries(functions))('of %s must be an object, so that nothing is dropped unseen', (_name, call) => {
    for (const options of [null, 500, 'x', true]) {
      expect(() => call(options as never)).toThrow(TypeError);
      expect(() => call(options as never)).toThrow(`options must be an object, got ${JSON.stringify(options)}`);
    }
    call(undefined as never);
    call({} as never);
  });
});
