import { getEventListeners } from 'node:events';
import { formatDecision, isAttemptTimeout, runWithRetry } from 'retry-policy';
import { startFlakyServer } from './flaky-server.mjs';
import { seconds, title, told } from './page.mjs';

const policy = {
  maxAttempts: 5,
  backoff: { baseMs: 200, capMs: 2_000 },
  attemptTimeoutMs: 800,
  totalBudgetMs: 10_000,
  classify: [busyServers, lostConnections],
};

class HttpError extends Error {
  name = 'HttpError';

  constructor(response) {
    super(`${response.status} ${response.statusText}`);
    this.status = response.status;
    this.retryAfter = response.headers.get('retry-after');
  }
}

/** A server that is busy may say for how long. */
function busyServers(error) {
  if (!(error instanceof HttpError) || error.status !== 503) return undefined;
  return /^\d+$/.test(error.retryAfter ?? '') ? { verdict: 'transient', retryAfterMs: Number(error.retryAfter) * 1_000 } : 'transient';
}

/** `fetch` tells why it failed in the cause of its TypeError. */
function lostConnections(error) {
  return ['ECONNRESET', 'ECONNREFUSED', 'UND_ERR_SOCKET'].includes(error?.cause?.code) ? 'transient' : undefined;
}

/** One real call, with the real clock and real chance, to a server that fails in three ways before it answers. */
export async function callFlakyServer(check) {
  title('1. A real call to a server that fails in three ways');
  const beganAt = performance.now();
  const print = (who, text) => console.log(`${seconds(performance.now() - beganAt).padStart(9)}  ${who}  ${text}`);
  const server = await startFlakyServer((text) => print('server', text));
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  console.log(`GET ${server.url}`);
  console.log(`up to ${policy.maxAttempts} attempts of ${policy.attemptTimeoutMs} ms each, ${seconds(policy.totalBudgetMs)} for all`);
  console.log(`times of day are those of ${timeZone}\n`);

  const caller = new AbortController();
  const result = await runWithRetry(
    async ({ signal, idempotencyKey }) => {
      const response = await fetch(server.url, { signal, headers: { 'idempotency-key': idempotencyKey } });
      const body = await response.text();
      if (!response.ok) throw new HttpError(response);
      return JSON.parse(body);
    },
    policy,
    {
      signal: caller.signal,
      onDecision(decision) {
        print('client', formatDecision(decision, { timeZone }));
        for (const reason of reasonsFor(decision)) console.log(`${' '.repeat(21)}${reason}`);
      },
    },
  );
  await server.close();

  const { ok, value, attempts, elapsedMs, log } = result;
  if (ok) console.log(`\nThe price of a ${value.item} is ${value.price}, after ${attempts} attempts in ${seconds(elapsedMs)}.`);

  check('the call succeeds on attempt 4', () => ok && attempts === 4 && value.price === 2.5);
  check('the log tells three retries and a success', () => log.map(({ action }) => action).join() === 'retry,retry,retry,succeed');
  check('the server is obeyed, and chance is added', () => log[0].retryAfterMs === 1_000 && log[0].delayMs === 1_000 + log[0].backoffMs);
  check('the second failure is a lost connection', () => log[1].judgedBy === 'classifier' && log[1].error instanceof TypeError);
  check('the third failure is the limit of the attempt', () => isAttemptTimeout(log[2].error) && log[2].error.limit === 'attempt');
  check('no wait is shorter than it was decided', () => log.slice(1).every((next, i) => waitBefore(next, log[i]) >= log[i].delayMs));
  check('all four requests bear one key', () => server.keys.length === 4 && new Set(server.keys).size === 1);
  check('no listener is left on the signal of the caller', () => getEventListeners(caller.signal, 'abort').length === 0);
}

/** Why a decision was made, line by line. */
function reasonsFor(decision) {
  if (decision.action === 'succeed') return [];
  const reasons = [`because ${told(decision.error)} (${judges[decision.judgedBy] ?? 'nobody had to judge'})`];
  if (decision.action === 'retry') {
    const { delayMs, retryAfterMs, backoffMs, drawnFrom } = decision;
    const drawn = `drawn from 0 to ${seconds(drawnFrom[1])}`;
    const parts = `: ${seconds(retryAfterMs)} that the server demands, and ${seconds(backoffMs)} ${drawn}`;
    reasons.push(`waits ${seconds(delayMs)}${retryAfterMs === undefined ? `, ${drawn}` : parts}`);
  }
  return reasons;
}

const judges = { mark: 'it bears the mark', classifier: 'a classifier knows it', default: 'nobody knows it' };

/** Rounded up, as durations are rounded to microseconds. */
const waitBefore = (next, previous) => Math.ceil(next.elapsedMs - next.durationMs - previous.elapsedMs);
