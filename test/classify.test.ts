import {
  type Classifier,
  decide,
  isRetryHookError,
  markedFailures,
  markPermanent,
  markTransient,
  type RetryHookError,
  TransientFailure,
} from 'retry-policy';
import { fixedRandom } from 'retry-policy/testing';
import { describe, expect, it, vi } from 'vitest';
import { judge, judgement } from '../src/classify.js';

const unknown: Classifier = () => undefined;
const transient: Classifier = () => 'transient';
const permanent: Classifier = () => 'permanent';

const decideOn = (error: unknown, classify?: Classifier | readonly Classifier[]) =>
  decide({ attempt: 1, error, elapsedMs: 0 }, { classify }, { now: 0, random: fixedRandom(0) });

const faultOf = (classify: unknown, error: unknown = new Error('503')): RetryHookError => {
  try {
    decideOn(error, classify as Classifier);
  } catch (fault) {
    if (isRetryHookError(fault)) return fault;
    throw fault;
  }
  throw new Error('the classifier was believed');
};

describe('judging a failure', () => {
  it.each<[string, unknown, readonly Classifier[], object]>([
    ['nobody knows it: permanent', new Error('404'), [], { transient: false, judgedBy: 'default' }],
    ['every classifier passes: permanent', new Error('404'), [unknown, unknown], { transient: false, judgedBy: 'default' }],
    ['the first that knows decides', new Error('503'), [unknown, transient, permanent], { transient: true, judgedBy: 'classifier' }],
    ['permanent is a verdict too', new Error('503'), [permanent, transient], { transient: false, judgedBy: 'classifier' }],
    ['a transient mark outranks a classifier', new TransientFailure(), [permanent], { transient: true, judgedBy: 'mark' }],
    ['a permanent mark outranks a classifier', markPermanent(new Error()), [transient], { transient: false, judgedBy: 'mark' }],
    ['the hint of a mark counts', markTransient({}, { retryAfterMs: 5 }), [], { transient: true, judgedBy: 'mark', retryAfterMs: 5 }],
    ['what is thrown need not be an error', undefined, [transient], { transient: true, judgedBy: 'classifier' }],
    ['the classifier of marks may be in the list', new TransientFailure(), [markedFailures], { transient: true, judgedBy: 'mark' }],
  ])('%s', (_, error, classifiers, expected) => {
    expect(judge(error, classifiers)).toEqual(expected);
  });

  it('asks each classifier once, in order, with the very error, and none after the first that knows', () => {
    const asked: unknown[][] = [];
    const asks = (name: string, classify: Classifier): Classifier => {
      return (...args) => {
        asked.push([name, ...args]);
        return classify(...args);
      };
    };
    const error = Object.freeze(new Error('503'));
    judge(error, [asks('first', unknown), asks('second', transient), asks('third', transient)]);
    expect(asked.map(([name]) => name)).toEqual(['first', 'second']);
    for (const [, ...args] of asked) expect(args[0]).toBe(error);
  });

  it('asks no classifier about what bears a mark', () => {
    const classify = vi.fn(transient);
    expect(decideOn(markPermanent(new Error('gone')), classify)).toMatchObject({ reason: 'permanent', judgedBy: 'mark' });
    expect(classify).not.toHaveBeenCalled();
  });

  it('takes one classifier or a list of them', () => {
    expect(decideOn('503', transient)).toMatchObject({ action: 'retry', judgedBy: 'classifier' });
    expect(decideOn('503', [unknown, transient])).toMatchObject({ action: 'retry', judgedBy: 'classifier' });
  });
});

describe('a verdict', () => {
  it.each<[number | undefined, number | undefined]>([
    [200, 200],
    [undefined, undefined],
    [1.4, 2], // openclaw/openclaw#68600: rounding down broke the floor
    [0, 0],
    [Number.MIN_VALUE, 1],
    [Number.MAX_VALUE, Number.MAX_SAFE_INTEGER],
    [-1, undefined],
    [Number.NaN, undefined],
    [Infinity, undefined],
  ])('with retryAfterMs %s is transient with a hint of %s', (retryAfterMs, hint) => {
    const verdict = { verdict: 'transient', retryAfterMs: retryAfterMs as number } as const;
    expect(judgement(verdict)).toEqual({ transient: true, judgedBy: 'classifier', retryAfterMs: hint });
  });

  it('is read once, so that it cannot change between the check and the use', () => {
    const readings = [5, -5];
    const verdict = {
      verdict: 'transient' as const,
      get retryAfterMs() {
        return readings.shift() ?? Number.NaN;
      },
    };
    expect(judgement(verdict).retryAfterMs).toBe(5);
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'null'],
    ['true', true, 'true'],
    ['a number', 500, '500'],
    ['a misspelt word', 'Transient', '"Transient"'],
    ['the empty word', '', '""'],
    ['an empty object', {}, 'object'],
    ['permanent in the form of an object', { verdict: 'permanent' }, 'object'],
    ['a hint without a verdict', { retryAfterMs: 5 }, 'object'],
    ['a hint of text', { verdict: 'transient', retryAfterMs: '5' }, 'object'],
    ['a hint of null', { verdict: 'transient', retryAfterMs: null }, 'object'],
    ['a function', () => 'transient', 'function'],
  ])('of %s is nonsense, told as a fault of the classify hook', (_, verdict, shown) => {
    const error = new Error('503');
    const fault = faultOf(() => verdict as never, error);
    const message = `a verdict must be 'transient', 'permanent' or { verdict: 'transient', retryAfterMs }, got ${shown}`;
    expect(fault.hook).toBe('classify');
    expect(fault.cause).toEqual(new TypeError(message));
    expect(fault.error).toBe(error);
    expect(fault.log).toEqual([]);
  });

  it('cannot be a promise: a classifier must be synchronous', () => {
    const fault = faultOf(async () => 'transient');
    expect(fault.hook).toBe('classify');
    expect(fault.cause).toBeInstanceOf(TypeError);
  });

  it('that is a promise all the same is listened to, so that its rejection does not end the process', () => {
    const then = vi.fn((_: unknown, rejected: (reason: unknown) => void) => rejected('late'));
    faultOf(() => Object.assign(new Promise(() => {}), { then }) as never);
    expect(then).toHaveReturned();
  });
});

it('a classifier that throws is a fault of the set-up, told beside the failure', () => {
  const [error, boom] = [new Error('503'), new TypeError('boom')];
  const fault = faultOf(
    [
      unknown,
      () => {
        throw boom;
      },
    ],
    error,
  );
  expect(fault.hook).toBe('classify');
  expect(fault.cause).toBe(boom);
  expect(fault.error).toBe(error);
});
