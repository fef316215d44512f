import { markPermanent, markTransient } from 'retry-policy';
import { failureStage, networkErrors } from 'retry-policy/classifiers';
import { describe, expect, it, vi } from 'vitest';
import { isRefused, says } from '../../src/classifiers/chain.js';
import { textOf } from '../../src/classifiers/facts.js';
import { aggregateOf, bottomless, guarded, revoked, untouchable } from './hostile.js';
import * as say from './thrown.js';

const under = (error: unknown, times: number): Error =>
  Array.from({ length: times }).reduce<Error>((cause) => new Error('outer', { cause }), error as Error);
const refusedOnes = (length: number) => Array.from({ length }, say.refused);

/** Whether the chain leads to a failure that passes. */
const finds = (error: unknown) => {
  const verdict = networkErrors(error);
  expect(says(error, (node) => textOf(node, 'code') === 'ECONNREFUSED')).toBe(verdict === 'transient');
  return verdict === 'transient';
};

describe('the chain of causes', () => {
  it('is followed for 100 objects', () => {
    expect(finds(under(say.refused(), 0))).toBe(true);
    expect(finds(under(say.refused(), 99))).toBe(true);
    expect(finds(under(say.refused(), 100))).toBe(false);
    expect(finds(under(say.refused(), 1_000))).toBe(false);
  });

  it('may have causes that are no errors', () => {
    expect(finds({ cause: { cause: { code: 'ECONNREFUSED' } } })).toBe(true);
    expect(finds({ cause: Object.assign(() => {}, { code: 'ECONNREFUSED' }) })).toBe(true);
    for (const cause of ['ECONNREFUSED', 111, null, false, '', Symbol('ECONNREFUSED')])
      expect(finds(new Error('outer', { cause }))).toBe(false);
  });

  it('that leads back to where it was ends', () => {
    const own = new Error('its own cause');
    own.cause = own;
    const [first, second] = [new Error('first'), Object.assign(say.refused())];
    Object.assign(first, { cause: second });
    Object.assign(second, { cause: first });
    const refused = say.refused();
    expect(finds(own)).toBe(false);
    expect(finds(new AggregateError([Object.assign(refused, { cause: refused }), say.refused()]))).toBe(true);
    expect(finds(first)).toBe(true);
    expect(finds(second)).toBe(true);
  });

  it('that grows while it is followed ends', () => {
    let made = 0;
    const grow = (): object => ({
      get cause() {
        made += 1;
        return grow();
      },
    });
    expect(finds(grow())).toBe(false);
    expect(made).toBeLessThan(500);
    expect(finds(bottomless())).toBe(false);
  });

  it('breaks off at what lets nobody near, and keeps what was said above it', () => {
    for (const cause of [untouchable(), revoked(), guarded()]) {
      expect(finds(new Error('outer', { cause }))).toBe(false);
      expect(finds(Object.assign(say.refused(), { cause }))).toBe(true);
    }
    expect(finds(guarded({ cause: say.refused() }))).toBe(true);
  });

  it('is asked from above: the first that says something counts', () => {
    const asked = vi.fn((node: unknown) => Object(node).code === 'ECONNREFUSED');
    expect(says(Object.assign(say.reset(), { cause: say.refused() }), asked)).toBe(true);
    expect(asked).toHaveBeenCalledTimes(2);
    expect(failureStage(Object.assign(say.refused(), { cause: say.reset() }))).toBe('not-sent');
  });
});

describe('an AggregateError', () => {
  it('says so if each of its members does', () => {
    expect(finds(new AggregateError(refusedOnes(1)))).toBe(true);
    expect(finds(new AggregateError(refusedOnes(50)))).toBe(true);
    expect(finds(new AggregateError([...refusedOnes(50), new Error('404')]))).toBe(false);
    expect(finds(new AggregateError([new Error('404'), ...refusedOnes(50)]))).toBe(false);
    expect(finds(new AggregateError([new Error('404')]))).toBe(false);
    expect(finds(new AggregateError([say.refused(), 'refused']))).toBe(false);
    expect(finds(new AggregateError([say.refused(), undefined]))).toBe(false);
  });

  it('is known by its name, whatever made it', () => {
    expect(finds(aggregateOf(refusedOnes(2)))).toBe(true);
    expect(finds(aggregateOf({ length: 2, 0: say.refused(), 1: say.refused() }))).toBe(true);
    expect(finds(aggregateOf([say.refused(), new Error('404')]))).toBe(false);
    expect(finds(aggregateOf('no list', { code: 'ECONNREFUSED' }))).toBe(false);
    expect(finds({ name: 'Error', errors: refusedOnes(2) })).toBe(false);
  });

  it('may bear a code of its own, for which its members answer', () => {
    const code = 'ECONNREFUSED';
    expect(finds(Object.assign(new AggregateError(refusedOnes(2)), { code }))).toBe(true);
    expect(finds(Object.assign(new AggregateError([say.refused(), say.selfSigned()]), { code }))).toBe(false);
    expect(finds(Object.assign(new AggregateError([say.selfSigned()]), { code }))).toBe(false);
  });

  it('without members says what it says itself', () => {
    for (const errors of [[], undefined, null, {}, { length: -1 }, { length: Number.NaN }, { length: '2' }, untouchable([]), revoked()]) {
      expect(finds(aggregateOf(errors))).toBe(false);
      expect(finds(aggregateOf(errors, { code: 'ECONNREFUSED' }))).toBe(true);
    }
    expect(finds(guarded({ name: 'AggregateError', code: 'ECONNREFUSED' }))).toBe(true);
  });

  it('has a cause as well, which is asked if its members say nothing at all of theirs', () => {
    expect(finds(new AggregateError([], '', { cause: say.refused() }))).toBe(true);
    expect(finds(new AggregateError(refusedOnes(2), '', { cause: say.selfSigned() }))).toBe(true);
    expect(finds(new AggregateError([say.selfSigned()], '', { cause: say.refused() }))).toBe(false);
  });

  it('may hold others', () => {
    const nest = (error: unknown, times: number): unknown => (times === 0 ? error : new AggregateError([nest(error, times - 1)]));
    expect(finds(nest(say.refused(), 99))).toBe(true);
    expect(finds(nest(say.refused(), 100))).toBe(false);
    expect(finds(new AggregateError([new AggregateError(refusedOnes(2)), say.refused()]))).toBe(true);
    expect(finds(new AggregateError([new AggregateError([say.refused(), say.selfSigned()]), say.refused()]))).toBe(false);
    expect(finds(new AggregateError([new AggregateError([]), say.refused()]))).toBe(false);
  });

  it('may have two members with one and the same cause', () => {
    const cause = say.refused();
    expect(finds(new AggregateError([new Error('first', { cause }), new Error('second', { cause })]))).toBe(true);
    expect(finds(new AggregateError([cause, cause]))).toBe(true);
    expect(finds(new AggregateError([cause, new Error('second', { cause })], '', { cause }))).toBe(true);
  });

  it('that holds itself ends', () => {
    const aggregate = new AggregateError([say.refused()]);
    aggregate.errors.push(aggregate);
    expect(finds(aggregate)).toBe(false);
    expect(finds(new AggregateError([say.refused()], '', { cause: aggregate }))).toBe(true);
  });

  it('is read for 100 objects, and says nothing if it has more', () => {
    expect(finds(new AggregateError(refusedOnes(99)))).toBe(true);
    expect(finds(new AggregateError(refusedOnes(100)))).toBe(false);
    expect(finds(new AggregateError(refusedOnes(1_000)))).toBe(false);
    expect(finds(aggregateOf({ length: Infinity, 0: say.refused() }))).toBe(false);
    expect(finds(aggregateOf({ length: 2 ** 53 }))).toBe(false);
  });

  it('of a hundred thousand members is not read to its end', () => {
    const read = vi.fn(say.refused);
    const errors = new Proxy([], { get: (_, key) => (key === 'length' ? 100_000 : read()) });
    networkErrors(aggregateOf(errors));
    expect(read.mock.calls.length).toBeLessThanOrEqual(100);
  });

  it('whose members share members, layer upon layer, ends soon', () => {
    const asked = vi.fn(() => true);
    const layers = Array.from({ length: 60 }).reduce<unknown>((below) => new AggregateError([below, below]), say.refused());
    expect(says(layers, asked)).toBe(false);
    expect(asked.mock.calls.length).toBeLessThan(100);
  });
});

it.each<[string, object, boolean]>([
  ['an error is not', new Error('404'), false],
  ['an error with the transient mark is not', markTransient(new Error('busy')), false],
  ['an error with the permanent mark is', markPermanent(new Error('quota')), true],
  ['an error with the brand is', { [Symbol.for('retry-policy.permanent')]: true }, true],
  ['an abort is', { code: 'ABORT_ERR' }, true],
  ['an error over an abort is not', new Error('outer', { cause: { code: 'ABORT_ERR' } }), false],
  ['a Proxy whose traps throw is not', untouchable(), false],
])('%s refused', (_, error, refused) => {
  expect(isRefused(error)).toBe(refused);
});

it('nothing that is refused says so, wherever it is', () => {
  for (const end of [markPermanent(say.refused()), say.aborted({ syscall: 'connect' })]) {
    expect(finds(end)).toBe(false);
    expect(finds(under(end, 5))).toBe(false);
    expect(finds(Object.assign(say.refused(), { cause: end }))).toBe(false);
    expect(finds(new AggregateError([say.refused(), end]))).toBe(false);
  }
});
