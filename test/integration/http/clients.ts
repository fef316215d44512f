import { request as octokit } from '@octokit/request';
import axios from 'axios';
import got from 'got';
import ky from 'ky';
import nodeFetch from 'node-fetch';
import { ofetch } from 'ofetch';
import OpenAI from 'openai';
import { fetch as undiciFetch, request as undiciRequest } from 'undici';

export interface Ask {
  readonly signal?: AbortSignal | undefined;
  /** The client's own limit. */
  readonly timeoutMs?: number | undefined;
  /** What to make of the fetch that it sends by. */
  readonly over?: ((send: typeof fetch) => typeof fetch) | undefined;
}

/** Asks for an address, with the client's own retries switched off, and rejects if the status is an error. */
export type Client = (url: string, ask?: Ask) => Promise<unknown>;

/** Without what was not asked for: some clients take `undefined` for a value. */
const given = <T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;

/** What a fetch leaves to its caller: errors of status are none for it. */
async function checked(response: Response): Promise<string> {
  if (response.ok) return response.text();
  await response.body?.cancel?.();
  throw response;
}

const byFetch =
  (own: typeof fetch): Client =>
  async (url, { signal, timeoutMs, over } = {}) => {
    const send = over?.(own) ?? own;
    return checked(await send(url, given({ signal: limited(signal, timeoutMs) })));
  };

/** For clients that have no limit of their own. */
const limited = (signal: AbortSignal | undefined, timeoutMs: number | undefined): AbortSignal | undefined =>
  timeoutMs === undefined ? signal : AbortSignal.timeout(timeoutMs);

/** Those that send by a fetch. */
export const overFetch: Readonly<Record<string, Client>> = {
  fetch: byFetch((...args) => fetch(...args)),
  'undici fetch': byFetch(undiciFetch as unknown as typeof fetch),
  'node-fetch': byFetch(nodeFetch as unknown as typeof fetch),
  ky: async (url, { signal, timeoutMs, over } = {}) =>
    ky(url, given({ signal, fetch: over?.(fetch), retry: 0, timeout: timeoutMs ?? (false as const) })).text(),
  ofetch: (url, { signal, timeoutMs, over } = {}) => {
    const send = over === undefined ? ofetch : ofetch.create({}, { fetch: over(fetch) });
    return send(url, given({ signal, retry: 0, timeout: timeoutMs }));
  },
  octokit: (url, { signal, timeoutMs, over } = {}) =>
    octokit(`GET ${url}`, { request: given({ fetch: over?.(fetch), signal: limited(signal, timeoutMs) }) }),
  openai: async (url, { signal, timeoutMs, over } = {}) => {
    const { origin, pathname, search } = new URL(url);
    const base = { apiKey: 'none', baseURL: `${origin}${pathname}`, maxRetries: 0 };
    return new OpenAI(given({ ...base, timeout: timeoutMs, fetch: over?.(fetch) })).get(search, given({ signal }));
  },
  'axios over fetch': (url, { signal, timeoutMs, over } = {}) =>
    axios.get(url, given({ signal, timeout: timeoutMs, adapter: 'fetch' as const, env: over && { fetch: over(fetch) } })),
};

/** Those that cannot. */
export const ofTheirOwn: Readonly<Record<string, Client>> = {
  'axios over http': (url, { signal, timeoutMs } = {}) => axios.get(url, given({ signal, timeout: timeoutMs, adapter: 'http' as const })),
  got: (url, { signal, timeoutMs } = {}) =>
    got(url, given({ signal, retry: { limit: 0 }, timeout: timeoutMs === undefined ? undefined : { request: timeoutMs } })).text(),
  undici: async (url, { signal, timeoutMs } = {}) => {
    const answer = await undiciRequest(url, given({ signal, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }));
    const text = await answer.body.text();
    if (answer.statusCode < 400) return text;
    throw Object.assign(new Error(`status ${answer.statusCode}`), answer);
  },
};
