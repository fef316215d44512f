import { createPool, type Pool, type PoolConnection, type RowDataPacket } from 'mysql2/promise';

/** A pool of connections to the database `test`. */
export const connect = ({ port, user = 'root' }: { port: number; user?: string }): Pool =>
  createPool({ host: '127.0.0.1', port, user, database: 'test', connectionLimit: 20 });

/** The recipe: each attempt has a connection of its own, and leaves nothing open on it. */
export async function transaction(pool: Pool, work: (connection: PoolConnection) => Promise<unknown>): Promise<void> {
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    await work(connection);
    await connection.commit();
    connection.release();
  } catch (error) {
    await connection.rollback().then(
      () => connection.release(),
      () => connection.destroy(),
    );
    throw error;
  }
}

/** Two accounts with 100 in each. */
export async function openAccounts(pool: Pool): Promise<void> {
  await pool.query('drop table if exists accounts');
  await pool.query('create table accounts (id int primary key, balance int not null)');
  await pool.query('insert into accounts values (1, 100), (2, 100)');
}

export const take = (connection: PoolConnection, id: number) =>
  connection.query('update accounts set balance = balance - 10 where id = ?', [id]);

export const give = (connection: PoolConnection, id: number) =>
  connection.query('update accounts set balance = balance + 10 where id = ?', [id]);

export async function balances(pool: Pool): Promise<readonly number[]> {
  const [rows] = await pool.query<RowDataPacket[]>('select balance from accounts order by id');
  return rows.map(({ balance }) => balance);
}
