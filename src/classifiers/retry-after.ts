import { headerOf } from './headers.js';
import { parseHttpDate } from './http-date.js';

/** The headers of an answer, as a platform or a client gives them. */
export type ResponseHeaders = { get(name: string): unknown } | Record<string, string | readonly string[] | undefined>;

/**
 * How long the server asks its client to wait, from the headers of its answer. The first of these that is valid counts:
 *
 * 1. `retry-after-ms`, then `x-ms-retry-after-ms`: milliseconds (OpenAI, Azure)
 * 2. `Retry-After`: whole seconds, or a date in one of the three forms of HTTP (RFC 9110 §10.2.3, §5.6.7)
 * 3. where nothing remains, the reset of `RateLimit` (draft-ietf-httpapi-ratelimit-headers), then of `RateLimit-Reset` (its older drafts)
 *    with `RateLimit-Remaining`, then of `x-ratelimit-reset` with `x-ratelimit-remaining`: seconds from now, an epoch in seconds from 1e9
 *    on, in milliseconds from 1e12 on
 *
 * All but whole seconds may have a fraction. A whole value is valid or no hint at all; several values of one header are no hint. So are several
 * policies in one `RateLimit`. Dates and epochs are measured against the `Date`
 * of the same answer, so that a wrong local clock does not matter.
 *
 * @param headers  anything with a `get`, or a plain object with names in any case; what holds no headers holds no hint
 * @param now  the wall clock, epoch milliseconds; only asked where the answer has no valid `Date`
 * @returns milliseconds, an integer in [0, Number.MAX_SAFE_INTEGER], rounded up, 0 for an instant that is past; undefined without a hint.
 *   Never throws
 * @example
 * parseRetryAfter({ 'Retry-After': '120' }, 0) // => 120_000
 * parseRetryAfter({ 'Retry-After': '120 s' }, 0) // => undefined
 * const date = 'Sun, 06 Nov 1994 08:49:37 GMT'
 * parseRetryAfter({ date, 'retry-after': 'Sun, 06 Nov 1994 08:50:07 GMT' }, 0) // => 30_000
 * parseRetryAfter(new Headers({ RateLimit: '"hourly";r=0;t=30' }), 0) // => 30_000
 * parseRetryAfter(new Headers({ RateLimit: '"hourly";r=1;t=30' }), 0) // => undefined
 */
export function parseRetryAfter(headers: ResponseHeaders, now: number): number | undefined {
  const read = (name: string): string => headerOf(headers, name) ?? '';
  const local = Number.isFinite(now) ? now : NaN;
  const date = parseHttpDate(read('date'), local);
  const answeredAt = Number.isNaN(date) ? local : date;
  const untilReset = (remaining: string, reset: string): number => {
    const amount = decimal(reset);
    const ms = amount < 1e12 ? decimal(reset, 'e3') : amount;
    return decimal(remaining) !== 0 ? NaN : amount < 1e9 ? ms : ms - answeredAt;
  };
  const retryAfter = read('retry-after');
  const { r = '', t = '' } = limitOf(read('ratelimit'));
  const hints = [
    decimal(read('retry-after-ms')),
    decimal(read('x-ms-retry-after-ms')),
    /^\d+$/.test(retryAfter) ? decimal(retryAfter, 'e3') : parseHttpDate(retryAfter, answeredAt) - answeredAt,
    untilReset(r, t),
    untilReset(read('ratelimit-remaining'), read('ratelimit-reset')),
    untilReset(read('x-ratelimit-remaining'), read('x-ratelimit-reset')),
  ];
  return hints.filter(isKnown).map((ms) => Math.min(Math.max(Math.ceil(ms), 0), 2 ** 53 - 1))[0];
}

/** A header that is absent or invalid is NaN. */
const isKnown = (ms: number): boolean => !Number.isNaN(ms);

/** Scaled by an exponent and not by a product, which is inexact: 16.1 * 1000 is 16100.000000000002. */
const decimal = (text: string, exponent = ''): number => (/^\d+(\.\d+)?$/.test(text) ? Number(text + exponent) : NaN);

/** What a `RateLimit` says of its one policy. Several policies are no hint, as several values are. */
function limitOf(text: string): Readonly<Record<string, string>> {
  const plain = text.replace(/\\./g, '').replace(/"[^"]*"/g, 's'); // quoted texts may hold anything
  const isOne = /^[^\s;,="]+(\s*;\s*[^\s;,="]+(=[^\s;,"]+)?)+$/.test(plain);
  return Object.fromEntries(isOne ? plain.split(';').map((pair) => pair.trim().split('=')) : []);
}
