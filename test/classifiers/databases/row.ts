export type Database = 'postgres' | 'mysql' | 'sqlite' | 'sqlServer' | 'mongo' | 'redis';

/** A failure of a database as a client tells it. */
export interface DatabaseFailure {
  readonly thrower: string;
  readonly fault: string;
  readonly error: unknown;
  /** The classifiers that call it transient; none for what does not pass, and for what `networkErrors` knows. */
  readonly knownBy: readonly Database[];
}

export type Row = readonly [fault: string, error: unknown, passes: boolean];

export const failuresOf = (database: Database, thrower: string, ...rows: readonly Row[]): DatabaseFailure[] =>
  rows.map(([fault, error, passes]) => ({ thrower, fault, error, knownBy: passes ? [database] : [] }));
