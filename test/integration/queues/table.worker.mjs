import pg from 'pg';
import { work } from '../../../examples/table-queue/worker.mjs';
import { Ledger } from './ledger.mjs';
import { handlerFor, holder, policy } from './mails.mjs';

/** A worker of the mails on a table. */
const [postgresPort, ledgerPort, point] = process.argv.slice(2);
const pool = new pg.Pool({ host: '127.0.0.1', port: Number(postgresPort), user: 'postgres', max: 10 });
const ledger = new Ledger(Number(ledgerPort));
const hold = holder(ledger, point);
const handle = handlerFor(ledger, hold);

const mails = new Map();
const db = {
  async query(text, values) {
    const isEnd = /^\s*(DELETE|UPDATE jobs SET state|WITH dead)/.test(text);
    if (isEnd) await hold('decision', mails.get(values[0]));
    const result = await pool.query(text, values);
    for (const { id, payload } of result.rows) mails.set(id, payload?.mail);
    return result;
  },
};
const options = { signal: new AbortController().signal, concurrency: 50, leaseMs: 1_500, pollMs: 50 };
await work(db, 'mail', ({ mail }, context) => handle(mail, context), policy, options);
