import * as say from '../thrown.js';
import { failuresOf, type Row } from './row.js';

const replies: readonly (readonly [message: string, passes: boolean])[] = [
  ['LOADING Redis is loading the dataset in memory', true],
  ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", true],
  ["READONLY You can't write against a read only replica.", true],
  ['UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)', true],
  ['CLUSTERDOWN The cluster is down', true],
  ['TRYAGAIN Multiple keys request during rehashing of slot', true],
  ['NOREPLICAS Not enough good replicas to write.', true],
  ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', true],
  ['BUSY Valkey is busy running a script.', true],
  ['ERR max number of clients reached', true],
  ['UNBLOCKED client unblocked via CLIENT UNBLOCK', false],
  ['BUSYGROUP Consumer Group name already exists', false],
  ['BUSYKEY Target key name already exists.', false],
  ["OOM command not allowed when used memory > 'maxmemory'.", false],
  ['MISCONF Redis is configured to save RDB snapshots', false],
  ['WRONGTYPE Operation against a key holding the wrong kind of value', false],
  ['NOAUTH Authentication required.', false],
  ['EXECABORT Transaction discarded because of previous errors.', false],
  ['MOVED 3999 127.0.0.1:6381', false],
  ["ERR unknown command 'LOADING'", false],
];

const ioredis = failuresOf(
  'redis',
  'ioredis',
  ...replies.map(([message, passes]): Row => [message, say.named('ReplyError', message, { command: { name: 'set', args: [] } }), passes]),
  ['whatever happened to the connection', say.plain('Connection is closed.'), true],
  ['its own command timeout', say.plain('Command timed out'), true],
  ['tried often enough', say.named('MaxRetriesPerRequestError', 'Reached the max retries per request limit (which is 20).'), true],
  ['offline, and no queue', say.plain("Stream isn't writeable and enableOfflineQueue options is false"), true],
  ['no cluster yet, and no queue', say.plain("Cluster isn't ready and enableOfflineQueue options is false"), true],
  ['no node of a cluster', say.named('ClusterAllFailedError', 'Failed to refresh slots cache.'), true],
  ['no node to begin with', say.plain('None of startup nodes is available'), true],
  ['the socket is silent', say.plain("Socket timeout. Expecting data, but didn't receive any in 100ms."), true],
  ['a subscriber', say.plain('Connection in subscriber mode, only subscriber commands may be used'), false],
  ['its words under a code of somebody else', say.plain('Connection is closed.', { code: 'ECONNCLOSED' }), false],
);

const redisJs = failuresOf(
  'redis',
  'redis',
  ...replies.map(([message, passes]): Row => [message, say.ofClass('SimpleError', message), passes]),
  ['the line is cut', say.ofClass('SocketClosedUnexpectedlyError', 'Socket closed unexpectedly'), true],
  ['no answer to connect', say.ofClass('ConnectionTimeoutError', 'Connection timeout'), true],
  [
    'the socket is silent',
    say.ofClass('SocketTimeoutError', "Socket timeout timeout. Expecting data, but didn't receive any in 5ms."),
    true,
  ],
  ['offline, and no queue', say.ofClass('ClientOfflineError', 'The client is offline'), true],
  ['no node of a cluster', say.ofClass('RootNodesUnavailableError', 'All the root nodes are unavailable'), true],
  ['a watched key was written', say.ofClass('WatchError', 'One (or more) of the watched keys has been changed'), true],
  ['used after its close', say.ofClass('ClientClosedError', 'The client is closed'), false],
  ['its own destroy', say.ofClass('DisconnectsClientError', 'Disconnects client'), false],
  ['aborted', say.ofClass('AbortError', 'The command was aborted'), false],
  ['reset', say.reset(), false],
);

export const redis = [...ioredis, ...redisJs];
