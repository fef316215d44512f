import type { Classifier } from '../classify.js';
import { mongoFailure } from './mongo.js';
import { mysqlFailure } from './mysql.js';
import { postgresFailure } from './postgres.js';
import { redisFailure } from './redis.js';
import { sqlServerFailure } from './sql-server.js';
import { sqliteFailure } from './sqlite.js';
import { classifierOf } from './verdicts.js';

/**
 * The classifier for databases of any kind: {@link postgresErrors}, {@link mysqlErrors}, {@link sqliteErrors}, {@link sqlServerErrors},
 * {@link mongoErrors} and {@link redisErrors} together, so that an `AggregateError` may have members of several. Put
 * {@link networkErrors} beside it: what the system says of a connection is the same for all.
 *
 * @example
 * const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' })
 * const locked = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
 * sqlErrors(new Error('import failed', { cause: deadlock })) // => 'transient'
 * sqlErrors(new AggregateError([deadlock, locked])) // => 'transient'
 * sqlErrors(new AggregateError([deadlock, new Error('no such column')])) // => undefined
 */
export const sqlErrors: Classifier = /* @__PURE__ */ classifierOf(
  (node) =>
    postgresFailure(node) ??
    mysqlFailure(node) ??
    sqliteFailure(node) ??
    sqlServerFailure(node) ??
    mongoFailure(node) ??
    redisFailure(node),
);
