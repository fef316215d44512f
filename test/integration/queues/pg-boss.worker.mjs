import { retryingHandler, workOptions } from '../../../dist/pg-boss/index.js';
import { Ledger } from './ledger.mjs';
import { handlerFor, holder, isHeldBefore, policy } from './mails.mjs';
import { startBoss } from './pg-boss.queue.mjs';

/** A worker of the mails on pg-boss. */
const [bossPort, ledgerPort, point] = process.argv.slice(2);
const boss = await startBoss(bossPort);
const ledger = new Ledger(Number(ledgerPort));
const hold = holder(ledger, point);
const handle = handlerFor(ledger, hold);

async function work([job]) {
  const { mail } = job.data.payload ?? job.data;
  const isDead = job.data.reason !== undefined;
  const halfway = {
    fail: (...claim) => boss.fail(...claim),
    async update(name, data, options) {
      if (data.reason === undefined) await hold('retry', mail);
      else if (isHeldBefore(mail)) await hold('burial', mail);
      await boss.update(name, data, options);
    },
  };
  const options = { onDecision: () => hold('decision', mail) };
  const results = await retryingHandler(halfway, (_, context) => handle(mail, context), policy, options)([job]);
  if (isDead) await hold('burial', mail);
  return results;
}
await boss.work('mail', { ...workOptions, pollingIntervalSeconds: 0.5, localConcurrency: 50 }, work);
