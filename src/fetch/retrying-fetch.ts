import { call } from './call.js';
import { type RetryingFetchOptions, settingsOf } from './options.js';
import { outgoing } from './request.js';

/**
 * A `fetch` that repeats what failed in passing, and only what may be repeated; a drop-in for whatever takes a `fetch`. In the place of the
 * global one, give it what was there: `globalThis.fetch = retryingFetch({ fetch: globalThis.fetch })`.
 *
 * A request may be repeated if its method is idempotent, or if it bears an `Idempotency-Key`. Any other goes again only if it was
 * provably never sent (a refused connection, say), or if a `notDoneStatuses` answer came. A body that can be read only once, a stream, is
 * sent once. Both ends stand in the log as `'committed'`.
 *
 * After the last attempt it does what `fetch` does: it resolves with the last response, its body unread; rejects with the network error as
 * it was thrown, an `AttemptTimeout` if time ran out, and with the signal's reason if the caller aborted. `attemptsOf` has the log for
 * either. A wait that the server asks for (`Retry-After` and the like) is obeyed up to the policy's `maxRetryAfterMs`; if it is longer,
 * the response is returned at once.
 *
 * The caller's signal goes on working while the body is read; the limits of the policy end at the headers. Do not change what a call was
 * given before it has settled: it is read anew for each attempt.
 *
 * @throws {TypeError | RangeError} at once, if an option is wrong; a call rejects, as that of `fetch` does
 * @throws {RetryHookError} by a call, as a rejection, if a function of the policy's or the run's throws or answers nonsense
 * @example
 * const answers = [new Response('', { status: 503 }), new Response('done')]
 * const get = retryingFetch({ fetch: async () => answers.shift(), policy: { backoff: { baseMs: 0 } } })
 * const response = await get('https://example.com/')
 * await response.text() // => 'done'
 * attemptsOf(response).map(({ action }) => action) // => ['retry', 'succeed']
 */
export function retryingFetch(options: RetryingFetchOptions = {}): typeof fetch {
  const settings = settingsOf(options);
  const before = globalThis.fetch;
  const retrying = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    const { fetch: now } = globalThis;
    const { fetch = now === retrying ? before : now } = settings; // it may have taken the place of the global one
    return call(outgoing(input, init ?? {}, { ...settings, fetch }), settings);
  };
  return retrying as typeof fetch;
}
