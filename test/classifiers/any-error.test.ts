import fc from 'fast-check';
import { markedFailures, runWithRetry } from 'retry-policy';
import { failureStage, httpErrors, networkErrors, throughCause, unknownHosts } from 'retry-policy/classifiers';
import { describe, expect, it } from 'vitest';
import { failures } from './clients.js';
import { anyThrown, hostiles } from './hostile.js';

const classifiers = {
  networkErrors,
  unknownHosts,
  'httpErrors()': httpErrors(),
  'httpErrors({ statuses: [] })': httpErrors({ statuses: [], now: () => Number.NaN }),
  'throughCause(markedFailures)': throughCause(markedFailures),
};

const isVerdict = (verdict: unknown): boolean => {
  if (verdict === undefined || verdict === 'transient' || verdict === 'permanent') return true;
  const { retryAfterMs, ...others } = verdict as { retryAfterMs: number };
  expect(others).toEqual({ verdict: 'transient' });
  return Number.isSafeInteger(retryAfterMs) && retryAfterMs >= 0;
};

/** What writes on it, or on anything that it gives, is written down. */
function watched(value: unknown, written: PropertyKey[]): unknown {
  if (Object(value) !== value || typeof value === 'function' || value instanceof Headers) return value;
  const note = (_: object, key: PropertyKey) => written.push(key) > 0;
  const traps: ProxyHandler<object> = {
    get: (target, key) => watched(Reflect.get(target, key, target), written),
    set: note,
    defineProperty: note,
    deleteProperty: note,
    setPrototypeOf: (target) => note(target, '__proto__'),
    preventExtensions: (target) => note(target, 'preventExtensions'),
  };
  return new Proxy(value as object, traps);
}

describe.each(Object.entries(classifiers))('%s', (_, classify) => {
  // softonic/axios-retry#113, JustinBeckwith/retry-axios#95: errors without the expected fields crashed the classifier
  it('takes whatever is thrown, and answers a verdict or nothing', () => {
    fc.assert(fc.property(anyThrown, (make) => isVerdict(classify(make()))));
    fc.assert(fc.property(fc.anything(), (thrown) => isVerdict(classify(thrown))));
  });

  it('says the same of the same', () => {
    fc.assert(
      fc.property(anyThrown, (make) => {
        const thrown = make();
        expect(classify(thrown)).toEqual(classify(thrown));
      }),
    );
  });

  it('writes on nothing', () => {
    for (const { error, thrower, fault } of failures) {
      const written: PropertyKey[] = [];
      const verdict = classify(error);
      if (!(error instanceof DOMException)) expect(classify(watched(error, written)), `${thrower}: ${fault}`).toEqual(verdict);
      expect(written).toEqual([]);
    }
  });

  it('reads what is frozen as well as what is not', () => {
    for (const status of [413, 429, 503]) {
      const error = () => ({ status, headers: Object.freeze({ 'Retry-After': '2' }), cause: Object.freeze(new Error('inner')) });
      const code = () => Object.assign(new Error('outer', { cause: error() }), { code: 'ECONNRESET', errors: Object.freeze([1]) });
      expect(classify(Object.freeze(error()))).toEqual(classify(error()));
      expect(classify(Object.freeze(code()))).toEqual(classify(code()));
    }
  });

  it('keeps nothing in mind: what was asked before does not matter', () => {
    const first = failures.map(({ error }) => classify(error));
    const backwards = [...failures].reverse().map(({ error }) => classify(error));
    expect(backwards.reverse()).toEqual(first);
  });
});

it('a stage is one of three, whatever is thrown', () => {
  fc.assert(fc.property(anyThrown, (make) => ['not-sent', 'unknown', 'answered'].includes(failureStage(make()))));
  fc.assert(fc.property(fc.anything(), (thrown) => ['not-sent', 'unknown', 'answered'].includes(failureStage(thrown))));
});

const saysSomething = /^(headers|a Proxy that has everything)/;

it.each(hostiles().filter(([name]) => !saysSomething.test(name)))('%s is known to no classifier, and stays dead', async (_, thrown) => {
  for (const classify of Object.values(classifiers)) expect(classify(thrown)).toBeUndefined();
  const result = await runWithRetry(() => Promise.reject(thrown), { classify: Object.values(classifiers) });
  expect(result).toMatchObject({ ok: false, reason: 'permanent', attempts: 1 });
});

it.each(hostiles().filter(([name]) => name.startsWith('headers')))('%s hold no hint, and harm nobody', (_, error) => {
  expect(classifiers['httpErrors()'](error)).toBe('transient');
  expect(classifiers['httpErrors({ statuses: [] })'](error)).toBeUndefined();
});
