import { runInNewContext } from 'node:vm';
import fc from 'fast-check';

const refuse = () => {
  throw new Error('hands off');
};

const traps: ProxyHandler<object> = {
  get: refuse,
  set: refuse,
  has: refuse,
  ownKeys: refuse,
  getPrototypeOf: refuse,
  setPrototypeOf: refuse,
  getOwnPropertyDescriptor: refuse,
  defineProperty: refuse,
  deleteProperty: refuse,
  isExtensible: refuse,
  preventExtensions: refuse,
};

/** A Proxy that lets nobody near. */
export const untouchable = (target: object = {}): object => new Proxy(target, traps);

export const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** Whatever is asked of it, it has, and that has it too. */
export const bottomless = (): object => new Proxy(() => {}, { get: (_, key) => (key === Symbol.toPrimitive ? undefined : bottomless()) });

/** Has `fields`, and a getter that throws under each of the other names that a classifier might ask for. */
export function guarded(fields: object = {}): object {
  const names = ['name', 'message', 'code', 'syscall', 'cause', 'errors', 'response', 'status', 'statusCode', 'headers', '$metadata'];
  const object = Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, { get: refuse, configurable: true }])));
  return Object.defineProperties(object, Object.getOwnPropertyDescriptors(fields));
}

/** An aggregate whose list is no list. */
export const aggregateOf = (errors: unknown, more: object = {}): object => ({ name: 'AggregateError', errors, ...more });

export const primitives: readonly unknown[] = [
  'fetch failed',
  'Failed to fetch',
  '',
  42,
  503,
  Number.NaN,
  5n,
  true,
  Symbol('503'),
  null,
  undefined,
];

/** What can be thrown, and does no good. Fresh ones for each asker. */
export const hostiles = (): [string, unknown][] => [
  ...primitives.map((value): [string, unknown] => [`the primitive ${typeof value} ${String(value)}`, value]),
  ['an empty object', {}],
  ['an empty list', []],
  ['an object without a prototype', Object.create(null)],
  ['a function', () => {}],
  ['a Proxy whose traps throw', untouchable()],
  ['a Proxy of an error whose traps throw', untouchable(new Error('503'))],
  ['a revoked Proxy', revoked()],
  ['a Proxy that has everything', bottomless()],
  ['an object whose getters throw', guarded()],
  ['an error over a Proxy whose traps throw', new Error('outer', { cause: untouchable() })],
  ['an error over a revoked Proxy', new Error('outer', { cause: revoked() })],
  ['a response that lets nobody near', { response: untouchable() }],
  ['headers that let nobody near', { status: 429, headers: untouchable() }],
  ['headers whose get throws', { status: 429, headers: { get: refuse } }],
  ['headers of null', { status: 429, headers: null }],
  ['headers of text', { status: 429, headers: 'retry-after: 2' }],
  ['metadata that lets nobody near', { $metadata: untouchable(), $response: untouchable() }],
  ['an aggregate of nothing', new AggregateError([])],
  ['an aggregate without a list', aggregateOf(undefined)],
  ['an aggregate of text', aggregateOf('ECONNREFUSED')],
  ['an aggregate whose list lets nobody near', aggregateOf(untouchable([]))],
  ['an aggregate whose list is revoked', aggregateOf(revoked())],
  ['an aggregate whose list has everything', aggregateOf(bottomless())],
  ['an aggregate of a length below zero', aggregateOf({ length: -1 })],
  ['an aggregate of no length', aggregateOf({ length: Number.NaN })],
  ['an aggregate without an end', aggregateOf({ length: Infinity })],
  ['an aggregate of a length of text', aggregateOf({ length: '2' })],
  ['an aggregate that lets nobody near its members', aggregateOf([untouchable(), revoked(), guarded()])],
  ['an error of another realm', runInNewContext("Object.assign(new Error('x'), { code: 7, cause: null, headers: [] })")],
  ['a document.all of a kind', Object.assign(Object.create({}), { code: {}, name: [], message: 5, cause: 5, status: '503' })],
];

const scalar = fc.oneof(
  fc.constantFrom(...primitives),
  fc.constantFrom('AbortError', 'TypeError', 'AggregateError', 'ECONNRESET', 503, 413, Infinity),
);

/** Stand-ins, until the value is made: what makes values must not touch these. */
const makers: readonly unknown[] = [untouchable, revoked, bottomless, guarded];

function made(plan: unknown): unknown {
  if (makers.includes(plan)) return (plan as () => object)();
  if (Array.isArray(plan)) return plan.map(made);
  if (Object(plan) !== plan || Object.getPrototypeOf(plan) !== Planned) return plan;
  return Object.fromEntries(Object.entries(plan as object).map(([key, value]) => [key, made(value)]));
}
const Planned = {};

const planned: fc.Arbitrary<unknown> = fc.letrec<{ thrown: unknown }>((tie) => ({
  thrown: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.constantFrom(...makers),
    fc
      .record(
        {
          name: fc.oneof(scalar, tie('thrown')),
          message: fc.oneof(scalar, fc.string()),
          code: fc.oneof(scalar, tie('thrown')),
          cause: tie('thrown'),
          errors: fc.oneof(fc.array(tie('thrown'), { maxLength: 5 }), tie('thrown')),
          status: fc.oneof(scalar, fc.integer({ min: 0, max: 700 }), fc.double()),
          headers: fc.oneof(
            fc.dictionary(fc.constantFrom('retry-after', 'x-should-retry', 'Date', 'get'), fc.oneof(scalar, fc.string())),
            tie('thrown'),
          ),
          response: tie('thrown'),
          $metadata: tie('thrown'),
          $response: tie('thrown'),
          $retryable: tie('thrown'),
        },
        { requiredKeys: [] },
      )
      .map((fields) => Object.assign(Object.create(Planned), fields)),
  ),
})).thrown;

/** Things that look like errors, with anything in the fields that classifiers read. */
export const anyThrown: fc.Arbitrary<() => unknown> = planned.map((plan) => () => made(plan));
