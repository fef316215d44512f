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

/** A server that is busy says for how long. */
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
  const print = (who, text) => console.log(`${seconds(performance.now() - beganAt).padStart(9)}  ${who.padEnd(8)}${text}`);
  const { signal } = new AbortController();
  const server = await startFlakyServer((text) => print('server', text));
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  console.log(`GET ${server.url}`);
  console.log(`up to ${policy.maxAttempts} attempts of ${policy.attemptTimeoutMs} ms each, ${seconds(policy.totalBudgetMs)} for all;`);
  console.log(`times of day in ${timeZone}\n`);

  const result = await runWithRetry(
    async ({ signal, idempotencyKey }) => {
      const response = await fetch(server.url, { signal, headers: { 'idempotency-key': idempotencyKey } });
      const body = await response.text();
      if (!response.ok) throw new HttpError(response);
      return JSON.parse(body);
    },
    policy,
    {
      signal,
      onDecision(decision) {
        print('client', formatDecision(decision, { timeZone }));
        for (const line of reasons(decision)) console.log(`${' '.repeat(21)}${line}`);
      },
    },
  );
  await server.close();

  console.log(
    `\nThe price of a ${result.value?.item} is ${result.value?.price}, after ${result.attempts} attempts in ${seconds(result.elapsedMs)}.`,
  );

  const { log } = result;
  check('the call succeeds on attempt 4', result.ok && result.attempts === 4 && result.value.price === 2.5);
  check('the log tells three retries and a success', log.map(({ action }) => action).join() === 'retry,retry,retry,succeed');
  check('the first wait is what the server demands and what was drawn', log[0].retryAfterMs === 1_000 && log[0].delayMs >= 1_000);
  check('the second failure is a lost connection', log[1].judgedBy === 'classifier' && log[1].error instanceof TypeError);
  check('the third failure is the limit of the attempt', isAttemptTimeout(log[2].error) && log[2].durationMs >= policy.attemptTimeoutMs);
  check('no wait is shorter than what was decided', waitsWereKept(log));
  check('all four requests bear one key', server.requests.length === 4 && new Set(server.requests.map(({ key }) => key)).size === 1);
  check('no listener is left on the signal of the run', getEventListeners(signal, 'abort').length === 0);
}

/** Why a decision was made. */
function reasons(decision) {
  if (decision.action === 'succeed') return [];
  const lines = [`because ${told(decision.error)} (known by its ${decision.judgedBy})`];
  if (decision.action === 'retry') {
    const { delayMs, retryAfterMs, backoffMs, drawnFrom } = decision;
    const demanded = retryAfterMs === undefined ? '' : `${seconds(retryAfterMs)} that the server demands + `;
    lines.push(`waits ${seconds(delayMs)} = ${demanded}${seconds(backoffMs)}, drawn from 0 to ${seconds(drawnFrom[1])}`);
  }
  return lines;
}

const waitsWereKept = (log) =>
  log.slice(1).every((next, i) => next.elapsedMs - next.durationMs - log[i].elapsedMs >= log[i].delayMs - 0.001);
