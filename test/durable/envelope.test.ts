import { TransientFailure } from 'retry-policy';
import { type DeadLetter, nextStep, type RetryState } from 'retry-policy/durable';
import { describe, expect, it } from 'vitest';
import { engineDelayMs } from '../../src/durable/engine-delay.js';
import { coffinOf, envelopeOf, openEnvelope, stateIn, waitLeft } from '../../src/durable/envelope.js';

const source = { engine: 'bullmq', queue: 'mail', id: '7' };
const { state } = nextStep(
  { jitter: 'none', backoff: { baseMs: 100 } },
  null,
  { error: new TransientFailure('503') },
  { now: 6, startedAt: 5, random: Math.max, idempotencyKey: 'mail/7' },
);
const letter: DeadLetter = {
  ...{ reason: 'permanent', error: { name: 'Error', message: '404' }, attempts: 1, firstStartedAt: 0, diedAt: 9, log: [] },
  ...{ payload: { to: 'ann' }, source, redrives: 0, idempotencyKey: 'mail/7' },
};
const counters = { starts: 3, stalls: 1 };
const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));

describe('the state beside a payload', () => {
  it.each([[{ to: 'ann' }], [{}], ['ann'], [null], [[1, 2]], [{ retryPolicy: 'mine' }], [0]])(
    'comes out with it as it was: %j',
    (payload) => {
      const data = throughJson(envelopeOf(payload, state, counters));
      expect(openEnvelope(data, source)).toEqual({ payload, counters, state, letter: undefined });
    },
  );

  it('leaves the fields of the payload where they are', () => {
    expect(envelopeOf({ to: 'ann' }, state, counters)).toEqual({ to: 'ann', retryPolicy: { state, ...counters } });
    expect(envelopeOf(Object.create(null, { to: { value: 'ann', enumerable: true } }), state, counters)).toHaveProperty('to', 'ann');
  });

  it.each([[{ to: 'ann' }], [undefined], ['ann'], [{ retryPolicy: 'mine' }], [{ retryPolicy: { starts: 'mine' } }], [new Date(0)]])(
    'is none where nothing was stored: %j',
    (data) => {
      expect(openEnvelope(data, source)).toEqual({ payload: data, counters: { starts: 0, stalls: 0 }, state: null, letter: undefined });
    },
  );

  it('is none where it was taken away, and its counters with it', () => {
    const opened = openEnvelope({ to: 'ann', retryPolicy: { starts: 2, stalls: 1 } }, source);
    expect(opened).toEqual({ payload: { to: 'ann' }, counters: { starts: 0, stalls: 0 }, state: null, letter: undefined });
  });

  it('has counters that are 0 where they are nonsense', () => {
    expect(openEnvelope({ retryPolicy: { state, starts: 2, stalls: 'x' } }, source)).toMatchObject({ counters: { starts: 2, stalls: 0 } });
  });
});

describe('a dead letter as data', () => {
  it('is known as that of the job, with its counters', () => {
    const opened = openEnvelope(throughJson(coffinOf(letter, counters)), source);
    expect(opened).toEqual({ payload: letter.payload, counters, state: null, letter });
  });

  it('that was sent anew is another job, with counters of its own', () => {
    const opened = openEnvelope(throughJson(coffinOf(letter, counters)), { ...source, id: '8' });
    expect(opened).toEqual({ payload: letter.payload, counters: { starts: 0, stalls: 0 }, state: null, letter });
  });

  it.each([{ queue: 'mail-dead' }, { engine: 'pg-boss' }])('of another queue is a payload: %j', (other) => {
    const opened = openEnvelope(coffinOf(letter, counters), { ...source, ...other });
    expect(opened).toEqual({ payload: letter, counters: { starts: 0, stalls: 0 }, state: null, letter: undefined });
  });

  it('begins anew, and remembers how often', () => {
    const opened = openEnvelope(letter, source);
    expect(stateIn(opened, 1)).toMatchObject({ attempts: 0, redrives: 1, idempotencyKey: 'mail/7' });
    expect(() => stateIn(openEnvelope({ ...letter, redrives: 1 }, source), 1)).toThrow(
      'letter.redrives must be below maxRedrives (1), got 1',
    );
    expect(stateIn(openEnvelope(envelopeOf('ann', state, counters), source), 1)).toEqual(state);
  });
});

describe('what is left of a wait', () => {
  it.each([
    [6, 100],
    [56, 50],
    [106, 0],
    [999, 0],
    [-500, 100], // a clock that went back
  ])('is at %d ms %d ms', (now, left) => {
    expect(waitLeft(state, now)).toBe(left);
  });

  it.each([[[]], ['nonsense'], [[{ action: 'succeed' }]]])('is nothing after %j', (log) => {
    expect(waitLeft({ ...state, log: log as unknown as RetryState['log'] }, 6)).toBe(0);
  });
});

it.each([
  [0, 0],
  [0.001, 1],
  [99.5, 100],
  [31_536_000_000, 31_536_000_000],
  [Infinity, 31_536_000_000],
])('a delay of %d ms is %d ms to an engine', (delayMs, whole) => {
  expect(engineDelayMs(delayMs)).toBe(whole);
});
