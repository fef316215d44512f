// What the library does on every runtime. Nothing is imported and nothing of one host alone is needed: timers, AbortController, Intl.
import { runInVirtualTime, tenHours } from './virtual-time.mjs';
import { equal, postToSelf, realMs, seenUnhandled, settled, truthy, withTimers } from './watch.mjs';

const HOUR = 3_600_000;
const startAt = Date.UTC(2026, 0, 15, 8);

const never = () => new Promise(() => {});

/** What `decide` answers: the failure, the policy, and what the answer must say besides the facts of the failure. */
const decisions = {
  'an unmarked error is permanent': ({ plain }) => [{ error: plain }, {}, { reason: 'permanent', judgedBy: 'default' }],
  'a permanent mark wins over a classifier': ({ final }) => [
    { error: final },
    { classify: () => 'transient' },
    { reason: 'permanent', judgedBy: 'mark' },
  ],
  'committed work is not done again': ({ busy }) => [{ error: busy, committed: true }, {}, { reason: 'committed' }],
  'a spent budget ends the run': ({ busy }) => [
    { error: busy, elapsedMs: 5_000 },
    { totalBudgetMs: 5_000 },
    { reason: 'budget-exhausted', judgedBy: 'mark' },
  ],
  'the last attempt ends the run': ({ busy }) => [
    { error: busy, attempt: 4 },
    { maxAttempts: 4 },
    { reason: 'attempts-exhausted', judgedBy: 'mark' },
  ],
  'a wait that a server demands may be too long': ({ parked }) => [
    { error: parked },
    { maxRetryAfterMs: 1_499 },
    { reason: 'retry-after-too-long', judgedBy: 'mark', retryAfterMs: 1_500 },
  ],
  'the next attempt must fit into the budget': ({ busy }) => [
    { error: busy },
    { totalBudgetMs: 10_119, attemptTimeoutMs: 8_000, jitter: 'none' },
    { reason: 'budget-exhausted', judgedBy: 'mark' },
  ],
  'the next attempt may just fit into the budget': ({ busy }) => [
    { error: busy },
    { totalBudgetMs: 10_120, attemptTimeoutMs: 8_000, jitter: 'none' },
    { backoffMs: 2_000, delayMs: 2_000 },
  ],
  'full jitter draws from nothing to all': ({ busy }) => [{ error: busy }, {}, { backoffMs: 1, delayMs: 1, drawnFrom: [0, 2_000] }],
  'equal jitter draws from half to all': ({ busy }) => [
    { error: busy, attempt: 3 },
    { jitter: 'equal' },
    { backoffMs: 4_001, delayMs: 4_001, drawnFrom: [4_000, 8_000] },
  ],
  'decorrelated jitter draws up to three times the wait before': ({ busy }) => [
    { error: busy, attempt: 2, previousDelayMs: 5_000 },
    { jitter: 'decorrelated' },
    { backoffMs: 2_001, delayMs: 2_001, drawnFrom: [2_000, 15_000] },
  ],
  'no jitter takes all of the backoff': ({ busy }) => [
    { error: busy, attempt: 99 },
    { maxAttempts: 100, jitter: 'none' },
    { backoffMs: 60_000, delayMs: 60_000 },
  ],
  'the wait of a server is a floor': ({ parked }) => [
    { error: parked },
    {},
    { backoffMs: 1, delayMs: 1_501, drawnFrom: [0, 2_000], retryAfterMs: 1_500 },
  ],
};

const decideBehaviours = Object.entries(decisions).map(([name, vector]) => [
  `decide: ${name}`,
  async ({ main }) => {
    const errors = {
      plain: new Error('404'),
      final: main.markPermanent(new Error('gone')),
      busy: new main.TransientFailure('503'),
      parked: new main.TransientFailure('429', { retryAfterMs: 1_500 }),
    };
    const [failure, policy, expected] = vector(errors);
    const facts = { attempt: 1, startedAt: startAt, durationMs: 0, elapsedMs: 120, ...failure };
    const decision = main.decide(facts, policy, { now: startAt, random: (min) => min + 1 });
    const { attempt, startedAt, durationMs, elapsedMs, error } = facts;
    const end = expected.reason ? { action: 'dead-letter' } : { action: 'retry', judgedBy: 'mark', retryAt: startAt + expected.delayMs };
    equal(decision, { attempt, startedAt, durationMs, elapsedMs, error, ...end, ...expected });
    truthy(decision.error === error, 'the error is another one');
  },
]);

/** Each behaviour: a sentence, and what throws where it does not hold. `other` is another copy of the library. */
export const behaviours = {
  ...Object.fromEntries(decideBehaviours),

  async 'a task that succeeds is called once, asynchronous or not'({ main }) {
    for (const task of [() => 42, async () => 42]) {
      const { ok, value, attempts, log, droppedDecisions } = await main.runWithRetry(task);
      equal({ ok, value, attempts, droppedDecisions }, { ok: true, value: 42, attempts: 1, droppedDecisions: 0 });
      equal(
        log.map((decision) => main.formatDecision(decision)),
        ['attempt 1: succeeded'],
      );
    }
  },

  async 'a task heals on its third attempt, and each decision is told'({ main, testing }) {
    const told = [];
    const task = ({ attempt }) => {
      if (attempt < 3) throw new main.TransientFailure('503');
      return 42;
    };
    const policy = { backoff: { baseMs: 2_000, capMs: 60_000 }, jitter: 'none' };
    const options = { clock: testing.frozenClock(startAt), onDecision: (decision) => void told.push(main.formatDecision(decision)) };
    equal(main.unwrap(await main.runWithRetry(task, policy, options)), 42);
    equal(told, [
      'attempt 1: transient, retry scheduled at 08:00:02',
      'attempt 2: transient, retry scheduled at 08:00:04',
      'attempt 3: succeeded',
    ]);
  },

  async 'the log is plain data'({ main, testing }) {
    const task = ({ attempt }) => {
      throw attempt === 1 ? new main.TransientFailure('429', { retryAfterMs: 1_500 }) : new Error('404');
    };
    const options = { clock: testing.frozenClock(0), random: testing.fixedRandom(700) };
    const { log } = await main.runWithRetry(task, {}, options);
    const times = { startedAt: 0, durationMs: 0, elapsedMs: 0 };
    equal(JSON.parse(JSON.stringify(log.map(({ error, ...others }) => ({ ...others, error: error.message })))), [
      {
        action: 'retry',
        attempt: 1,
        ...times,
        error: '429',
        judgedBy: 'mark',
        backoffMs: 700,
        drawnFrom: [0, 2_000],
        delayMs: 2_200,
        retryAfterMs: 1_500,
        retryAt: 2_200,
      },
      { action: 'dead-letter', attempt: 2, ...times, error: '404', reason: 'permanent', judgedBy: 'default' },
    ]);
  },

  async 'the log keeps the newest decisions and counts the others'({ main, testing }) {
    const busy = () => Promise.reject(new main.TransientFailure('busy'));
    const { log, droppedDecisions } = await main.runWithRetry(busy, { maxAttempts: 5 }, { clock: testing.frozenClock(0), logLimit: 2 });
    equal([log.map(({ attempt }) => attempt), droppedDecisions], [[4, 5], 3]);
  },

  async 'a time limit interrupts an attempt that hangs'({ main }) {
    const reasons = [];
    const hangs = ({ signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason));
      return never();
    };
    const policy = { maxAttempts: 2, attemptTimeoutMs: 20, backoff: { baseMs: 1 } };
    const { reason, attempts, error, log } = await main.runWithRetry(hangs, policy);
    equal([reason, attempts], ['attempts-exhausted', 2]);
    truthy(main.isAttemptTimeout(error), `no AttemptTimeout but ${error}`);
    equal([error.limit, error.timeoutMs, reasons.length], ['attempt', 20, 2]);
    truthy(error.cause === log[0].error, 'the failure before is not the cause');
    if (platformTellsReasons()) truthy(reasons[1] === error, 'the signal has another reason');
    truthy(
      log.every(({ durationMs }) => durationMs >= 19),
      `interrupted early: ${log.map(({ durationMs }) => durationMs)}`,
    );
  },

  async 'an abort ends a wait of an hour at once'({ main }) {
    const controller = new AbortController();
    const policy = { backoff: { baseMs: HOUR, capMs: HOUR }, jitter: 'none' };
    const busy = () => Promise.reject(new main.TransientFailure('busy'));
    const run = main.runWithRetry(busy, policy, { signal: controller.signal });
    await realMs(5);
    const reason = new Error('the user left');
    controller.abort(reason);
    const result = await run;
    equal([result.reason, result.attempts, result.log.map(({ action }) => action)], ['aborted', 1, ['retry', 'dead-letter']]);
    assertReason(result.error, reason);
  },

  async 'an abort ends an attempt that does not listen'({ main }) {
    const controller = new AbortController();
    let handedOn;
    const hangs = ({ signal }) => {
      handedOn = signal;
      return never();
    };
    const run = main.runWithRetry(hangs, {}, { signal: controller.signal });
    await realMs(5);
    const reason = new Error('the user left');
    controller.abort(reason);
    const result = await run;
    equal([result.reason, result.attempts, handedOn.aborted], ['aborted', 1, true]);
    assertReason(result.error, reason);
    const thrown = await settled(async () => main.unwrap(result));
    truthy(thrown.reason === result.error, 'unwrap throws another error');
  },

  async 'an abort ends a run whose hook is pending'({ main }) {
    const controller = new AbortController();
    const run = main.runWithRetry(() => 42, {}, { signal: controller.signal, onDecision: never });
    await realMs(5);
    controller.abort();
    const { ok, value } = await run; // what was returned before the abort counts
    equal({ ok, value }, { ok: true, value: 42 });
  },

  async 'a run ends when its budget is used up'({ main }) {
    const busy = () => Promise.reject(new main.TransientFailure('busy'));
    const policy = { maxAttempts: Infinity, totalBudgetMs: 40, backoff: { baseMs: 5, capMs: 5 }, jitter: 'none' };
    const { reason, log } = await main.runWithRetry(busy, policy);
    equal([reason, log.at(-1).action], ['budget-exhausted', 'dead-letter']);
    const cut = await main.runWithRetry(never, { totalBudgetMs: 20 });
    equal([cut.reason, cut.attempts, cut.error.limit], ['budget-exhausted', 1, 'budget']);
  },

  async 'the default source of chance stays in its range and does not repeat itself'({ main }) {
    const digits = Array.from({ length: 1_000 }, () => main.cryptoRandom(0, 9));
    equal([...new Set(digits)].sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const wide = Array.from({ length: 200 }, () => main.cryptoRandom(0, Number.MAX_SAFE_INTEGER));
    equal(new Set(wide).size, wide.length);
    truthy(
      wide.every((drawn) => Number.isSafeInteger(drawn) && drawn >= 0),
      'a draw is no safe integer',
    );
    truthy(
      wide.some((drawn) => drawn > 2 ** 52) && wide.some((drawn) => drawn < 2 ** 52) && wide.some((drawn) => drawn % 2 === 1),
      'wide draws do not fill their range',
    );
    equal(main.cryptoRandom(-Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER), -Number.MAX_SAFE_INTEGER);
  },

  async 'a wait of 2^31 ms does not fire at once'({ main }) {
    const ended = [];
    const asked = [];
    const controller = new AbortController();
    let sleep;
    let cancel;
    await withTimers(
      (host) => (callback, ms) => {
        asked.push(ms);
        return host(callback, ms);
      },
      async (host) => {
        const { systemClock } = main;
        sleep = systemClock.sleep(2 ** 31, controller.signal).then(
          () => ended.push('slept'),
          () => ended.push('aborted'),
        );
        cancel = systemClock.schedule(2 ** 31, () => ended.push('fired'));
        await realMs(30, host);
      },
    );
    cancel();
    controller.abort();
    await sleep;
    equal(ended, ['aborted']);
    equal(asked, [2 ** 31 - 1, 2 ** 31 - 1]); // and the host was not asked over and over
  },

  async 'a wait never ends early, not even where the host wakes early'({ main }) {
    const { systemClock } = main;
    truthy(Math.abs(systemClock.now() - Date.now()) < 60_000, 'now() is not the wall clock');
    const timers = [(host) => host, (host) => (callback, ms) => host(callback, ms / 2)];
    for (const timer of timers) {
      await withTimers(timer, async () => {
        for (const ms of [1, 3.5, 20]) {
          const before = systemClock.monotonicNow();
          await systemClock.sleep(ms);
          const passed = systemClock.monotonicNow() - before;
          truthy(passed >= ms, `woke after ${passed} of ${ms} ms`);
        }
      });
    }
  },

  async 'a wait of nothing lets promises settle and gives other work a turn'({ main, testing }) {
    for (const [clock, hostTurn] of [
      [main.systemClock, globalThis.setImmediate ?? setTimeout],
      [testing.frozenClock(0), globalThis.setImmediate ?? (globalThis.MessageChannel ? postToSelf : setTimeout)],
    ]) {
      let turned = false;
      hostTurn(() => {
        turned = true;
      });
      const sleep = clock.sleep(0);
      let promises = 0;
      const settling = (async () => {
        while (promises < 100) promises += await 1;
      })();
      await sleep;
      equal(promises, 100);
      for (let sleeps = 0; sleeps < 2_000 && !turned; sleeps++) await clock.sleep(0); // Node delivers up to 1,000 messages of one channel first
      equal(turned, true);
      await settling;
    }
  },

  async 'no rejection goes unhandled, while one that is nobody’s does'({ main }) {
    const stray = new Error('nobody handles this one, so that the others could have been seen');
    const seen = await seenUnhandled(stray, async () => {
      const lateFailure = () => new Promise((_, reject) => setTimeout(() => reject(new Error('too late')), 15));
      const late = await main.runWithRetry(lateFailure, { maxAttempts: 1, attemptTimeoutMs: 3 });
      equal(late.reason, 'attempts-exhausted');

      const told = await settled(() => main.runWithRetry(() => 1, {}, { onDecision: () => Promise.reject(new Error('the hook failed')) }));
      truthy(main.isRetryHookError(told.reason), `no RetryHookError but ${told.reason}`);
      const thrown = await settled(() =>
        main.runWithRetry(
          () => 1,
          {},
          {
            onDecision() {
              throw new Error('the hook failed');
            },
          },
        ),
      );
      truthy(main.isRetryHookError(thrown.reason), `no RetryHookError but ${thrown.reason}`);

      const busy = () => Promise.reject(new main.TransientFailure('busy'));
      const broken = { ...main.systemClock, sleep: () => Promise.reject(new Error('no sleep')) };
      const asleep = await settled(() => main.runWithRetry(busy, {}, { clock: broken }));
      equal([main.isRetryHookError(asleep.reason), asleep.reason?.hook], [true, 'clock']);

      const controller = new AbortController();
      let failLate;
      const lateHook = () =>
        new Promise((_, reject) => {
          failLate = reject;
        });
      const left = main.runWithRetry(busy, {}, { signal: controller.signal, onDecision: lateHook });
      await realMs(3);
      controller.abort(new Error('left'));
      equal((await left).reason, 'aborted');
      failLate(new Error('the hook failed'));
      await realMs(25);
    });
    equal(seen, [stray]);
  },

  async 'marks and errors hold in another copy of the library'({ main, testing, other }) {
    truthy(!(new main.TransientFailure('x') instanceof other.TransientFailure), 'it is the same copy');
    for (const [one, two] of [
      [main, other],
      [other, main],
    ]) {
      equal(two.isTransient(new one.TransientFailure('x')), true);
      equal(two.markedFailures(one.markTransient(new Error('x'), { retryAfterMs: 5 })), { verdict: 'transient', retryAfterMs: 5 });
      equal(two.isTransient(one.markPermanent(new two.TransientFailure('x'))), false);
      equal(two.isAttemptTimeout(new one.AttemptTimeout('attempt', 1)), true);
      const inner = one.withRetry(() => Promise.reject(new two.TransientFailure('x')), {}, { clock: testing.frozenClock(0) });
      const { reason, attempts, error } = await two.runWithRetry(inner, one.definePolicy({}), { clock: testing.frozenClock(0) });
      equal([reason, attempts, two.isDeadLetterError(error), error.attempts], ['permanent', 1, true, 4]);
    }
  },

  async 'every attempt of a run has the same idempotency key, a UUID of version 4'({ main, testing }) {
    const keys = [];
    const task = ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      throw new main.TransientFailure('busy');
    };
    await main.runWithRetry(task, { maxAttempts: 3 }, { clock: testing.frozenClock(0) });
    await main.runWithRetry(task, { maxAttempts: 1 });
    truthy(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(keys[0]), `${keys[0]} is no UUID`);
    equal([keys.length, keys[1] === keys[0], keys[2] === keys[0], keys[3] === keys[0]], [4, true, true, false]);
  },

  async 'the errors have their names, messages and guards'({ main }) {
    const failed = { error: new Error('404'), reason: 'permanent', log: [], attempts: 1 };
    const errors = [
      [new main.TransientFailure('503'), 'TransientFailure: 503'],
      [new main.AttemptTimeout('attempt', 8), 'AttemptTimeout: the attempt took longer than 8 ms (attempt limit)'],
      [new main.DeadLetterError(failed), 'DeadLetterError: gave up after 1 attempt (permanent): 404'],
      [new main.RetryHookError('delay', new Error('boom')), 'RetryHookError: the delay hook failed: boom'],
    ];
    for (const [error, text] of errors) equal([String(error), error instanceof Error], [text, true]);
    const guards = [main.isTransient, main.isAttemptTimeout, main.isDeadLetterError, main.isRetryHookError];
    equal(
      errors.map(([error]) => guards.map((guard) => guard(error))),
      [
        [true, false, false, false],
        [true, true, false, false],
        [false, false, true, false],
        [false, false, false, true],
      ],
    );
  },

  async 'withRetry keeps `this`, the arguments, the name and the length'({ main, testing }) {
    let calls = 0;
    class Shop {
      tax = 2;
      async price(item, count) {
        if (++calls < 3) throw new main.TransientFailure('busy');
        return item.length * count + this.tax;
      }
    }
    Shop.prototype.price = main.withRetry(Shop.prototype.price, {}, { clock: testing.frozenClock(0) });
    equal([await new Shop().price('pear', 2), calls], [10, 3]);
    equal([Shop.prototype.price.name, Shop.prototype.price.length], ['price', 2]);
    const fails = main.withRetry(() => Promise.reject(new Error('404')));
    const { reason } = await settled(fails);
    equal([main.isDeadLetterError(reason), reason.reason, reason.cause.message], [true, 'permanent', '404']);
  },

  async 'code that hides its retries runs on the clock and the chance of a test'({ main, testing }) {
    const clock = testing.virtualClock();
    const controller = new AbortController();
    const script = testing.scriptedTask(clock).fails(new main.TransientFailure('503'), { afterMs: 200 }).hangs().returns('done');
    const hidden = main.withRetry(script, { attemptTimeoutMs: 1_000 }, () => ({ signal: controller.signal }));
    const override = testing.overrideDefaults({ clock, random: testing.fixedRandom(Infinity) });
    const value = await hidden();
    equal([main.systemClock.now(), main.cryptoRandom(0, 9)], [7_200, 9]);
    override.restore();
    equal([value, script.calls.map(({ startedAt }) => startedAt)], ['done', [0, 2_200, 7_200]]);
    testing.assertNoLeaks(clock, controller.signal);
    truthy(Math.abs(main.systemClock.now() - Date.now()) < 60_000, 'the system clock did not come back');
    const { error } = await main.runWithRetry(testing.scriptedTask(clock).hangs(), {}, { clock });
    truthy(/is stuck/.test(error.message), `not stuck but ${error}`);
  },

  'ten hours of two hundred attempts pass on a virtual clock': tenHours,

  'ten thousand runs on one virtual clock leave the same log everywhere': runInVirtualTime,
};

const platformTellsReasons = () => 'reason' in AbortSignal.prototype;

/** The caller's own reason; an AbortError where the platform's signals have none. */
function assertReason(error, reason) {
  if (platformTellsReasons()) truthy(error === reason, `not the caller’s reason but ${error}`);
  else equal([error instanceof Error, error.name], [true, 'AbortError']);
}

const LONGEST_MS = 120_000; // a behaviour that hangs must not hide the others

/** Runs behaviours of the library, one after the other; `facts` is what they tell besides. */
export async function run(behaviours, library) {
  const facts = {};
  const results = [];
  for (const [name, behaviour] of Object.entries(behaviours)) {
    let timer;
    const tooLong = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('it does not end')), LONGEST_MS);
    });
    const { reason } = await settled(() => Promise.race([behaviour({ ...library, facts }), tooLong]));
    clearTimeout(timer);
    results.push(reason === undefined ? { name } : { name, error: String(reason?.stack ?? reason) });
  }
  return { results, facts };
}
