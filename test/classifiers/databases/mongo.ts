import * as say from '../thrown.js';
import { failuresOf, type Row } from './row.js';

const mongo = (name: string, fields: object = {}, labels: readonly string[] = []) =>
  say.named(`Mongo${name}`, 'as it says it', { ...fields, errorLabels: labels });

const listed = [6, 7, 89, 91, 134, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436];

const certificates = [
  ...['CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  'ERR_SSL_WRONG_VERSION_NUMBER',
];

const driver = failuresOf(
  'mongo',
  'mongodb',
  ...listed.map((code): Row => [`a server that leaves (${code})`, mongo('ServerError', { code }), true]),
  ['write conflict in a transaction', mongo('ServerError', { code: 112 }, ['TransientTransactionError']), true],
  ['a write that may be repeated', mongo('ServerError', { code: 10_000 }, ['RetryableWriteError']), true],
  ['an overloaded server', mongo('ServerError', { code: 462 }, ['SystemOverloadedError', 'RetryableError']), true],
  ['the line is cut', mongo('NetworkError'), true],
  ['the line is reset', mongo('NetworkError', { cause: say.reset() }), true],
  ['no answer', mongo('NetworkTimeoutError'), true],
  ['no server', mongo('ServerSelectionError', { code: undefined, cause: mongo('NetworkError', { cause: say.refused() }) }), true],
  ['no server, for no reason', mongo('ServerSelectionError'), true],
  ['a pool that was cleared, for no reason', mongo('PoolClearedError'), true],
  ['a pool that was cleared', mongo('PoolClearedError', { cause: mongo('NetworkError') }), true],
  ['a pool that was cleared in use', mongo('PoolClearedOnNetworkError'), true],
  ['no connection of the pool', mongo('WaitQueueTimeoutError'), true],
  ['the name is unknown', mongo('NetworkError', { cause: say.noSuchHost() }), false],
  ['the name is unknown to all', mongo('ServerSelectionError', { cause: mongo('NetworkError', { cause: say.noSuchHost() }) }), false],
  ['self-signed', mongo('ServerSelectionError', { cause: mongo('NetworkError', { cause: say.selfSigned() }) }), false],
  ...certificates.map((code): Row => [code, mongo('NetworkError', { cause: say.plain('', { code }) }), false]),
  ['a commit, done or not', mongo('NetworkError', {}, ['UnknownTransactionCommitResult', 'RetryableWriteError']), false],
  ['write conflict outside a transaction', mongo('ServerError', { code: 112 }), false],
  ['maxTimeMS', mongo('ServerError', { code: 50 }), false],
  ['duplicate key', mongo('ServerError', { code: 11_000 }), false],
  ['wrong password', mongo('ServerError', { code: 18 }, ['HandshakeError']), false],
  ['its own timeoutMS', mongo('OperationTimeoutError'), false],
  ['a change stream that may go on', mongo('ServerError', { code: 43 }, ['ResumableChangeStreamError']), false],
  ['not connected', mongo('NotConnectedError'), false],
  ['used after its close', mongo('TopologyClosedError'), false],
  ['a pool that was closed', mongo('PoolClosedError'), false],
);

const mongoose = failuresOf('mongo', 'mongoose', ['no server', say.named('MongooseServerSelectionError', 'connect ECONNREFUSED'), true]);

const looksAlike = failuresOf(
  'mongo',
  'somebody else',
  ['its code', say.plain('', { code: 91 }), false],
  ['its label', say.plain('', { errorLabels: ['RetryableWriteError'] }), false],
  ['its code as a text', mongo('ServerError', { code: '91' }), false],
);

export const mongoDb = [...driver, ...mongoose, ...looksAlike];
