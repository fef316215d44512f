import pg from 'pg';
import postgres from 'postgres';

export type Row = Readonly<Record<string, unknown>>;
export type Query = (text: string, values?: readonly (string | number)[]) => Promise<readonly Row[]>;

/** The one number that was asked for. */
export const numberOf = (rows: readonly Row[]): number => Number(Object.values(rows[0] ?? {})[0]);

/** What the tests ask of a client: a pool of connections to one database. */
export interface Database {
  readonly query: Query;
  /** Begins anew whenever it is called, with nothing left of a transaction that failed. */
  transaction<T>(work: (query: Query) => Promise<T>, isolation?: string): Promise<T>;
  close(): Promise<void>;
}

export interface Access {
  readonly port: number;
  readonly user?: string;
  readonly connections?: number;
}

type Driver = (access: Access) => Database;

export const withPg: Driver = ({ port, user = 'postgres', connections = 8 }) => {
  const pool = new pg.Pool({ host: '127.0.0.1', port, user, database: 'postgres', max: connections });
  // An idle connection that breaks tells it by an event, one that is lent by a rejection too; an event that nobody hears ends the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    query: async (text, values = []) => (await pool.query(text, [...values])).rows,
    async transaction(work, isolation = 'read committed') {
      const client = await pool.connect();
      const query: Query = async (text, values = []) => (await client.query(text, [...values])).rows;
      try {
        await query(`begin isolation level ${isolation}`);
        const value = await work(query);
        await query('commit');
        client.release();
        return value;
      } catch (error) {
        const rolledBack = await query('rollback').then(
          () => true,
          () => false,
        );
        client.release(!rolledBack); // true: the connection is thrown away
        throw error;
      }
    },
    close: async () => (pool.ended ? undefined : pool.end()),
  };
};

const withPostgres: Driver = ({ port, user = 'postgres', connections = 8 }) => {
  const sql = postgres({
    ...{ host: '127.0.0.1', port, user, database: 'postgres', max: connections, onnotice: () => {} },
    backoff: () => 0, // it waits by itself before it connects again; here the policy does
    fetch_types: false, // its question for types on each new connection rejects where nobody listens when the server goes
  });
  return {
    query: (text, values = []) => sql.unsafe(text, [...values]),
    transaction: async (work, isolation = 'read committed') => {
      let value: unknown;
      await sql.begin(`isolation level ${isolation}`, async (own) => {
        value = await work((text, values = []) => own.unsafe(text, [...values]));
      });
      return value as Awaited<ReturnType<typeof work>>;
    },
    close: () => sql.end({ timeout: 1 }), // without a limit it can wait for ever after a connection broke
  };
};

export const drivers = Object.entries({ pg: withPg, postgres: withPostgres });
