import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import type { DeadLetter } from 'retry-policy/durable';
import type { MailQueue } from './crash.js';

/** The Node that pg-boss runs on. */
export const node22 = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The mails on pg-boss; what becomes of them is read from its table. */
export class BossMails implements MailQueue {
  readonly worker;
  readonly #pool: pg.Pool;
  readonly #port: number;

  constructor(port: number, ledgerPort: number) {
    this.#port = port;
    this.#pool = new pg.Pool({ host: '127.0.0.1', port, user: 'postgres' });
    this.worker = { path: here('pg-boss.worker.mjs'), args: [port, ledgerPort].map(String), execPath: node22 };
  }

  async send(mails: readonly number[]) {
    await promisify(execFile)(node22, [here('pg-boss.queue.mjs'), String(this.#port), JSON.stringify(mails)]);
  }

  waiting() {
    return this.#count("= 'retry'");
  }

  unfinished() {
    return this.#count("IN ('created', 'retry', 'active')");
  }

  async deadLetters(): Promise<readonly DeadLetter<{ mail: number }>[]> {
    const { rows } = await this.#pool.query("SELECT data FROM pgboss.job WHERE name = 'mail-dead'");
    return rows.map(({ data }) => data);
  }

  close() {
    return this.#pool.end();
  }

  async #count(state: string): Promise<number> {
    const { rows } = await this.#pool.query(`SELECT count(*)::int FROM pgboss.job WHERE name = 'mail' AND state ${state}`);
    return rows[0].count;
  }
}
