/** Browsers answer a redirect without showing it. No error of theirs proves either that a request was not sent. */
export const showsRedirects = (): boolean => !/^Mozilla\//.test(globalThis.navigator?.userAgent);

/** Where an answer leads to, if it is a redirect. */
export const locationOf = ({ status, headers }: Response): string | null =>
  /^30[12378]$/.test(`${status}`) ? headers.get('location') : null;

const ofBodies = ['content-encoding', 'content-language', 'content-length', 'content-location', 'content-type'];
const ofOrigins = ['authorization', 'cookie', 'host', 'proxy-authorization'];

/** A request that follows from a redirect; if its method has become GET, without a body. */
interface Next {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
}

/**
 * By the Fetch standard, HTTP-redirect fetch.
 *
 * @throws {TypeError} if the location is none that can be fetched
 */
export function next(status: number, from: URL, location: string, method: string, headers: Headers): Next {
  const url = new URL(location, from);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`redirected to ${url.protocol}`); // a local file, say
  const becomesGet = status === 303 ? !/^(GET|HEAD)$/.test(method) : status < 303 && method === 'POST';
  const dropped = [...(becomesGet ? ofBodies : []), ...(url.origin === from.origin ? [] : ofOrigins)];
  for (const name of dropped) headers.delete(name);
  return { url, method: becomesGet ? 'GET' : method, headers };
}
