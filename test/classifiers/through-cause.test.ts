import {
  type Classifier,
  isRetryHookError,
  markedFailures,
  markPermanent,
  markTransient,
  runWithRetry,
  TransientFailure,
  type Verdict,
} from 'retry-policy';
import { throughCause } from 'retry-policy/classifiers';
import { describe, expect, it, vi } from 'vitest';
import { readSafely } from '../../src/mark.js';
import { untouchable } from './hostile.js';
import { plain } from './thrown.js';

/** Knows what `says` a word, whatever it is. */
const byWord: Classifier = (error) => readSafely(error, 'says') as Verdict | undefined;
const hint = (retryAfterMs: number) => ({ verdict: 'transient', retryAfterMs }) as const;
const caused = (...causes: object[]): Error =>
  causes.reduceRight<Error>((cause, fields) => Object.assign(new Error('outer', { cause }), fields), new Error());

describe('a classifier that is asked along the causes', () => {
  const classify = throughCause(byWord);

  it.each<[string, unknown, Verdict | undefined]>([
    ['knows the error itself', { says: 'transient' }, 'transient'],
    ['knows its cause', caused({}, { says: 'transient' }), 'transient'],
    ['knows a cause far down', caused({}, {}, {}, {}, {}, { says: 'transient' }), 'transient'],
    ['gives the wait that it found', caused({}, { says: hint(50) }), hint(50)],
    ['believes the first that it knows', caused({ says: hint(5) }, { says: hint(50) }), hint(5)],
    ['knows what is permanent', { says: 'permanent' }, 'permanent'],
    ['knows it far down', caused({}, {}, { says: 'permanent' }), 'permanent'],
    ['believes no permanent cause of what is transient', caused({ says: 'transient' }, {}, { says: 'permanent' }), 'transient'],
    ['believes no transient cause of what is permanent', caused({ says: 'permanent' }, { says: 'transient' }), 'permanent'],
    ['knows none of them', caused({}, {}, {}), undefined],
    ['asks all members of an AggregateError', new AggregateError([{ says: hint(5) }, { says: hint(7) }]), hint(7)],
    ['and each must be transient', new AggregateError([{ says: 'transient' }, {}]), undefined],
    ['and none permanent', new AggregateError([{ says: 'transient' }, {}, { says: 'permanent' }]), 'permanent'],
    ['does not ask what was aborted', { name: 'AbortError', says: 'transient' }, 'permanent'],
    ['does not ask what bears the permanent mark', markPermanent({ says: 'transient' }), 'permanent'],
    ['knows nothing of null', null, undefined],
    ['does not mind a cause that lets nobody near', caused({}, { cause: untouchable() }), undefined],
  ])('%s', (_, error, verdict) => {
    expect(classify(error)).toEqual(verdict);
  });

  it('is asked about primitives as well', () => {
    expect(throughCause((error) => (error === 503 ? 'transient' : undefined))(new Error('outer', { cause: 503 }))).toBe('transient');
    expect(throughCause((error) => (error === 'busy' ? hint(5) : undefined))('busy')).toEqual(hint(5));
  });

  it('is given the very errors, one argument at a time', () => {
    const cause = new Error('inner');
    const asked = vi.fn<Classifier>();
    const error = new Error('outer', { cause });
    expect(throughCause(asked)(error)).toBeUndefined();
    expect(asked.mock.calls).toEqual([[error], [cause]]);
  });

  it('is asked about nothing below or after what ends the question', () => {
    const asked = vi.fn<Classifier>();
    const end = markPermanent(new Error('quota', { cause: new Error('inner') }));
    expect(throughCause(asked)(end)).toBe('permanent');
    expect(asked).not.toHaveBeenCalled();
    const first = new Error('first');
    expect(throughCause(asked)(new AggregateError([first, end, new Error('third')], '', { cause: new Error('inner') }))).toBe('permanent');
    expect(asked.mock.calls).toEqual([[first]]);
  });

  it('may be asked again and again, of itself too', () => {
    const again = throughCause(throughCause(classify));
    for (let i = 0; i < 3; i += 1) expect(again(caused({}, {}, { says: hint(5) }))).toEqual(hint(5));
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['false', false],
    ['a word of its own', 'no'],
    ['the empty word', ''],
    ['a promise', Promise.resolve('transient')],
    ['permanent in the form of an object', { verdict: 'permanent' }],
    ['a number', 5],
  ])('that answers %s is nonsense, in an AggregateError as well', (_, nonsense) => {
    const classify = throughCause(() => nonsense as never);
    expect(() => classify(new Error('bare'))).toThrow(/^a verdict must be /);
    expect(() => classify(new AggregateError([new Error('a'), new Error('b')]))).toThrow(/^a verdict must be /);
    expect(() => classify(new AggregateError([], '', { cause: 5 }))).toThrow(TypeError);
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['Infinity', Infinity],
    ['a negative number', -5],
  ])('that gives %s for a wait gives none, and leaves those of others', (_, retryAfterMs) => {
    const none = { says: { verdict: 'transient', retryAfterMs } };
    expect(classify(new AggregateError([none, { says: hint(5_000) }]))).toEqual(hint(5_000));
    expect(classify(new AggregateError([{ says: hint(5_000) }, none]))).toEqual(hint(5_000));
    expect(classify(new AggregateError([none, none]))).toBe('transient');
  });

  it('throws what it throws', () => {
    const fault = new Error('boom');
    const throwing = throughCause((error) => {
      if (error instanceof TypeError) throw fault;
      return undefined;
    });
    expect(throwing(new Error('fine'))).toBeUndefined();
    expect(() => throwing(new Error('outer', { cause: new TypeError('inner') }))).toThrow(fault);
    expect(() => throwing(new AggregateError([new Error('fine'), new TypeError('inner')]))).toThrow(fault);
  });

  it('that throws is a fault of the set-up to a run', async () => {
    const fault = new Error('boom');
    const classify = throughCause(() => {
      throw fault;
    });
    const error = await runWithRetry(() => Promise.reject(plain('503')), { classify }).catch((error: unknown) => error);
    expect(isRetryHookError(error)).toBe(true);
    expect(error).toMatchObject({ hook: 'classify', cause: fault });
  });
});

describe('the marks, asked along the causes', () => {
  const classify = throughCause(markedFailures);

  it.each<[string, unknown, Verdict | undefined]>([
    ['a transient one', new TransientFailure('busy'), 'transient'],
    ['a transient cause', new Error('import failed', { cause: new TransientFailure('busy') }), 'transient'],
    ['a wait', new Error('import failed', { cause: new TransientFailure('busy', { retryAfterMs: 50 }) }), hint(50)],
    ['a mark from outside', new Error('import failed', { cause: markTransient(Object.freeze(new Error('busy'))) }), 'transient'],
    [
      'the longest wait of several',
      new AggregateError([50, 70, 60].map((retryAfterMs) => new TransientFailure('', { retryAfterMs }))),
      hint(70),
    ],
    ['several, one without a mark', new AggregateError([new TransientFailure(), new Error('404')]), undefined],
    ['a permanent one', markPermanent(new TransientFailure('quota')), 'permanent'],
    ['a permanent one under a transient one', new TransientFailure('busy', { cause: markPermanent(new Error('quota')) }), 'permanent'],
    ['none', new Error('404', { cause: new Error('not found') }), undefined],
  ])('find %s', (_, error, verdict) => {
    expect(classify(error)).toEqual(verdict);
  });

  it('are not looked for along the causes without it', () => {
    expect(markedFailures(new Error('import failed', { cause: new TransientFailure('busy') }))).toBeUndefined();
  });
});

it.each([undefined, null, 'markedFailures', {}, [markedFailures]])('what is asked must be a function, not %j', (classifier) => {
  expect(() => throughCause(classifier as never)).toThrow(TypeError);
  expect(() => throughCause(classifier as never)).toThrow(/^classifier must be a function, got /);
});
