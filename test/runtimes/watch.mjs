// How the behaviours look at a host: nothing of Node's or the browser's alone.

/** Compares by what JSON shows, in any order of keys; what JSON does not show is spelled out. */
export function equal(actual, expected) {
  const [is, wanted] = [actual, expected].map((value) => JSON.stringify(value, spelledOut));
  if (is !== wanted) throw new Error(`${is} instead of ${wanted}`);
}

function spelledOut(_, value) {
  if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) return `(${value})`;
  if (value instanceof Error) return `(${value})`;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function truthy(value, otherwise) {
  if (!value) throw new Error(otherwise);
}

/** How a call settles: `{ value }`, or `{ reason }`. */
export async function settled(call) {
  try {
    return { value: await call() };
  } catch (reason) {
    return { reason };
  }
}

/** Real time, in which the host has many turns. */
export const realMs = (ms, setTimeout = globalThis.setTimeout) => new Promise((resolve) => setTimeout(resolve, ms));

/** Puts another `setTimeout` in the place of the host's, which it is made of, for as long as the work takes. */
export async function withTimers(timer, work) {
  const host = globalThis.setTimeout;
  globalThis.setTimeout = timer(host);
  try {
    await work(host);
  } finally {
    globalThis.setTimeout = host;
  }
}

/** A turn that the host gives sooner than any timer. */
export function postToSelf(callback) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage('');
}

/** What the host says that nobody handled while the work went on; at its end one stray rejection, which must be seen. */
export async function seenUnhandled(stray, work) {
  const seen = new Map(); // a host may tell of one promise in two ways
  const listener = (told, promise) => {
    told?.preventDefault?.(); // else the process ends
    seen.set(promise ?? told.promise, promise === undefined ? told.reason : told);
  };
  const unlisten = listen(listener);
  try {
    await work();
    Promise.reject(stray);
    for (let turns = 0; turns < 100 && seen.size === 0; turns++) await realMs(5);
    await realMs(5);
  } finally {
    unlisten();
  }
  return [...seen.values()];
}

function listen(listener) {
  const { process } = globalThis;
  process?.on?.('unhandledRejection', listener);
  globalThis.addEventListener?.('unhandledrejection', listener);
  return () => {
    process?.off?.('unhandledRejection', listener);
    globalThis.removeEventListener?.('unhandledrejection', listener);
  };
}
