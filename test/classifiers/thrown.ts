type Classifiers = 'networkErrors' | 'unknownHosts' | 'httpErrors' | 'grpcErrors';
type Stage = 'not-sent' | 'unknown' | 'answered';

/** A failure as it was seen on a real socket, and what may be said of it. */
export interface Failure {
  readonly thrower: string;
  readonly fault: string;
  readonly error: unknown;
  readonly stage: Stage;
  /** What could be said as well, though only a text of no other use tells it. */
  readonly orStage?: Stage | undefined;
  readonly transient: boolean;
  /** The one classifier that calls it transient. */
  readonly knownBy?: Classifiers | undefined;
  /** Somebody wanted the end: `networkErrors` answers `'permanent'`, and no classifier `'transient'`. */
  readonly aborted: boolean;
  /** The wait that `httpErrors` finds in it. */
  readonly retryAfterMs?: number | undefined;
}

export type Row = readonly [
  fault: string,
  error: unknown,
  stage: Stage,
  verdict: Classifiers | 'no' | 'aborted',
  more?: { readonly orStage?: Stage; readonly retryAfterMs?: number },
];

export const failuresOf = (thrower: string, ...rows: readonly Row[]): Failure[] =>
  rows.map(([fault, error, stage, verdict, more]) => {
    const knownBy = verdict === 'no' || verdict === 'aborted' ? undefined : verdict;
    return { thrower, fault, error, stage, ...more, transient: knownBy !== undefined, knownBy, aborted: verdict === 'aborted' };
  });

type Fields = Readonly<Record<string, unknown>>;

export type Coded = Error & { readonly code?: unknown };

/** An error of a class of this name; its own `name` is that of `Error`, unless `fields` give another. */
export function ofClass(className: string, message: string, { cause, ...fields }: Fields = {}): Error {
  const { [className]: Thrown = Error } = { [className]: class extends Error {} };
  return Object.assign(new Thrown(message, cause === undefined ? undefined : { cause }), fields);
}

export const named = (name: string, message: string, fields: Fields = {}): Coded => ofClass(name, message, { name, ...fields });

export const plain = (message: string, fields: Fields = {}): Coded => Object.assign(new Error(message), fields);

export const type = (message: string, { cause, ...fields }: Fields = {}): Coded =>
  Object.assign(new TypeError(message, cause === undefined ? undefined : { cause }), fields);

export const aborted = (fields: Fields = {}) => Object.assign(new DOMException('This operation was aborted', 'AbortError'), fields);

export const timedOut = (fields: Fields = {}) =>
  Object.assign(new DOMException('The operation was aborted due to timeout', 'TimeoutError'), fields);

/** What a system call failed with, as Node says it. */
export const system = (code: string, syscall: string, fields: Fields = {}): Coded =>
  plain(`${syscall} ${code}`, { errno: -1, code, syscall, ...fields });

export const refused = () => system('ECONNREFUSED', 'connect', { address: '127.0.0.1', port: 8080 });
export const noSuchHost = () => system('ENOTFOUND', 'getaddrinfo', { hostname: 'nowhere.invalid' });
export const reset = () => system('ECONNRESET', 'read');
export const hungUp = () => plain('socket hang up', { code: 'ECONNRESET' });
export const closed = () =>
  named('SocketError', 'other side closed', { code: 'UND_ERR_SOCKET', socket: { bytesWritten: 120, bytesRead: 0 } });
export const selfSigned = () => plain('self-signed certificate', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
export const badUrl = () => type('Invalid URL', { code: 'ERR_INVALID_URL', input: 'http://[bad' });

/** What `fetch` rejects with in Node, and what a body that breaks off does. */
export const fetchFailed = (cause: unknown) => type('fetch failed', { cause });
export const terminated = (cause: unknown) => type('terminated', { cause });
