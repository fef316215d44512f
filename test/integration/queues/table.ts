import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { DeadLetter } from 'retry-policy/durable';
import { enqueue } from '../../../examples/table-queue/queue.mjs';
import type { MailQueue } from './crash.js';

const schema = readFileSync(new URL('../../../examples/table-queue/schema.sql', import.meta.url), 'utf8');

/** A pool of connections to a server that has the tables of the example, empty. */
export async function openTables(port: number): Promise<pg.Pool> {
  const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'postgres' });
  pool.on('error', () => {}); // the server stops before it
  await pool.query(`DROP TABLE IF EXISTS jobs, failed_jobs; ${schema}`);
  return pool;
}

/** The mails on a table. */
export class TableMails implements MailQueue {
  readonly worker;
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool, port: number, ledgerPort: number) {
    this.#pool = pool;
    this.worker = { path: fileURLToPath(new URL('table.worker.mjs', import.meta.url)), args: [port, ledgerPort].map(String) };
  }

  async send(mails: readonly number[]) {
    for (const mail of mails) await enqueue(this.#pool, 'mail', { mail });
  }

  waiting() {
    return this.#count('WHERE state IS NOT NULL AND settled = starts');
  }

  unfinished() {
    return this.#count('');
  }

  async deadLetters(): Promise<readonly DeadLetter<{ mail: number }>[]> {
    const { rows } = await this.#pool.query('SELECT letter FROM failed_jobs');
    return rows.map(({ letter }) => letter);
  }

  async #count(condition: string): Promise<number> {
    const { rows } = await this.#pool.query(`SELECT count(*)::int FROM jobs ${condition}`);
    return rows[0].count;
  }
}
