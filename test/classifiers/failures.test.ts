import { failureStage, httpErrors, networkErrors, unknownHosts } from 'retry-policy/classifiers';
import { describe, expect, it } from 'vitest';
import { judge } from '../../src/classify.js';
import { failures } from './clients.js';
import type { Failure } from './thrown.js';

/** A server that says in words that it will not do it: the failure is not only no transient one. */
const refusedByTheServer = ['503 that asks for no retry'];

const wrapped = (error: unknown, times: number): unknown =>
  times === 0 ? error : new Error('the import failed', { cause: wrapped(error, times - 1) });

const forms: readonly (readonly [form: string, put: (error: unknown) => unknown])[] = [
  ['bare', (error) => error],
  ['as the cause of an error', (error) => wrapped(error, 1)],
  ['under ten causes', (error) => wrapped(error, 10)],
  ['alone in an AggregateError', (error) => new AggregateError([error], 'all failed')],
  ['twice in an AggregateError', (error) => new AggregateError([error, error], 'all failed')],
  ['each wrapped, in a wrapped AggregateError', (error) => wrapped(new AggregateError([wrapped(error, 1), wrapped(error, 2)]), 2)],
];

const verdictOf = (classifier: string, { aborted, knownBy, fault, retryAfterMs }: Failure) => {
  if (aborted) return 'permanent';
  if (classifier === 'httpErrors' && refusedByTheServer.includes(fault)) return 'permanent';
  if (classifier !== knownBy) return undefined;
  return retryAfterMs === undefined ? 'transient' : { verdict: 'transient', retryAfterMs };
};

it('the failures are those of runtimes and of clients', () => {
  expect(failures.length).toBeGreaterThan(150);
  expect(failures.filter(({ fault }) => refusedByTheServer.includes(fault))).toHaveLength(1);
});

const named = failures.map((failure) => [`${failure.thrower}: ${failure.fault}`, failure] as const);

describe.each(named)('%s', (_, failure) => {
  it('gets its verdicts, however it is wrapped', () => {
    const [network, hosts, http] = ['networkErrors', 'unknownHosts', 'httpErrors'].map((classifier) => verdictOf(classifier, failure));
    for (const [form, put] of forms) {
      const error = put(failure.error);
      const verdicts = { network: networkErrors(error), hosts: unknownHosts(error), http: httpErrors()(error) };
      expect(verdicts, form).toEqual({ network, hosts, http });
    }
  });

  it('is of its stage, however it is wrapped', () => {
    for (const [form, put] of forms) expect([failure.stage, failure.orStage], form).toContain(failureStage(put(failure.error)));
  });

  it('is judged the same in whatever order the classifiers are asked', () => {
    const [network, hosts, http] = [networkErrors, unknownHosts, httpErrors()];
    const orders = [network, hosts, http].flatMap((first) => [network, hosts, http].map((second) => [first, second, network, hosts, http]));
    const judgements = orders.map((classifiers) => judge(failure.error, classifiers));
    expect(judgements).toEqual(orders.map(() => judgements[0]));
    expect(judgements[0]?.transient).toBe(failure.transient && failure.knownBy !== 'grpcErrors');
  });
});

describe('one failure among others', () => {
  const certificate = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  const abort = new DOMException('stop', 'AbortError');
  const known = named.filter(([, { knownBy }]) => knownBy !== undefined && knownBy !== 'grpcErrors');
  const all = (error: unknown) => [networkErrors, unknownHosts, httpErrors()].map((classify) => classify(error));

  it.each(known)('%s, beside a bad certificate, is not transient', (_, { error }) => {
    for (const members of [
      [error, certificate],
      [certificate, error],
    ]) {
      expect(all(new AggregateError(members))).toEqual([undefined, undefined, undefined]);
    }
  });

  it.each(known)('%s, beside or above an abort, is permanent', (_, { error }) => {
    const mixed = [
      new AggregateError([error, abort]),
      new AggregateError([abort, error]),
      new AggregateError([error], '', { cause: wrapped(abort, 3) }),
    ];
    for (const aggregate of mixed) expect(all(aggregate)).toEqual(['permanent', 'permanent', 'permanent']);
  });
});
