import { onAbort } from '../abort.js';
import type { AttemptContext } from '../attempt.js';
import { says } from '../classifiers/chain.js';
import { isUnsent } from '../classifiers/unsent.js';
import { readSafely } from '../mark.js';
import { cancelBody } from './cancel-body.js';
import { type Fetch, IDEMPOTENCY_KEY, type Settings } from './options.js';
import { locationOf, next, showsRedirects } from './redirect.js';

type Arguments = Parameters<typeof fetch>;

/** What a call asks for: how it is sent, and whether it may be sent again. */
export interface Outgoing {
  /** The signal that ends this call and no other. */
  readonly signal: AbortSignal | undefined;
  /** Sends it once. Commits the run as soon as a second request might do harm, or cannot be made. */
  readonly send: (context: AttemptContext, signal: AbortSignal | undefined) => Promise<Response>;
  /** The Requests that it was made of, which must be there as long as their signal counts. */
  readonly requests: unknown;
  /** Lets go of what was kept for another attempt. */
  readonly release: () => void;
}

export function outgoing(input: Arguments[0], init: RequestInit, settings: Settings & { readonly fetch: Fetch }): Outgoing {
  const { fetch, methods, keyHeader, notDoneStatuses } = settings;
  const request: Partial<Request> = isRequest(input) ? input : {};
  const signal = (init.signal === undefined ? request.signal : init.signal) ?? undefined;
  const method = `${init.method ?? request.method ?? 'GET'}`.toUpperCase();
  const headers = () => new Headers(init.headers ?? request.headers);

  const isSafe = methods.includes(method);
  const given = isSafe ? null : headers().get(IDEMPOTENCY_KEY) || headers().get(keyHeader ?? IDEMPOTENCY_KEY);
  const addsKey = !isSafe && given === null && keyHeader !== undefined;
  const isOneShot = isStream(init.body);
  /** Whether a second one might do harm: neither its method nor a key, by which the server would know it again, says otherwise. */
  const isAtStake = !(isSafe || addsKey || given || isOneShot);
  // A redirect that is followed unseen may lead from a server that has done the work to one that refuses the connection.
  const canProve = showsRedirects();
  const follows = isAtStake && canProve && (init.redirect ?? request.redirect ?? 'follow') === 'follow';
  // The body of a Request can be read only once, so each attempt sends a copy.
  const original = isRequest(input) && input.body !== null && init.body == null ? input : undefined;

  async function sendOnce(context: AttemptContext, followed: AbortSignal | undefined): Promise<Response> {
    const sent: RequestInit = {};
    for (const name in init) Object.assign(sent, { [name]: init[name as keyof RequestInit] }); // inherited ones too, as fetch takes them
    if (followed !== undefined) sent.signal = followed;
    if (follows) sent.redirect = 'manual';
    if (addsKey) {
      sent.headers = headers();
      sent.headers.set(keyHeader, context.idempotencyKey);
    }
    const response = await fetch(original?.clone() ?? input, sent);
    const location = follows && locationOf(response);
    if (isAtStake && (location || !notDoneStatuses.includes(response.status))) context.commit();
    if (!location) return response;

    cancelBody(response);
    const from = new URL(response.url || request.url || `${input}`, 'http://localhost');
    const { url, ...then } = next(response.status, from, location, method, headers());
    const body = then.method === 'GET' ? null : ((await original?.blob()) ?? init.body ?? null);
    const end = await fetch(url, { ...sent, redirect: 'follow', ...then, body });
    Reflect.defineProperty(end, 'redirected', { value: true });
    return end;
  }

  async function send(context: AttemptContext, followed: AbortSignal | undefined): Promise<Response> {
    if (isOneShot) context.commit();
    const stop = isAtStake && context.remainingMs < Infinity ? onAbort(context.signal, context.commit) : undefined;
    try {
      return await sendOnce(context, followed);
    } catch (error) {
      if (isAtStake && !(canProve && says(error, isUnsent))) context.commit();
      throw error;
    } finally {
      stop?.();
    }
  }

  return { signal, send, release: () => original && cancelBody(original), requests: [input, init].filter(isRequest) };
}

/** Of whichever realm. */
const isRequest = (value: unknown): value is Request => readSafely(value, 'clone') !== undefined;

/** A stream, or what is read like one: an async iterable, a stream of old. */
const isStream = (body: unknown): boolean =>
  ['getReader', 'pipe', Symbol.asyncIterator].some((member) => typeof readSafely(body, member) === 'function');
