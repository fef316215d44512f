import fc from 'fast-check';
import { type GrpcErrorsOptions, grpcErrors, httpErrors, networkErrors, sqlErrors } from 'retry-policy/classifiers';
import { describe, expect, it } from 'vitest';
import { judge } from '../../src/classify.js';
import { databaseFailures } from './databases/index.js';
import * as say from './thrown.js';

/** Metadata as grpc-js has it. */
const metadata = (values: Readonly<Record<string, unknown>> = {}) => ({ get: (name: string) => [values[name] ?? []].flat() });

const grpcJs = (code: number, values?: Readonly<Record<string, unknown>>) =>
  say.plain(`${code} STATUS: as the server says it`, { code, details: 'as the server says it', metadata: metadata(values) });
const gax = (code: number, fields: object = {}) => say.ofClass('GoogleError', '', { code, details: '', metadata: metadata(), ...fields });
const connect = (code: number, fields: object = {}) =>
  say.named('ConnectError', '[status] as the server says it', { rawMessage: '', code, metadata: new Headers(), details: [], ...fields });
const grpcWeb = (code: number, values: object = {}) => say.named('RpcError', 'as the server says it', { code, metadata: values });

const statuses = [
  ...['CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS', 'PERMISSION_DENIED'],
  ...['RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS'],
  'UNAUTHENTICATED',
];
const verdicts: Readonly<Record<string, string>> = { CANCELLED: 'permanent', UNAVAILABLE: 'transient' };

describe('a status', () => {
  it.each(statuses.map((name, i) => [name, i + 1, verdicts[name]] as const))('%s is judged alike of every client', (_, code, verdict) => {
    for (const says of [grpcJs, gax, connect, grpcWeb]) {
      expect(grpcErrors()(says(code))).toBe(verdict);
      expect(grpcErrors()(new Error('the call failed', { cause: says(code) }))).toBe(verdict);
    }
  });

  it('ABORTED is transient if that is asked for', () => {
    expect(grpcErrors({ aborted: true })(grpcJs(10))).toBe('transient');
    expect(grpcErrors({ aborted: false })(grpcJs(10))).toBe(undefined);
    expect(grpcErrors({ aborted: undefined })(grpcJs(10))).toBe(undefined);
    expect(grpcErrors({ aborted: true })(grpcJs(9))).toBe(undefined);
  });

  it('outranks that of its cause, unless it is UNKNOWN', () => {
    expect(grpcErrors()(connect(13, { cause: grpcJs(14) }))).toBe(undefined);
    expect(grpcErrors()(connect(2, { cause: grpcJs(14) }))).toBe('transient');
  });

  it('of an aggregate is that of all its members', () => {
    expect(grpcErrors()(new AggregateError([grpcJs(14), grpcJs(14)]))).toBe('transient');
    expect(grpcErrors()(new AggregateError([grpcJs(14), grpcJs(3)]))).toBe(undefined);
    expect(grpcErrors()(new AggregateError([grpcJs(14), grpcJs(1)]))).toBe('permanent');
  });
});

describe('what is no gRPC error', () => {
  it.each([
    ['a DOMException with the number of ABORTED', new DOMException('', 'NoDataAllowedError')],
    ['a code alone', say.plain('exited', { code: 14 })],
    ['a code as a text', say.plain('', { code: '14', details: '', metadata: metadata() })],
    ['an HTTP status beside details', say.plain('', { code: 503, details: '' })],
    ['0', say.plain('', { code: 0, details: '' })],
    ['17', say.plain('', { code: 17, details: '' })],
    ['details of another kind', say.plain('', { code: 14, details: 5, metadata: '', statusDetails: null })],
    ['a refused connection', say.refused()],
    ['null', null],
    ['a text', '14 UNAVAILABLE: no'],
  ])('is left to others: %s', (_, error) => {
    expect(grpcErrors()(error)).toBe(undefined);
  });

  it.each(databaseFailures)('is left to others: $fault, by $thrower', ({ error }) => {
    expect(grpcErrors({ aborted: true })(error)).toBe(undefined);
  });

  it.each(statuses.map((name, i) => [name, i + 1] as const))('and others leave %s to it', (_, code) => {
    for (const says of [grpcJs, gax, connect, grpcWeb]) {
      for (const classify of [sqlErrors, networkErrors, httpErrors()]) expect(classify(says(code))).toBe(undefined);
      const orders = [
        [grpcErrors(), networkErrors, httpErrors(), sqlErrors] as const,
        [sqlErrors, httpErrors(), networkErrors, grpcErrors()],
      ];
      const [first, last] = orders.map((order) => judge(says(code), order));
      expect(first).toEqual(last);
    }
  });
});

describe('a pushback', () => {
  const name = 'grpc-retry-pushback-ms';
  const pushed = (code: number, value: unknown) => [
    grpcJs(code, { [name]: value }),
    connect(code, { metadata: new Headers({ [name]: String(value) }) }),
    grpcWeb(code, { [name]: value }),
  ];

  it.each([
    ['0', 0],
    ['250', 250],
    ['2147483647', 2_147_483_647],
  ])('of %s is the wait of what is retryable', (value, retryAfterMs) => {
    for (const error of pushed(14, value)) expect(grpcErrors()(error)).toEqual({ verdict: 'transient', retryAfterMs });
    for (const error of pushed(10, value)) expect(grpcErrors({ aborted: true })(error)).toEqual({ verdict: 'transient', retryAfterMs });
  });

  it('makes nothing retryable', () => {
    for (const code of [2, 4, 8, 10, 13]) for (const error of pushed(code, '250')) expect(grpcErrors()(error)).toBe(undefined);
  });

  it.each(['-1', '-0', '', '1.5', '1e3', '007', '+5', '0x10', 'soon', '5, 6', '2147483648', '9'.repeat(400)])(
    'of %j is the word not to come back',
    (value) => {
      for (const code of [14, 8, 4]) for (const error of pushed(code, value)) expect(grpcErrors()(error)).toBe('permanent');
    },
  );

  it('of several values, or of bytes, is the word not to come back', () => {
    expect(grpcErrors()(grpcJs(14, { [name]: ['5', '6'] }))).toBe('permanent');
    expect(grpcErrors()(grpcJs(14, { [name]: Buffer.from('5') }))).toBe('permanent');
  });

  it('that is not there says nothing', () => {
    expect(grpcErrors()(grpcJs(14, { [name]: [] }))).toBe('transient');
    expect(grpcErrors()(grpcWeb(14, { [name]: null }))).toBe('transient');
    expect(grpcErrors()(say.plain('', { code: 14, details: '' }))).toBe('transient');
  });
});

// Written by protobufjs with the schema of google/rpc/error_details.proto.
const type = 'dHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5SW5mbx';
const status = {
  'RateLimit, and 3.5 s':
    'CAgSBGJ1c3kaRQoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLkVycm9ySW5mbxIZCgpSQVRFX0xJTUlUEgtleGFtcGxlLmNvbRo2Cih0eXBlLmdvb2dsZWFwaXMuY29tL2dvb2dsZS5ycGMuUmV0cnlJbmZvEgoKCAgDEIDKte4B',
  '1 ns': `CAgSBGJ1c3kaMgoo${type}IGCgQIABAB`,
  'no delay': `CAgSBGJ1c3kaLAoo${type}IA`,
  'ten thousand years': `CAgSBGJ1c3kaNwoo${type}ILCgkIgLyuzpcJEAA=`,
  'a second more': `CAgSBGJ1c3kaNwoo${type}ILCgkIgbyuzpcJEAA=`,
  'a second less than nothing': `CAgSBGJ1c3kaOwoo${type}IPCg0I////////////ARAA`,
  '5 ns less than nothing': `CAgSBGJ1c3kaOwoo${type}IPCg0IABD7//////////8B`,
  'no RetryInfo': 'CAgSBGJ1c3kaRQoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLkVycm9ySW5mbxIZCgpSQVRFX0xJTUlUEgtleGFtcGxlLmNvbQ==',
};

describe('a RetryInfo', () => {
  const bin = (value: unknown) => ({ 'grpc-status-details-bin': value });
  const waits: readonly (readonly [keyof typeof status, number | undefined])[] = [
    ['RateLimit, and 3.5 s', 3_500],
    ['1 ns', 1],
    ['no delay', 0],
    ['ten thousand years', 315_576_000_000_000],
    ['a second more', undefined],
    ['a second less than nothing', undefined],
    ['5 ns less than nothing', undefined],
    ['no RetryInfo', undefined],
  ];

  it.each(waits)('in the metadata is read as bytes and as base64: %s', (name, retryAfterMs) => {
    const text = status[name];
    const verdict = retryAfterMs === undefined ? undefined : { verdict: 'transient', retryAfterMs };
    const errors = (code: number) => [
      grpcJs(code, bin(Buffer.from(text, 'base64'))),
      grpcJs(code, bin([new Uint8Array(Buffer.from(text, 'base64'))])),
      connect(code, { metadata: new Headers(bin(text) as Record<string, string>) }),
      connect(code, { metadata: new Headers(bin(text.replace(/=+$/, '')) as Record<string, string>) }),
      grpcWeb(code, bin(text)),
    ];
    for (const error of errors(8)) expect(grpcErrors()(error)).toEqual(verdict);
    for (const error of errors(14)) expect(grpcErrors()(error)).toEqual(verdict ?? 'transient');
    for (const error of errors(4)) expect(grpcErrors()(error)).toBe(undefined);
  });

  const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

  it.each([
    ['by Connect', [{ type: 'google.rpc.RetryInfo', value: bytes('0a0808031080cab5ee01') }], 3_500],
    ['by Connect, with a whole URL', [{ type: 'type.googleapis.com/google.rpc.RetryInfo', value: bytes('0a020802') }], 2_000],
    [
      'by Connect, after another',
      [
        { type: 'a.B', value: bytes('0a020801') },
        { type: 'google.rpc.RetryInfo', value: bytes('') },
      ],
      0,
    ],
    ['after one that is malformed', [{ type: 'google.rpc.RetryInfo', value: bytes('0a05') }, { retryDelay: { seconds: 1 } }], 1_000],
  ])('in the details is read: %s', (_, details, retryAfterMs) => {
    expect(grpcErrors()(connect(8, { details }))).toEqual({ verdict: 'transient', retryAfterMs });
  });

  it.each([
    ['of another type', [{ type: 'google.rpc.RetryInfoX', value: bytes('0a020802') }]],
    ['of a type with another end', [{ type: 'my.google.rpc.RetryInfo', value: bytes('0a020802') }]],
    ['that is malformed', [{ type: 'google.rpc.RetryInfo', value: bytes('0a05') }]],
    ['whose delay is no message', [{ type: 'google.rpc.RetryInfo', value: bytes('0801') }]],
    ['that is a text', [{ type: 'google.rpc.RetryInfo', value: 'CgIIAg==' }]],
    ['that is nothing', [null, undefined, 'RetryInfo', 5]],
  ])('in the details is not seen in one %s', (_, details) => {
    expect(grpcErrors()(connect(8, { details }))).toBe(undefined);
  });

  it.each([
    ['a number', { seconds: 2, nanos: 500_000_000 }, 2_500],
    ['a text', { seconds: '2', nanos: 1 }, 2_001],
    ['a bigint', { seconds: 2n, nanos: 0 }, 2_000],
    ['an object of Long', { seconds: { toString: () => '7' } }, 7_000],
    ['left out', {}, 0],
    ['null', { seconds: null, nanos: null }, 0],
  ])('of google-gax is read if its seconds are %s', (_, retryDelay, retryAfterMs) => {
    expect(grpcErrors()(gax(8, { statusDetails: [{ reason: 'RATE_LIMIT' }, { retryDelay }] }))).toEqual({
      verdict: 'transient',
      retryAfterMs,
    });
  });

  it.each([[{ seconds: -1 }], [{ nanos: -1 }], [{ nanos: 1e9 }], [{ seconds: 'soon' }], [{ seconds: 315_576_000_001 }], [null]])(
    'of google-gax is none with %j',
    (retryDelay) => {
      expect(grpcErrors()(gax(8, { statusDetails: [{ retryDelay }] }))).toBe(undefined);
    },
  );

  it('gives way to a pushback', () => {
    const both = { ...bin(status['RateLimit, and 3.5 s']), 'grpc-retry-pushback-ms': '40' };
    expect(grpcErrors()(grpcWeb(8, both))).toEqual({ verdict: 'transient', retryAfterMs: 40 });
  });

  it.each(['%%%', 'AAAA', '', 5, {}, Buffer.from([0x1a, 5]), Buffer.from([0x18, 1]), Buffer.from([0x1a, 2, 8, 1])])(
    'is not seen in what is no status: %j',
    (value) => {
      expect(grpcErrors()(grpcJs(8, bin(value)))).toBe(undefined);
      expect(grpcErrors()(grpcJs(14, bin(value)))).toBe('transient');
    },
  );
});

describe('options', () => {
  it.each([
    [{ aborted: 1 }, 'invalid grpcErrors options: aborted must be a boolean, got 1'],
    [{ abort: true }, 'invalid grpcErrors options: unknown option abort (did you mean aborted?)'],
    [null, 'invalid grpcErrors options: options must be an object, got null'],
  ])('of %j are refused', (options, message) => {
    expect(() => grpcErrors(options as unknown as GrpcErrorsOptions)).toThrow(new TypeError(message));
  });
});

describe('whatever is thrown', () => {
  const fail = () => {
    throw new Error('a trap');
  };
  const trapped = new Proxy([], { get: fail, has: fail, getPrototypeOf: fail, ownKeys: fail });
  const asked = (answer: () => unknown) => ({ code: 8, details: '', metadata: { get: answer } });

  it.each([
    ['a Proxy whose traps throw', trapped],
    ['such a Proxy in every place', { code: 14, name: 'ConnectError', details: trapped, statusDetails: trapped, metadata: trapped }],
    ['such a Proxy in every detail', { code: 8, details: [trapped], statusDetails: [{ retryDelay: { seconds: trapped } }] }],
    ['such a Proxy for a type', { code: 8, details: [{ type: trapped, value: new Uint8Array() }], statusDetails: [] }],
    ['metadata that throw', asked(fail)],
    ['metadata that answer such a Proxy', asked(() => trapped)],
    ['metadata that answer such a Proxy among others', asked(() => [trapped])],
    ['details without an end', { code: 8, details: { length: Infinity }, metadata: {} }],
    ['details of a strange length', { code: 8, details: { length: '5' }, metadata: {} }],
    ['details of no length', { code: 8, details: { length: NaN }, metadata: {} }],
  ])('%s is no reason to throw', (_, error) => {
    expect(() => grpcErrors()(error)).not.toThrow();
  });

  it('never makes it throw', () => {
    const word = fc.oneof(fc.anything(), fc.constantFrom('google.rpc.RetryInfo', Object.create(null) as object, 14, 8, '5', [], ['-1']));
    const detail = fc.record({ type: word, value: fc.oneof(fc.uint8Array(), word), retryDelay: word }, { requiredKeys: [] });
    const error = fc.record({
      code: fc.oneof(fc.integer({ min: 1, max: 16 }), word),
      details: fc.oneof(fc.array(detail), word),
      metadata: word,
    });
    fc.assert(
      fc.property(error, (thrown) => {
        expect(() => grpcErrors({ aborted: true })(thrown)).not.toThrow();
      }),
    );
  });
});

describe('a number is a gRPC status', () => {
  const unavailable = { code: 14, details: 'the server leaves' };

  it.each([
    ['beside a text', { details: '' }],
    ['beside metadata', { metadata: {} }],
    ['beside what google-gax has decoded', { statusDetails: [] }],
    ['in an error of Connect', { name: 'ConnectError' }],
  ])('%s', (_, beside) => {
    expect(grpcErrors()({ code: 14, ...beside })).toBe('transient');
  });

  it.each([1.5, 0, 17, -1])('but not %d: its cause is asked', (code) => {
    expect(grpcErrors()({ code, details: '', cause: unavailable })).toBe('transient');
  });

  it.each([3, 16])('and that of %d has the last word', (code) => {
    expect(grpcErrors()({ code, details: '', cause: unavailable })).toBeUndefined();
  });
});
