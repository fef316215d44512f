import { retryingProcessor, workerOptions } from '../../../dist/bullmq/index.js';
import { Ledger } from './ledger.mjs';
import { handlerFor, holder, isHeldBefore, policy } from './mails.mjs';

/** A worker of the mails on BullMQ, of the major that is asked for. */
const [client, queuePort, ledgerPort, point] = process.argv.slice(2);
const { Queue, Worker } = await import(client);
const connection = { host: '127.0.0.1', port: Number(queuePort) };
const impatient = { lockDuration: 1_000, stalledInterval: 500 }; // so that a killed worker is noticed soon
const ledger = new Ledger(Number(ledgerPort));
const hold = holder(ledger, point);
const handle = handlerFor(ledger, hold);
const dead = new Queue('dead', { connection });

async function processor(job, token, signal) {
  const { mail } = job.data.payload ?? job.data;
  const { extendLock, updateData } = job;
  job.extendLock = (token) => extendLock.call(job, token, impatient.lockDuration);
  job.updateData = async (data) => {
    await updateData.call(job, data);
    if (data.reason === undefined) await hold('retry', mail);
    else if (isHeldBefore(mail)) await hold('burial', mail);
  };
  const deadLetters = {
    async add(name, letter, options) {
      await dead.add(name, letter, options);
      await hold('burial', mail);
    },
  };
  const options = { deadLetters, onDecision: () => hold('decision', mail) };
  return retryingProcessor((_, context) => handle(mail, context), policy, options)(job, token, signal);
}
new Worker('mail', processor, { connection, concurrency: 50, ...workerOptions, ...impatient });
