import { retry as attempt } from '@lifeomic/attempt';
import { handleAll, retry, TimeoutStrategy, timeout, wrap } from 'cockatiel';
import { definePolicy, runWithRetry } from '../dist/index.js';
import { OURS } from './libraries.mjs';
import { sideBySide } from './measure.mjs';
import { timeSection } from './report.mjs';

const TIMEOUT_MS = 10_000;

const task = async () => 'done';
const taskThatReads = async ({ signal }) => signal.aborted;

const limited = definePolicy({ attemptTimeoutMs: TIMEOUT_MS });
const unlimited = definePolicy({});
const cockatielRetry = retry(handleAll, { maxAttempts: 3 });
const cockatielLimited = wrap(cockatielRetry, timeout(TIMEOUT_MS, TimeoutStrategy.Aggressive));

/** What one writes without a library to limit a single attempt. */
async function limitedByHand(work) {
  const controller = new AbortController();
  let timer;
  const timedOut = new Promise((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error('timed out');
      controller.abort(error);
      reject(error);
    }, TIMEOUT_MS);
  });
  try {
    return await Promise.race([work({ signal: controller.signal }), timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

/** What one writes without a library to hand a signal on that ends with the attempt. */
async function linkedByHand(work, signal) {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    return await work({ signal: controller.signal });
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The same, which also ends at once where the task does not listen, as every library here does. */
async function racedByHand(work, signal) {
  const controller = new AbortController();
  let abort;
  const aborted = new Promise((_, reject) => {
    abort = () => {
      controller.abort(signal.reason);
      reject(signal.reason);
    };
  });
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work({ signal: controller.signal }), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** A task that succeeds at once, within a limit that it does not look at. */
export async function attemptTimeout() {
  const times = await sideBySide({
    [OURS]: () => runWithRetry(task, limited),
    'by hand': () => limitedByHand(task),
    cockatiel: () => cockatielLimited.execute(task),
    '@lifeomic/attempt': () => attempt(task, { timeout: TIMEOUT_MS }),
  });
  return timeSection('Happy path with an attempt timeout', times, 'by hand', [
    { measure: 'happy path with an attempt timeout', figure: times.ns[OURS] / 1_000, unit: 'µs', limit: 4 },
  ]);
}

/** The same for a task that reads the signal by which it would learn of its end. */
export async function attemptTimeoutRead() {
  const times = await sideBySide({
    [OURS]: () => runWithRetry(taskThatReads, limited),
    'by hand': () => limitedByHand(taskThatReads),
    cockatiel: () => cockatielLimited.execute(taskThatReads),
  });
  return timeSection('Happy path with an attempt timeout, the task reads its signal', times, 'by hand', [
    { measure: 'the same, with a signal that the task reads', figure: times.ratio(OURS, 'by hand'), unit: 'x by hand', limit: 1.3 },
  ]);
}

/** A task that reads the signal of its attempt, in a run that the caller can abort: one signal for all runs, as a server has it. */
export async function callersSignal() {
  const { signal } = new AbortController();
  const times = await sideBySide({
    [OURS]: () => runWithRetry(taskThatReads, unlimited, { signal }),
    'by hand': () => linkedByHand(taskThatReads, signal),
    'by hand, ends at once': () => racedByHand(taskThatReads, signal),
    "cockatiel (hands the caller's own signal on)": () => cockatielRetry.execute(taskThatReads, signal),
  });
  return timeSection("Happy path with the caller's signal, the task reads its own", times, 'by hand', [
    {
      measure: "happy path with the caller's signal, read by the task",
      figure: times.ratio(OURS, 'by hand'),
      unit: 'x by hand',
      limit: 1.3,
      because: `by hand waits for a task that does not listen; one that ends at once is ${times.ratio('by hand, ends at once', 'by hand').toFixed(2)} x by hand`,
    },
  ]);
}
