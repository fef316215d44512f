import { DeadLetterError, markPermanent, markTransient, TransientFailure } from 'retry-policy';
import { failureStage, httpErrors, networkErrors, throughCause, unknownHosts } from 'retry-policy/classifiers';
import { describe, expect, it } from 'vitest';
import { rememberAttempts } from '../../src/classifiers/attempts.js';
import { classifierOf, type Said } from '../../src/classifiers/verdicts.js';
import * as say from './thrown.js';

const classifiers = [networkErrors, unknownHosts, httpErrors(), throughCause(() => 'transient')];
const deadLetter = (error: unknown = say.refused()) => new DeadLetterError({ error, reason: 'attempts-exhausted', log: [], attempts: 4 });
const gaveUpOn = <E extends object>(error: E): E => {
  rememberAttempts(error, []);
  return error;
};

/** Each is worth another attempt, if only it were asked alone. */
const ends: [string, () => object][] = [
  ['a dead letter', deadLetter],
  ['what bears the permanent mark', () => markPermanent(say.refused())],
  ['what bears both marks', () => markPermanent(markTransient(say.refused()))],
  ['what bears the brand', () => Object.assign(say.refused(), { [Symbol.for('retry-policy.permanent')]: true })],
  ['an answer with the permanent mark', () => markPermanent({ status: 503, headers: {} })],
  ['an abort', () => say.aborted()],
  ['an error that a retrying fetch threw', () => gaveUpOn(say.fetchFailed(say.refused()))],
  ['an answer that a retrying fetch gave', () => gaveUpOn(new Response(null, { status: 503 }))],
  [
    'what a client made of such an answer',
    () => say.named('HTTPError', '503', { response: gaveUpOn(new Response(null, { status: 503 })) }),
  ],
];

describe.each(ends)('%s ends the question', (_, make) => {
  it.each<[string, (end: unknown) => unknown]>([
    ['by itself', (end) => end],
    ['as a cause', (cause) => new Error('outer', { cause })],
    ['deep inside', (end) => Array.from({ length: 50 }).reduce((cause) => new Error('outer', { cause }), end)],
    ['under a network failure', (cause) => Object.assign(say.reset(), { cause })],
    ['under an answer', (cause) => ({ status: 503, headers: { 'retry-after': '7' }, cause })],
    ['under a transient mark', (cause) => markTransient(new Error('busy', { cause }))],
    ['alone in an AggregateError', (end) => new AggregateError([end])],
    ['among what passes', (end) => new AggregateError([say.refused(), end, say.reset()])],
    ['among what does not pass', (end) => new AggregateError([say.selfSigned(), end])],
    ['under the members of one', (cause) => new AggregateError([say.refused(), new Error('outer', { cause })])],
    ['under an AggregateError', (cause) => new AggregateError([say.refused()], '', { cause })],
  ])('%s', (_, put) => {
    for (const classify of classifiers) expect(classify(put(make()))).toBe('permanent');
  });
});

it('the stage of a dead letter is unknown, since it had many attempts; that of what a user marked is as it was', () => {
  expect(failureStage(deadLetter())).toBe('unknown');
  expect(failureStage(new Error('outer', { cause: deadLetter() }))).toBe('unknown');
  expect(failureStage(Object.assign(say.refused(), { cause: deadLetter() }))).toBe('unknown');
  expect(failureStage(new AggregateError([say.refused(), deadLetter()]))).toBe('unknown');
  expect(failureStage(markPermanent(say.refused()))).toBe('not-sent');
  expect(failureStage(new Error('outer', { cause: markPermanent(say.refused()) }))).toBe('not-sent');
  expect(failureStage(markPermanent({ status: 503, headers: {} }))).toBe('answered');
});

it('a transient mark is none of their business', () => {
  const marked = new TransientFailure('busy', { retryAfterMs: 5 });
  expect(classifiers.slice(0, 3).map((classify) => classify(marked))).toEqual([undefined, undefined, undefined]);
  expect(networkErrors(markTransient(say.selfSigned()))).toBeUndefined();
});

describe('the verdict on several', () => {
  const classify = classifierOf((node) => (node as { says?: Said }).says);
  const hint = (retryAfterMs: number) => ({ verdict: 'transient', retryAfterMs }) as const;
  const both = (...said: Said[]) => classify(new AggregateError(said.map((says) => ({ says }))));

  it.each<[Said[], Said]>([
    [['transient'], 'transient'],
    [['transient', 'transient'], 'transient'],
    [[hint(5)], hint(5)],
    [[hint(5), 'transient'], hint(5)],
    [['transient', hint(0)], hint(0)],
    [[hint(5), hint(7), hint(6)], hint(7)],
    [[hint(Number.MAX_SAFE_INTEGER), hint(7)], hint(Number.MAX_SAFE_INTEGER)],
    [[hint(5), undefined], undefined],
    [[undefined, 'transient'], undefined],
    [['no', hint(5)], undefined],
    [['no'], undefined],
    [[undefined], undefined],
    [['permanent'], 'permanent'],
    [['permanent', 'no', undefined, hint(5)], 'permanent'],
    [[undefined, 'no', 'permanent'], 'permanent'],
  ])('of %j is %j', (said, verdict) => {
    expect(both(...said)).toEqual(verdict);
  });

  it('is one of them where one aggregate holds another', () => {
    const inner = new AggregateError([{ says: hint(5) }, { says: 'transient' }]);
    expect(classify(new AggregateError([inner, { says: hint(3) }]))).toEqual(hint(5));
    expect(classify(new AggregateError([inner, { says: 'no' }]))).toBeUndefined();
  });

  it('that one does not pass is not undone by its causes', () => {
    expect(classify({ says: 'no', cause: { says: 'transient' } })).toBeUndefined();
    expect(classify(new AggregateError([{ says: 'no' }], '', { cause: { says: 'transient' } }))).toBeUndefined();
    expect(classify({ says: 'transient', cause: { says: 'no' } })).toBe('transient');
    expect(classify({ says: undefined, cause: { says: 'transient' } })).toBe('transient');
    expect(classify({ says: 'transient', cause: { says: 'permanent' } })).toBe('transient');
    expect(classify({ says: 'permanent', cause: { says: 'transient' } })).toBe('permanent');
  });
});
