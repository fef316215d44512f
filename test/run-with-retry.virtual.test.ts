import { runInNewContext } from 'node:vm';
import { isAttemptTimeout, type RetryPolicy, type RunOptions, runWithRetry, TransientFailure } from 'retry-policy';
import { assertNoLeaks, fixedRandom, frozenClock, seededRandom, virtualClock } from 'retry-policy/testing';
import { describe, expect, it } from 'vitest';

const busy = () => Promise.reject(new TransientFailure('503'));

describe('on virtual time', () => {
  it('a run asks for the waits of its policy, and takes exactly their sum', async () => {
    // failsafe-lib/failsafe#58, shepherdjerred/monorepo#1404: tests on wall time are flaky; what was asked for is not
    const clock = virtualClock();
    const { log, elapsedMs } = await runWithRetry(busy, { maxAttempts: 6 }, { clock, random: fixedRandom(Infinity) });
    expect(log.flatMap((decision) => ('delayMs' in decision ? decision.delayMs : []))).toEqual([2_000, 4_000, 8_000, 16_000, 32_000]);
    expect([elapsedMs, clock.now()]).toEqual([62_000, 62_000]);
  });

  it('a run decides as it does on a clock that stands still, but for the instants', async () => {
    // hynek/stamina#73: waits are removed by the clock, not by a switch that changes what is decided
    const policy: RetryPolicy = { maxAttempts: 8, jitter: 'decorrelated' };
    const decisions = async (options: RunOptions) =>
      (await runWithRetry(busy, policy, { ...options, random: seededRandom(3) })).log.map((decision) => ({
        ...decision,
        ...{ elapsedMs: undefined, startedAt: undefined, retryAt: undefined },
      }));
    expect(await decisions({ clock: virtualClock() })).toEqual(await decisions({ clock: frozenClock(0) }));
  });

  it('a call that waits for what never comes ends with the budget', async () => {
    // TanStack/query#2179: a gate that never opened left calls pending for ever
    const clock = virtualClock();
    const gate = new Promise<never>(() => {});
    const result = await runWithRetry(() => gate, { totalBudgetMs: 5_000 }, { clock });
    expect(result).toMatchObject({ ok: false, reason: 'budget-exhausted', attempts: 1, elapsedMs: 5_000 });
    expect(!result.ok && isAttemptTimeout(result.error) && result.error.limit).toBe('budget');
    assertNoLeaks(clock);
  });
});

describe('what comes from another realm', () => {
  /** A signal, a reason and failures whose classes are not those of this realm; the signal has the least that one can have. */
  const foreign = () =>
    runInNewContext(`
      const listeners = new Set();
      const signal = {
        aborted: false,
        addEventListener: (_, listener) => { listeners.add(listener); },
        removeEventListener: (_, listener) => { listeners.delete(listener); },
      };
      ({
        signal,
        listeners,
        abort(reason) {
          signal.aborted = true;
          signal.reason = reason;
          for (const listener of listeners) listener();
        },
        reason: new Error('the user left'),
        transient: Object.assign(new Error('503'), { [Symbol.for('retry-policy.transient')]: { retryAfterMs: 7 } }),
        permanent: new TypeError('no such item'),
      })`);

  it('is judged as its twin of this realm', async () => {
    // reatom/reatom#1300: instanceof fails for errors and signals of another realm, and takes the wrong branch in silence
    const { signal, transient, permanent } = foreign();
    expect(transient).not.toBeInstanceOf(Error);
    const clock = virtualClock();
    const task = ({ attempt }: { attempt: number }) => Promise.reject(attempt === 1 ? transient : permanent);
    const result = await runWithRetry(task, { jitter: 'none' }, { clock, signal });
    expect(result).toMatchObject({ ok: false, reason: 'permanent', attempts: 2, elapsedMs: 2_007 });
    expect(!result.ok && result.error).toBe(permanent);
  });

  it('aborts an attempt and a wait with its own reason, and keeps no listener', async () => {
    for (const task of [() => new Promise<never>(() => {}), busy]) {
      const { signal, listeners, abort, reason } = foreign();
      const clock = virtualClock({ autoAdvance: false });
      const run = runWithRetry(task, { attemptTimeoutMs: 60_000, backoff: { baseMs: 10_000 }, jitter: 'none' }, { clock, signal });
      await clock.advance(1_000);
      expect(listeners.size).toBe(1);
      abort(reason);
      const result = await run;
      expect(result).toMatchObject({ ok: false, reason: 'aborted', attempts: 1, elapsedMs: 1_000 });
      expect(!result.ok && result.error).toBe(reason);
      expect(listeners.size).toBe(0);
      assertNoLeaks(clock);
    }
  });

  it('aborts with an AbortError where it gives no reason', async () => {
    // facebook/hermes#1672, sindresorhus/ky#659: signals of some runtimes have neither reason nor throwIfAborted
    const { signal, abort } = foreign();
    const clock = virtualClock({ autoAdvance: false });
    const run = runWithRetry(busy, {}, { clock, signal, random: fixedRandom(Infinity) });
    await clock.advance(1_000);
    abort();
    expect(await run).toMatchObject({ ok: false, reason: 'aborted', error: { name: 'AbortError' } });
  });
});
