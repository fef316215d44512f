import { aBoolean, isObject } from '../assert.js';
import type { Classifier } from '../classify.js';
import { readSafely } from '../mark.js';
import { Faults, type Rules } from '../options.js';
import { textOf } from './facts.js';
import { metadataOf } from './grpc-metadata.js';
import { retryDelayOf } from './retry-info.js';
import { classifierOf, type Said } from './verdicts.js';

/** What a gRPC error is judged by. */
export interface GrpcErrorsOptions {
  /** Whether ABORTED is transient: only if the retry begins with what the call depends on (read, change, write). Default false. */
  aborted?: boolean | undefined;
}

const rules: Rules<GrpcErrorsOptions> = { aborted: aBoolean };

// google/rpc/code.proto
const CANCELLED = 1;
const UNKNOWN = 2;
const RESOURCE_EXHAUSTED = 8;
const ABORTED = 10;
const UNAVAILABLE = 14;
const LAST = 16;

/**
 * A classifier for gRPC, as grpc-js, google-gax and Connect tell it: by a status that stands beside `details` or `metadata`.
 *
 * Transient are UNAVAILABLE; RESOURCE_EXHAUSTED if the server says by a `RetryInfo` when to come back; ABORTED if asked for. Permanent is
 * CANCELLED, and what the server does not want to see again: a `grpc-retry-pushback-ms` that is negative or no integer (gRFC A6).
 * DEADLINE_EXCEEDED is not transient: the work may go on.
 *
 * The verdict carries the wait that the server asks for, by a pushback, else by a `RetryInfo`.
 *
 * @throws {TypeError} if an option is of the wrong type or unknown
 * @example
 * const unavailable = { code: 14, details: 'the server leaves', metadata: new Map([['grpc-retry-pushback-ms', ['250']]]) }
 * grpcErrors()(unavailable) // => { verdict: 'transient', retryAfterMs: 250 }
 * const aborted = { code: 10, details: 'a conflict', metadata: new Map() }
 * grpcErrors()(aborted) // => undefined
 * grpcErrors({ aborted: true })(aborted) // => 'transient'
 */
export function grpcErrors(options: GrpcErrorsOptions = {}): Classifier {
  const faults = new Faults('grpcErrors options');
  const { aborted = false } = faults.names('options', options, rules);
  faults.values({ aborted }, rules);
  faults.throwIfAny();
  return classifierOf((node) => grpcFailure(node, aborted));
}

function grpcFailure(node: unknown, aborted: boolean): Said {
  const code = statusOf(node);
  if (code === undefined) return undefined;
  const pushback = metadataOf(node, 'grpc-retry-pushback-ms');
  const pushbackMs = millisecondsOf(pushback);
  if (code === CANCELLED || (pushback.length > 0 && pushbackMs === undefined)) return 'permanent';
  const delayMs = retryDelayOf(node);
  const passes = code === UNAVAILABLE || (code === ABORTED && aborted) || (code === RESOURCE_EXHAUSTED && delayMs !== undefined);
  if (!passes) return code === UNKNOWN ? undefined : 'no'; // what is unknown to the outer call may be known to its cause
  const retryAfterMs = pushbackMs ?? delayMs;
  return retryAfterMs === undefined ? 'transient' : { verdict: 'transient', retryAfterMs };
}

/** A number alone could be anything: a DOMException, an exit code, MongoDB's, HTTP's. */
function statusOf(node: unknown): number | undefined {
  const code = readSafely(node, 'code');
  const isStatus = typeof code === 'number' && Number.isInteger(code) && code >= 1 && code <= LAST;
  const details = readSafely(node, 'details');
  const isGrpc =
    typeof details === 'string' ||
    isObject(readSafely(node, 'metadata')) ||
    isObject(readSafely(node, 'statusDetails')) ||
    textOf(node, 'name') === 'ConnectError';
  return isStatus && isGrpc ? code : undefined;
}

/** A non-negative integer of 32 bits with a sign, and no zeros before it. */
function millisecondsOf([value, another]: readonly unknown[]): number | undefined {
  const isInteger = typeof value === 'string' && another === undefined && /^(0|[1-9]\d*)$/.test(value);
  return isInteger && Number(value) < 2 ** 31 ? Number(value) : undefined;
}
