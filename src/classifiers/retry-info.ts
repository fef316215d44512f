import { isObject } from '../assert.js';
import { readSafely } from '../mark.js';
import { metadataOf } from './grpc-metadata.js';
import { valuesOf } from './protobuf.js';

/** The longest that a `google.protobuf.Duration` may be: 10,000 years. */
const MOST = 315_576_000_000; // seconds

/**
 * How long a gRPC server asks its client to wait: the `retry_delay` of a `google.rpc.RetryInfo` (google/rpc/error_details.proto) among the
 * details of the error. As bytes in Connect's `details`, decoded in google-gax's `statusDetails`, inside a `google.rpc.Status` in the
 * metadata of grpc-js. A RetryInfo without a delay asks for none.
 *
 * @returns milliseconds, an integer >= 0, rounded up; undefined without a RetryInfo, or with one that is malformed. Never throws
 */
export const retryDelayOf = (node: unknown): number | undefined =>
  [readSafely(node, 'details'), readSafely(node, 'statusDetails'), statusIn(metadataOf(node, 'grpc-status-details-bin'))]
    .flatMap(entriesOf)
    .map(delayIn)
    .find((delayMs) => delayMs !== undefined);

function entriesOf(list: unknown): unknown[] {
  const length = isObject(list) ? readSafely(list, 'length') : 0;
  return Array.from({ length: typeof length === 'number' ? Math.min(length, 100) : 0 }, (_, i) => readSafely(list, i));
}

/** The details of a `google.rpc.Status`: its field 3, each a `google.protobuf.Any`, whose field 1 is the type and 2 the value. */
function statusIn([status]: readonly unknown[]): unknown[] {
  try {
    const bytes = typeof status === 'string' ? Uint8Array.from(atob(status), (char) => char.charCodeAt(0)) : status;
    return valuesOf(bytes, 3).map((any) => {
      const [type = new Uint8Array()] = valuesOf(any, 1);
      const [value = new Uint8Array()] = valuesOf(any, 2);
      return { type: String.fromCharCode(...(type as Uint8Array)), value };
    });
  } catch {
    return [];
  }
}

function delayIn(detail: unknown): number | undefined {
  try {
    const decoded = readSafely(detail, 'retryDelay');
    if (isObject(decoded)) return durationMs(readSafely(decoded, 'seconds'), readSafely(decoded, 'nanos'));
    if (!/(^|\/)google\.rpc\.RetryInfo$/.test(String(readSafely(detail, 'type')))) return undefined;
    const [duration = new Uint8Array()] = valuesOf(readSafely(detail, 'value'), 1);
    return durationMs(valuesOf(duration, 1)[0], valuesOf(duration, 2)[0]);
  } catch {
    return undefined;
  }
}

/** Numbers, bigints, texts or objects of `Long`; what is left out is 0. */
function durationMs(seconds: unknown, nanos: unknown): number | undefined {
  const whole = Number(seconds ?? 0);
  const part = Number(nanos ?? 0);
  return whole >= 0 && whole <= MOST && part >= 0 && part < 1e9 ? Math.ceil(whole * 1_000 + part / 1e6) : undefined;
}
