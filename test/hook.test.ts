import { DeadLetterError, type HookName, isRetryHookError, RetryHookError, runWithRetry, TransientFailure } from 'retry-policy';
import { fixedRandom, frozenClock } from 'retry-policy/testing';
import { describe, expect, it } from 'vitest';
import { callHook, hookError } from '../src/hook.js';

const caught = (call: () => unknown): unknown => {
  try {
    call();
  } catch (fault) {
    return fault;
  }
  throw new Error('nothing was thrown');
};
const throwing = (cause: unknown) => () => {
  throw cause;
};

describe('RetryHookError', () => {
  it.each<[HookName, unknown, string]>([
    ['classify', new TypeError('boom'), 'the classify hook failed: boom'],
    ['delay', 'text', 'the delay hook failed: "text"'],
    ['random', undefined, 'the random hook failed: undefined'],
    ['clock', { message: 5 }, 'the clock hook failed: object'],
    ['onDecision', Symbol('s'), 'the onDecision hook failed: Symbol(s)'],
    ['classifyValue', new Proxy({}, { get: throwing('hands off') }), 'the classifyValue hook failed: object'],
  ])('of the %s hook says what went wrong', (hook, cause, message) => {
    const error = new RetryHookError(hook, cause);
    expect([error.name, error.message, error.hook]).toEqual(['RetryHookError', message, hook]);
    expect(error.cause === cause).toBe(true);
    expect(Reflect.ownKeys({ ...error })).toEqual(['hook']);
    expect(error.stack?.split('\n')[0]).toBe(`RetryHookError: ${message}`);
  });
});

describe('callHook', () => {
  it('answers what the hook answers', () => {
    expect(callHook('delay', () => 5)).toBe(5);
  });

  it('names the innermost hook, so that a bad random inside a delay is told as random', () => {
    const fault = caught(() => callHook('delay', () => callHook('random', throwing('boom'))));
    expect(fault).toMatchObject({ hook: 'random', cause: 'boom' });
  });

  it('takes the hook error of a run inside the hook for what it is: the fault of this hook', () => {
    const finished = hookError(
      caught(() => callHook('random', throwing('inner'))),
      {},
      [],
    );
    expect(caught(() => callHook('classify', throwing(finished)))).toMatchObject({ hook: 'classify', cause: finished });
  });
});

describe('the error that comes to the edge', () => {
  it('has the log and what the task did', () => {
    const log = Object.freeze([]);
    const failed = hookError(
      caught(() => callHook('delay', throwing('boom'))),
      { error: undefined },
      log,
    );
    expect(Object.keys(failed)).toEqual(['hook', 'error', 'log']);
    expect(failed.log).toBe(log);
    const succeeded = hookError(
      caught(() => callHook('classifyValue', throwing('boom'))),
      { value: 5 },
      log,
    );
    expect(succeeded).toMatchObject({ hook: 'classifyValue', value: 5 });
    expect(succeeded).not.toHaveProperty('error');
  });

  it('is the fault of the clock where no hook was called by name', () => {
    const boom = new Error('boom');
    const fault = hookError(boom, {}, []);
    expect(fault.hook).toBe('clock');
    expect(fault.cause).toBe(boom);
  });

  it.each([new DeadLetterError({ error: 1, reason: 'permanent', log: [], attempts: 1 }), hookError('boom', {}, [])])(
    'does not adopt an error that another run has ended with: %s',
    (ended) => {
      const fault = hookError(ended, { error: 'mine' }, []);
      expect(fault).not.toBe(ended);
      expect(fault).toMatchObject({ hook: 'clock', cause: ended, error: 'mine' });
    },
  );

  it('is not tried again by an outer run', async () => {
    let calls = 0;
    const inner = () => {
      calls++;
      return runWithRetry(throwing(new TransientFailure('503')), { delay: throwing('boom') }, { clock: frozenClock(0) });
    };
    const outer = await runWithRetry(inner, { classify: () => 'transient' }, { clock: frozenClock(0), random: fixedRandom(0) });
    expect(outer).toMatchObject({ ok: false, reason: 'permanent', attempts: 1 });
    expect(!outer.ok && isRetryHookError(outer.error)).toBe(true);
    expect(calls).toBe(1);
  });
});
