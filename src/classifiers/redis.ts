import type { Classifier } from '../classify.js';
import { anyOf, textOf } from './facts.js';
import { classifierOf, type Said } from './verdicts.js';

/** Replies, by their first word. Absent: OOM and MISCONF, which somebody has to mend. */
const replies = /* @__PURE__ */ anyOf(
  [
    'LOADING|MASTERDOWN', // the server reads its data; a replica without its master (Redis, "Replication")
    'READONLY|UNBLOCKED force', // after a failover, on what is now a replica
    'CLUSTERDOWN|TRYAGAIN', // slots without a server, or on the move ("Redis cluster specification")
    'NOREPLICAS', // too few replicas that keep up (`min-replicas-to-write`)
    'BUSY \\w+ is busy', // a script runs ("Scripting with Lua"); BUSYKEY and BUSYGROUP are something else
    'ERR max number of clients reached', // "Redis client handling"
  ],
  '\\b',
);

/** Lost connections and clients that gave up for now. All of them without a code; the classes of redis have the name `Error`. */
const texts = /* @__PURE__ */ anyOf([
  'Connection is closed\\.|Command timed out|None of startup nodes is available|Failed to refresh slots cache\\.', // ioredis
  "(Stream isn't writeable|Cluster isn't ready) and enableOfflineQueue options is false", // ioredis
  'Socket closed unexpectedly|Connection timeout|The client is offline|All the root nodes are unavailable', // redis
  "Socket timeout\\b.* Expecting data, but didn't receive any in \\d+ms\\.", // both
  'One \\(or more\\) of the watched keys has been changed', // redis: to be repeated (Redis, "Transactions", optimistic locking)
]);

export function redisFailure(node: unknown): Said {
  if (textOf(node, 'code') !== '') return undefined;
  const message = textOf(node, 'message');
  const passes = replies.test(message) || texts.test(message) || textOf(node, 'name') === 'MaxRetriesPerRequestError';
  return passes ? 'transient' : undefined;
}

/**
 * The classifier for Redis, as ioredis and redis tell it: replies of servers that load, fail over, move slots, run a script or have no
 * connection left, and connections that were lost. By the first word of a reply, and by the whole text of a client's own error, since
 * neither has a code.
 *
 * Not transient: OOM, MISCONF, WRONGTYPE, NOAUTH, EXECABORT, what was used after its `close()`. Codes of the system (`ECONNREFUSED`)
 * belong to {@link networkErrors}. `"Connection is closed."` is all that ioredis says, of a wrong password and of its own `disconnect()`
 * as well.
 *
 * @example
 * redisErrors(new Error('LOADING Redis is loading the dataset in memory')) // => 'transient'
 * redisErrors(new Error('WRONGTYPE Operation against a key holding the wrong kind of value')) // => undefined
 */
export const redisErrors: Classifier = /* @__PURE__ */ classifierOf(redisFailure);
