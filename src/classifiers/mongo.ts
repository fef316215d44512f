import type { Classifier } from '../classify.js';
import { readSafely } from '../mark.js';
import { causeOf } from './chain.js';
import { textOf } from './facts.js';
import { isPrismaTrouble } from './prisma.js';
import { classifierOf, type Said } from './verdicts.js';

/** What the server or the driver calls retryable (MongoDB's specifications: retryable writes, transactions, client backpressure). */
const labels = ['TransientTransactionError', 'RetryableWriteError', 'RetryableError'];

/** Servers that change their part, stop or cannot be reached (MongoDB's specification of retryable reads, "Retryable Error"). */
const codes = /* @__PURE__ */ new Set<unknown>([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** No connection, no server, no place in the pool. */
const names = /^Mongo(Network|NetworkTimeout|ServerSelection|oseServerSelection|PoolCleared|PoolClearedOnNetwork|WaitQueueTimeout)Error$/;

/** What such an error has inside if it is a name misspelt, or a certificate. */
const doomed = /^(ENOTFOUND$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/;

export function mongoFailure(node: unknown): Said {
  const name = textOf(node, 'name');
  if (!name.startsWith('Mongo')) return isPrismaTrouble(node) ? 'transient' : undefined;
  const given = labelsOf(node);
  if (given.includes('UnknownTransactionCommitResult')) return 'no';
  if (labels.some((label) => given.includes(label)) || codes.has(readSafely(node, 'code'))) return 'transient';
  const cause = causeOf(node);
  const isDoomed = [node, cause, causeOf(cause)].some((inner) => doomed.test(textOf(inner, 'code')));
  return names.test(name) && !isDoomed ? 'transient' : undefined;
}

function labelsOf(node: unknown): readonly unknown[] {
  try {
    return Array.from(readSafely(node, 'errorLabels') as readonly unknown[]);
  } catch {
    return [];
  }
}

/**
 * The classifier for MongoDB, as mongodb, mongoose and Prisma tell it: the labels `TransientTransactionError`, `RetryableWriteError` and
 * `RetryableError`, servers that step down or stop, connections that were lost, pools that are full.
 *
 * Not transient: a commit of which nobody knows whether it happened (`UnknownTransactionCommitResult`: repeat the commit, not the
 * transaction), what took too long (50), duplicate keys (11000), names that DNS does not know, certificates, clients that were closed.
 *
 * @example
 * const conflict = Object.assign(new Error('Write conflict'), { name: 'MongoServerError', code: 112, errorLabels: ['TransientTransactionError'] })
 * mongoErrors(conflict) // => 'transient'
 * mongoErrors(Object.assign(new Error('E11000 duplicate key error'), { name: 'MongoServerError', code: 11_000 })) // => undefined
 */
export const mongoErrors: Classifier = /* @__PURE__ */ classifierOf(mongoFailure);
