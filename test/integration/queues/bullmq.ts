import { fileURLToPath } from 'node:url';
import type { Queue } from 'bullmq';
import type { DeadLetter } from 'retry-policy/durable';
import type { MailQueue } from './crash.js';

/** The two majors, by the names that they are installed under. */
export const clients = ['bullmq', 'bullmq5'] as const;
export type Client = (typeof clients)[number];

export type Letter = DeadLetter<{ mail: number }>;

/** The mails on BullMQ. Their dead letters are those of the failed jobs. */
export class BullMails implements MailQueue {
  readonly worker;
  readonly #mails: Queue;
  readonly #dead: Queue;

  private constructor(client: Client, mails: Queue, dead: Queue, ports: readonly number[]) {
    this.worker = { path: fileURLToPath(new URL('bullmq.worker.mjs', import.meta.url)), args: [client, ...ports.map(String)] };
    this.#mails = mails;
    this.#dead = dead;
  }

  static async on(client: Client, port: number, ledgerPort: number): Promise<BullMails> {
    const { Queue } = (await import(client)) as typeof import('bullmq');
    const connection = { host: '127.0.0.1', port };
    return new BullMails(client, new Queue('mail', { connection }), new Queue('dead', { connection }), [port, ledgerPort]);
  }

  async send(mails: readonly number[]) {
    await this.#mails.addBulk(mails.map((mail) => ({ name: 'mail', data: { mail } })));
  }

  waiting() {
    return this.#mails.getDelayedCount();
  }

  unfinished() {
    return this.#mails.getJobCountByTypes('active', 'delayed', 'prioritized', 'waiting', 'waiting-children');
  }

  async deadLetters(): Promise<readonly Letter[]> {
    return (await this.#mails.getFailed()).map(({ data }) => data);
  }

  /** Those that were sent to the queue of the dead letters. */
  async sentLetters(): Promise<readonly Letter[]> {
    return (await this.#dead.getJobs()).map(({ data }) => data);
  }

  async clear() {
    await Promise.all([this.#mails, this.#dead].map((queue) => queue.obliterate({ force: true })));
  }

  async close() {
    await Promise.all([this.#mails.close(), this.#dead.close()]);
  }
}
