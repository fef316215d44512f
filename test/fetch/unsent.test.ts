import { describe, expect, it } from 'vitest';
import { says } from '../../src/classifiers/chain.js';
import { isUnsent } from '../../src/classifiers/unsent.js';
import * as say from '../classifiers/thrown.js';

const untouchable = new Proxy(
  {},
  {
    get: () => {
      throw new Error('hands off');
    },
  },
);
const neverLeft = (error: unknown) => says(error, isUnsent);
const both = (...errors: unknown[]) => Object.assign(new AggregateError(errors, ''), { code: 'ECONNREFUSED' });
const unsent = (code: string, syscall?: string) => say.plain('', { code, ...(syscall && { syscall }) });
const permanent = { [Symbol.for('retry-policy.permanent')]: true };

describe('a request has never left, if its failure is', () => {
  it.each<[string, unknown]>([
    ['refused', say.refused()],
    ['refused, told by a code alone', unsent('ECONNREFUSED')],
    ['refused, in Bun before 1.3', unsent('ConnectionRefused')],
    ['an unknown name', unsent('ENOTFOUND')],
    ['no resolver', unsent('EAI_AGAIN')],
    ['no answer to connect, in undici', unsent('UND_ERR_CONNECT_TIMEOUT')],
    ['no answer to connect', unsent('ETIMEDOUT', 'connect')],
    ['no route', unsent('EHOSTUNREACH', 'connect')],
    ['a look-up that failed', unsent('EAI_FAIL', 'getaddrinfo')],
    ['of Deno', say.plain('client error (Connect): dns error: no such name')],
    ['of Deno, behind more words', say.plain('error sending request: client error (Connect): x (os error 111)')],
  ])('%s, bare or inside', (_, error) => {
    expect([isUnsent(error), neverLeft(error)]).toEqual([true, true]);
    expect(neverLeft(say.fetchFailed(error))).toBe(true);
    expect(neverLeft(new Error('request failed', { cause: say.fetchFailed(error) }))).toBe(true);
    expect(neverLeft(both(error, say.refused()))).toBe(true);
    expect(neverLeft(say.fetchFailed(both(say.refused(), error)))).toBe(true);
  });

  it.each<[string, unknown]>([
    ['a reset', say.reset()],
    ['a reset while sending', say.system('ECONNRESET', 'write')],
    ['a close', say.closed()],
    ['a timeout without a syscall', unsent('ETIMEDOUT')],
    ['a timeout while reading', unsent('ETIMEDOUT', 'read')],
    ['no route, told later', unsent('ENETUNREACH', 'write')],
    ['headers that did not come', unsent('UND_ERR_HEADERS_TIMEOUT')],
    ['a syscall that is like one', unsent('EIO', 'connect2')],
    ['a syscall that is like another', unsent('EIO', 'disconnect')],
    ['of Deno, but of sending', say.plain('client error (SendRequest): connection closed (os error 104)')],
    ['text alone', say.plain('connect ECONNREFUSED 127.0.0.1:80')],
    ['a code in lower case', unsent('econnrefused')],
    ['an answer', { status: 503, headers: {} }],
    ['a number', 111],
    ['a text', 'ECONNREFUSED'],
    ['undefined', undefined],
    ['null', null],
    ['a Proxy whose traps throw', untouchable],
  ])('not: %s', (_, error) => {
    expect([isUnsent(error), neverLeft(error)]).toEqual([false, false]);
    expect(neverLeft(say.fetchFailed(error))).toBe(false);
    expect(neverLeft(both(say.refused(), error))).toBe(false);
  });

  it('not: aborted, or final, wherever that stands', () => {
    for (const end of [say.aborted(), Object.assign(say.refused(), permanent)]) {
      expect(neverLeft(end)).toBe(false);
      expect(neverLeft(Object.assign(say.refused(), { cause: end }))).toBe(false);
      expect(neverLeft(both(say.refused(), end))).toBe(false);
    }
  });

  it('not: nothing in it', () => {
    expect(neverLeft(new Error('lost'))).toBe(false);
    expect(neverLeft(new Error('lost', { cause: new Error('lost') }))).toBe(false);
  });

  it('asked of causes that have no end', () => {
    const circle = new Error('round');
    circle.cause = new Error('and round', { cause: circle });
    expect(neverLeft(circle)).toBe(false);
  });
});
