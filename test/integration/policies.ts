import { definePolicy } from 'retry-policy';
import { networkErrors, redisErrors, sqlErrors } from 'retry-policy/classifiers';

/** Short waits, since the faults of these tests pass soon. */
const backoff = { baseMs: 10, capMs: 200 };

/** The recipe for work in a SQL database. */
export const sqlPolicy = definePolicy({ maxAttempts: 5, backoff, classify: [networkErrors, sqlErrors] });

/** The same for a crowd, or for a server that is gone for a while: as often as it takes within a minute. */
export const patientSqlPolicy = definePolicy({ ...sqlPolicy, maxAttempts: Infinity, totalBudgetMs: 60_000 });

export const redisPolicy = definePolicy({ maxAttempts: 5, backoff, classify: [networkErrors, redisErrors] });
