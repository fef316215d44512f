import { AttemptTimeout, markedFailures, TransientFailure } from 'retry-policy';
import { describe, expect, it } from 'vitest';

const hinted = (retryAfterMs: unknown) => ({ verdict: 'transient', retryAfterMs });

describe('the error classes', () => {
  it.each<[string, Error, string, string[]]>([
    ['TransientFailure', new TransientFailure('503'), '503', []],
    ['TransientFailure', new TransientFailure('503', { cause: 1, retryAfterMs: 5 }), '503', ['retryAfterMs']],
    [
      'AttemptTimeout',
      new AttemptTimeout('attempt', 8_000),
      'the attempt took longer than 8000 ms (attempt limit)',
      ['limit', 'timeoutMs'],
    ],
    ['AttemptTimeout', new AttemptTimeout('budget', 1.5), 'the attempt took longer than 1.5 ms (budget limit)', ['limit', 'timeoutMs']],
  ])('%s has its name, its message and no other enumerable properties than its facts (%s)', (name, error, message, keys) => {
    expect(error).toBeInstanceOf(Error);
    expect([error.name, error.message, Reflect.ownKeys({ ...error })]).toEqual([name, message, keys]);
    expect(error.stack?.split('\n')[0]).toBe(`${name}: ${message}`);
  });

  it('tells which limit it was and what time there was', () => {
    const { limit, timeoutMs } = new AttemptTimeout('budget', 1.5);
    expect([limit, timeoutMs]).toEqual(['budget', 1.5]);
  });

  it('keeps a cause by identity, and has none where none is given', () => {
    const cause = new Error('ECONNRESET');
    expect(new TransientFailure('503', { cause }).cause).toBe(cause);
    expect(new TransientFailure('503', { retryAfterMs: 1 })).not.toHaveProperty('cause');
  });

  it('lets a subclass have its own name and hint, and stay transient', () => {
    class LockTimeout extends TransientFailure {
      constructor() {
        super('lock wait timeout', { retryAfterMs: 30 });
        this.name = 'LockTimeout';
      }
    }
    class Overloaded extends TransientFailure {
      override readonly name = 'Overloaded';
      override readonly retryAfterMs = 1_000;
    }
    expect(String(new LockTimeout())).toBe('LockTimeout: lock wait timeout');
    expect(markedFailures(new LockTimeout())).toEqual(hinted(30));
    expect(new Overloaded('503').name).toBe('Overloaded');
    expect(markedFailures(new Overloaded('503'))).toEqual(hinted(1_000));
    expect(new TransientFailure().name).toBe('TransientFailure');
  });

  it('refuses an error in the place of options, which would be dropped unseen', () => {
    expect(() => new TransientFailure('lost', new Error('the cause') as never)).toThrow(
      new TypeError('options must be an object such as { cause: error }, got object'),
    );
  });

  it('bear a brand that is true or a hint, for whoever reads it without this library', () => {
    const brandOf = (error: object) => (error as Record<symbol, unknown>)[Symbol.for('retry-policy.transient')];
    expect(brandOf(new TransientFailure('503'))).toBe(true);
    expect(brandOf(new TransientFailure('503', { retryAfterMs: 5 }))).toEqual({ retryAfterMs: 5 });
    expect(brandOf(new AttemptTimeout('attempt', 5))).toBe(true);
  });
});
