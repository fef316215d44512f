import { mongoDb } from './mongo.js';
import { mysql } from './mysql.js';
import { postgres } from './postgres.js';
import { prisma } from './prisma.js';
import { redis } from './redis.js';
import type { DatabaseFailure } from './row.js';
import { sqlServer } from './sql-server.js';
import { sqlite } from './sqlite.js';

/** Failures of databases as they were seen, or as the source of the client and the manual of the server tell them. */
export const databaseFailures: readonly DatabaseFailure[] = [
  ...postgres,
  ...mysql,
  ...sqlite,
  ...sqlServer,
  ...mongoDb,
  ...redis,
  ...prisma,
];
