import { attemptsOf, retryingFetch } from 'retry-policy/fetch';
import { fixedRandom, frozenClock } from 'retry-policy/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as say from '../classifiers/thrown.js';
import { thrownBy } from './ending.js';
import { scriptedFetch } from './scripted-fetch.js';

const ATTEMPTS = Symbol.for('retry-policy.attempts');
const url = 'https://example.com/';
const run = { clock: frozenClock(0), random: fixedRandom(0) };

describe('attemptsOf', () => {
  it.each([undefined, null, 'text', 42, 5n, true, Symbol('s'), {}, () => {}, new Error('x'), new Response(), Object.freeze({})])(
    'knows nothing of %s',
    (other) => {
      expect(attemptsOf(other)).toBeUndefined();
    },
  );

  it('knows a response, and not its clone', async () => {
    const response = await retryingFetch({ run, fetch: scriptedFetch(503, 200) })(url);
    expect(attemptsOf(response)?.map(({ action }) => action)).toEqual(['retry', 'succeed']);
    expect(attemptsOf(response.clone())).toBeUndefined();
    expect(Reflect.ownKeys(response)).not.toContain(ATTEMPTS);
  });

  it('knows an error, even a frozen one, and not what wraps it', async () => {
    const error = Object.freeze(say.fetchFailed(say.reset()));
    await thrownBy(retryingFetch({ run, fetch: scriptedFetch({ error }) })(url));
    expect(attemptsOf(error)).toHaveLength(4);
    expect(attemptsOf(new Error('wrapped', { cause: error }))).toBeUndefined();
  });

  it('knows the last call of what several have given', async () => {
    const { error } = { error: say.fetchFailed(say.reset()) };
    await thrownBy(retryingFetch({ run, fetch: scriptedFetch({ error }) })(url));
    await thrownBy(retryingFetch({ run, fetch: scriptedFetch({ error }), policy: { maxAttempts: 2 } })(url));
    expect(attemptsOf(error)).toHaveLength(2);
  });

  it('does not know the responses that were replaced', async () => {
    const fetch = scriptedFetch(503, 200);
    await retryingFetch({ run, fetch })(url);
    expect(fetch.answers.map(({ response }) => attemptsOf(response)?.length)).toEqual([undefined, 2]);
  });

  it('cannot know what is no object', async () => {
    const error = await thrownBy(retryingFetch({ run, fetch: scriptedFetch({ error: 'lost' }) })(url));
    expect(attemptsOf(error)).toBeUndefined();
  });
});

describe('two copies of the library', () => {
  let copy: typeof import('retry-policy/fetch');
  let itsClassifiers: typeof import('retry-policy/classifiers');
  beforeEach(async () => {
    vi.resetModules();
    copy = await import('retry-policy/fetch');
    itsClassifiers = await import('retry-policy/classifiers');
  });

  it('know the attempts of each other', async () => {
    expect(copy.attemptsOf).not.toBe(attemptsOf);
    const mine = await retryingFetch({ run, fetch: scriptedFetch(503, 200) })(url);
    const theirs = await copy.retryingFetch({ run, fetch: scriptedFetch(503, 503, 200) })(url);
    expect([copy.attemptsOf(mine)?.length, attemptsOf(theirs)?.length]).toEqual([2, 3]);
    const error = await thrownBy(copy.retryingFetch({ run, fetch: scriptedFetch({ error: say.fetchFailed(say.reset()) }) })(url));
    expect(attemptsOf(error)).toHaveLength(4);
  });

  it('do not repeat what the other has given up', async () => {
    const error = await thrownBy(retryingFetch({ run, fetch: scriptedFetch({ error: say.fetchFailed(say.reset()) }) })(url));
    const { networkErrors, unknownHosts, httpErrors } = itsClassifiers;
    const response = await retryingFetch({ run, fetch: scriptedFetch(503) })(url);
    const failures = [error, new Error('wrapped', { cause: error }), response, Object.assign(new Error('503'), { response })];
    for (const classify of [networkErrors, unknownHosts, httpErrors()]) {
      expect(failures.map(classify)).toEqual(['permanent', 'permanent', 'permanent', 'permanent']);
    }
  });

  it('keep the attempts in one WeakMap, made when it is first asked for', async () => {
    attemptsOf({});
    const original = Object.getOwnPropertyDescriptor(globalThis, ATTEMPTS) as PropertyDescriptor;
    Reflect.deleteProperty(globalThis, ATTEMPTS);
    try {
      expect(copy.attemptsOf).toBeTypeOf('function');
      expect(ATTEMPTS in globalThis).toBe(false);
      expect(copy.attemptsOf({})).toBeUndefined();
      expect(Reflect.get(globalThis, ATTEMPTS)).toBeInstanceOf(WeakMap);
    } finally {
      Object.defineProperty(globalThis, ATTEMPTS, original);
    }
  });
});
