import { Redis } from 'ioredis';

/** What happened to the mails, kept in a Redis server outside of the workers. */
export class Ledger {
  #redis;

  constructor(port) {
    this.#redis = new Redis(port, '127.0.0.1', { keyPrefix: 'ledger:' });
  }

  begin(mail, attempt, idempotencyKey) {
    return this.#redis.rpush('begins', JSON.stringify({ mail, attempt, idempotencyKey, worker: process.pid }));
  }

  /** Happens once for each key, as a mail server does that knows them. */
  effect(mail, idempotencyKey) {
    return this.#redis.hsetnx('effects', idempotencyKey, mail);
  }

  async isFirst(name) {
    return (await this.#redis.set(`first ${name}`, 1, 'NX')) === 'OK';
  }

  async begins() {
    return (await this.#redis.lrange('begins', 0, -1)).map((text) => JSON.parse(text));
  }

  async effects() {
    return (await this.#redis.hvals('effects')).map(Number);
  }

  async clear() {
    await this.#redis.flushall();
  }

  close() {
    return this.#redis.quit();
  }
}
