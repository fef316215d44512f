import { retry as attempt } from '@lifeomic/attempt';
import asyncRetry from 'async-retry';
import { ExponentialBackoff, handleAll, retry } from 'cockatiel';
import { backOff } from 'exponential-backoff';
import pRetry from 'p-retry';
import { definePolicy, runWithRetry } from '../dist/index.js';
import { OURS } from './libraries.mjs';
import { sideBySide } from './measure.mjs';
import { timeSection } from './report.mjs';

const task = async () => 'done';
const ONCE = `${OURS}, policy made once`;

const policy = definePolicy({ maxAttempts: 4, backoff: { baseMs: 1_000, capMs: 60_000 } });
const cockatiel = retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff({ initialDelay: 1_000, maxDelay: 60_000 }) });
const attemptOptions = { maxAttempts: 4, delay: 1_000, factor: 2, maxDelay: 60_000, jitter: true };
const nodeRetryOptions = { retries: 3, minTimeout: 1_000, maxTimeout: 60_000, randomize: true };
const backOffOptions = { numOfAttempts: 4, startingDelay: 1_000, maxDelay: 60_000, jitter: 'full' };

/** The least that tells what a run's result tells: three clock readings, one frozen decision, one result; no policy, no retry, no check. */
async function loggedByHand() {
  const startedAtMs = performance.now();
  const startedAt = Date.now();
  const value = await task();
  const elapsedMs = Math.round((performance.now() - startedAtMs) * 1_000) / 1_000;
  const decision = Object.freeze({ action: 'succeed', attempt: 1, startedAt, durationMs: elapsedMs, elapsedMs });
  return { ok: true, value, attempts: 1, elapsedMs, log: [decision], droppedDecisions: 0 };
}

/** A task that succeeds at once, with the policy or the options made before: what the library costs when nothing fails. */
export async function happyPath() {
  const times = await sideBySide({
    'bare await': task,
    'log and timings by hand': loggedByHand,
    [OURS]: () => runWithRetry(task, policy),
    cockatiel: () => cockatiel.execute(task),
    '@lifeomic/attempt': () => attempt(task, attemptOptions),
    'p-retry': () => pRetry(task, nodeRetryOptions),
    'async-retry': () => asyncRetry(task, nodeRetryOptions),
    'exponential-backoff': () => backOff(task, backOffOptions),
  });
  return timeSection('Happy path, policy made once', times, 'bare await', [
    {
      measure: 'happy path, against cockatiel',
      figure: times.ratio(OURS, 'cockatiel'),
      unit: 'x',
      limit: 1.5,
      because: `what the result tells, gathered by hand with no policy and no check, is ${times.ratio('log and timings by hand', 'cockatiel').toFixed(2)} x cockatiel, which reads no clock and keeps no log`,
    },
  ]);
}

/** The same with everything written into the call. */
export async function happyPathFromLiterals() {
  const times = await sideBySide({
    'bare await': task,
    [OURS]: () => runWithRetry(task, { maxAttempts: 4, backoff: { baseMs: 1_000, capMs: 60_000 } }),
    [ONCE]: () => runWithRetry(task, policy),
    cockatiel: () =>
      retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff({ initialDelay: 1_000, maxDelay: 60_000 }) }).execute(task),
    '@lifeomic/attempt': () => attempt(task, { maxAttempts: 4, delay: 1_000, factor: 2, maxDelay: 60_000, jitter: true }),
    'p-retry': () => pRetry(task, { retries: 3, minTimeout: 1_000, maxTimeout: 60_000, randomize: true }),
    'async-retry': () => asyncRetry(task, { retries: 3, minTimeout: 1_000, maxTimeout: 60_000, randomize: true }),
    'exponential-backoff': () => backOff(task, { numOfAttempts: 4, startingDelay: 1_000, maxDelay: 60_000, jitter: 'full' }),
  });
  return timeSection('Happy path, options literal built for each call', times, 'bare await', [
    {
      measure: 'happy path from literals, against attempt',
      figure: times.ratio(OURS, '@lifeomic/attempt'),
      unit: 'x',
      limit: 1.5,
      because: `without the check of the literal, with a policy made once, it is ${times.ratio(ONCE, '@lifeomic/attempt').toFixed(2)} x; the check of each name and value makes up the rest, and attempt has none`,
    },
  ]);
}
