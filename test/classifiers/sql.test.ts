import fc from 'fast-check';
import type { Classifier } from 'retry-policy';
import * as all from 'retry-policy/classifiers';
import { describe, expect, it } from 'vitest';
import { judge } from '../../src/classify.js';
import { databaseFailures } from './databases/index.js';
import type { Database } from './databases/row.js';
import * as say from './thrown.js';

const byName: Readonly<Record<Database, Classifier>> = {
  postgres: all.postgresErrors,
  mysql: all.mysqlErrors,
  sqlite: all.sqliteErrors,
  sqlServer: all.sqlServerErrors,
  mongo: all.mongoErrors,
  redis: all.redisErrors,
};
const classifiers = [...Object.values(byName), all.sqlErrors];

describe('of the classifiers for databases', () => {
  it.each(databaseFailures)('only those that know it answer to $thrower: $fault', ({ error, knownBy }) => {
    const answering = Object.entries(byName).flatMap(([name, classify]) => (classify(error) === undefined ? [] : [name]));
    expect(answering).toEqual(knownBy);
    expect(all.sqlErrors(error)).toBe(knownBy.length > 0 ? 'transient' : undefined);
  });

  it('each knows something, and leaves something', () => {
    for (const name of Object.keys(byName) as Database[]) {
      expect(databaseFailures.some(({ knownBy }) => knownBy.length === 1 && knownBy[0] === name)).toBe(true);
    }
    expect(databaseFailures.filter(({ knownBy }) => knownBy.length === 0).length).toBeGreaterThan(100);
  });
});

describe('in a list', () => {
  const list = [all.sqlErrors, all.networkErrors, all.httpErrors(), all.grpcErrors()];
  const orders = [list, [...list].reverse(), [list[1], list[0], list[3], list[2]] as typeof list];

  it.each(databaseFailures)('their order does not matter to $thrower: $fault', ({ error }) => {
    expect(new Set(orders.map((order) => judge(error, order).transient)).size).toBe(1);
  });

  it('a refused connection belongs to networkErrors', () => {
    expect(all.sqlErrors(say.refused())).toBe(undefined);
    expect(judge(say.refused(), [all.sqlErrors, all.networkErrors]).transient).toBe(true);
  });
});

describe('along the chain', () => {
  const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' });
  const locked = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
  const loading = new Error('LOADING Redis is loading the dataset in memory');
  const violation = Object.assign(new Error('duplicate key value'), { code: '23505' });

  it('an aggregate may have members of several databases, and passes if each of them does', () => {
    const together = new AggregateError([deadlock, new Error('import failed', { cause: locked }), loading]);
    expect(all.sqlErrors(together)).toBe('transient');
    expect(all.postgresErrors(together)).toBe(undefined);
    expect(all.sqlErrors(new AggregateError([deadlock, violation]))).toBe(undefined);
  });

  it('an aggregate of one kind passes its own classifier', () => {
    expect(all.postgresErrors(new AggregateError([deadlock, deadlock]))).toBe('transient');
  });

  it('an abort ends the question', () => {
    const aborted = new Error('aborted by its caller', { cause: new DOMException('stop', 'AbortError') });
    for (const classify of classifiers) expect(classify(Object.assign(aborted, { code: '40P01' }))).toBe('permanent');
  });

  it('a commit of which nobody knows is not excused by what caused it', () => {
    const unknown = say.named('MongoServerError', '', { errorLabels: ['UnknownTransactionCommitResult'], cause: deadlock });
    expect(all.sqlErrors(unknown)).toBe(undefined);
  });

  it('a cycle ends', () => {
    const a = Object.assign(new Error('a'), { cause: undefined as unknown });
    a.cause = Object.assign(new Error('b'), { name: 'MongoNetworkError', cause: a });
    expect(all.sqlErrors(a)).toBe('transient');
  });
});

describe('whatever is thrown', () => {
  const fail = () => {
    throw new Error('a trap');
  };
  const trapped = new Proxy(new Error('x'), { get: fail, has: fail, getPrototypeOf: fail, ownKeys: fail });
  const getters = (...names: string[]) =>
    Object.defineProperties(new Error('x'), Object.fromEntries(names.map((name) => [name, { get: fail }])));

  it.each([
    ['null', null],
    ['undefined', undefined],
    ['a text', 'LOADING Redis is loading'],
    ['a number', 1205],
    ['a Proxy whose traps throw', trapped],
    [
      'getters that throw',
      getters('code', 'message', 'name', 'errno', 'sqlState', 'number', 'class', 'errorLabels', 'clientVersion', 'cause'),
    ],
    ['such a Proxy in every place', { name: trapped, code: trapped, message: trapped, errno: trapped, sqlState: '', number: trapped }],
    ['such a Proxy in the places of Prisma', { clientVersion: '', errorCode: trapped, meta: trapped }],
    ['such a Proxy in the places of SQL Server', { code: 'EREQUEST', number: trapped, originalError: trapped }],
    ['such a Proxy in the places of MongoDB', { name: 'MongoNetworkError', code: trapped, errorLabels: trapped, cause: { code: trapped } }],
    ['such a Proxy in the places of SQLite', { code: 'ERR_SQLITE_ERROR', errcode: trapped }],
    ['a revoked Proxy', revoked()],
  ])('%s is no reason to throw', (_, error) => {
    for (const classify of classifiers) expect(() => classify(error)).not.toThrow();
  });

  it('never makes them throw, or answer anything but transient', () => {
    const names = [...['code', 'message', 'name', 'errno', 'sqlState', 'number', 'class', 'errcode', 'errorLabels', 'cause', 'meta']];
    const word = fc.constantFrom(
      'SQLITE_BUSY',
      '40001',
      'EREQUEST',
      'MongoNetworkError',
      'P2034',
      1205,
      Symbol('s'),
      5n,
      Object.create(null) as object,
    );
    const shape = fc.dictionary(fc.constantFrom(...names, 'clientVersion', 'errorCode', 'originalError'), fc.oneof(word, fc.anything()));
    fc.assert(
      fc.property(fc.oneof(shape, fc.anything()), (thrown) => {
        for (const classify of classifiers) expect(['transient', undefined]).toContain(classify(thrown));
      }),
    );
  });
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
