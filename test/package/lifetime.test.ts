import { expect, test } from 'vitest';
import { runInNode } from './node.js';

const fails = "() => { throw new TransientFailure('x') }";

test('a process with a pending default wait stays alive until the run has ended', async () => {
  const printed = await runInNode(`
    import { runWithRetry, TransientFailure } from 'retry-policy';
    const policy = { maxAttempts: 2, backoff: { baseMs: 50 }, jitter: 'none' };
    runWithRetry(${fails}, policy).then(({ reason, attempts }) => console.log(reason, attempts));`);
  expect(printed).toBe('attempts-exhausted 2\n');
});

test('a process with nothing but pending waits of a clock with unref ends at once', async () => {
  const printed = await runInNode(`
    import { createSystemClock, runWithRetry, TransientFailure } from 'retry-policy';
    const policy = { backoff: { baseMs: 3_600_000, capMs: 3_600_000 }, jitter: 'none', attemptTimeoutMs: 3_600_000 };
    const clock = createSystemClock({ unref: true });
    runWithRetry(${fails}, policy, { clock }).then(() => console.log('the run ended'));
    runWithRetry(() => new Promise(() => {}), policy, { clock }).then(() => console.log('the hanging run ended'));
    runWithRetry(${fails}, { maxAttempts: Infinity, backoff: { baseMs: 0 } }, { clock }).then(() => console.log('the endless run ended'));
    process.on('exit', (code) => console.log('exit', code));`);
  expect(printed).toBe('exit 0\n');
});

test('a process that ends its runs early is held by nothing that they left behind', async () => {
  const printed = await runInNode(`
    import { runWithRetry, TransientFailure } from 'retry-policy';
    const hour = 3_600_000;
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = runWithRetry(${fails}, { backoff: { baseMs: hour, capMs: hour }, jitter: 'none' }, { signal });
    const hanging = runWithRetry(() => new Promise(() => {}), { attemptTimeoutMs: hour }, { signal });
    const done = runWithRetry(() => 'done', { attemptTimeoutMs: hour, totalBudgetMs: hour }, { signal });
    await done;
    setTimeout(() => controller.abort(), 10);
    console.log((await Promise.all([waiting, hanging, done])).map((result) => result.reason ?? result.value).join());`);
  expect(printed).toBe('aborted,aborted,done\n');
});

test.each(['const sleep = Promise.all([frozenClock(0).sleep(0), frozenClock(0).sleep(0)]);', 'const sleep = virtualClock().sleep(1_000);'])(
  'a process whose turns are messages lives until they have come, and no longer: %s',
  async (sleep) => {
    const printed = await runInNode(`
      globalThis.setImmediate = process.getBuiltinModule = undefined;
      const { frozenClock, virtualClock } = await import('retry-policy/testing');
      ${sleep}
      sleep.then(() => console.log('slept'));`);
    expect(printed).toBe('slept\n');
  },
);

test('what a callback throws on a clock that moves by itself is an uncaught exception, and the clock goes on', async () => {
  const printed = await runInNode(`
    import { virtualClock } from 'retry-policy/testing';
    const clock = virtualClock();
    process.on('uncaughtException', ({ message }) => console.log(message, clock.now()));
    clock.schedule(10, () => { throw new Error('boom') });
    await clock.sleep(20);
    console.log('slept', clock.now());`);
  expect(printed).toBe('boom 10\nslept 20\n');
});
