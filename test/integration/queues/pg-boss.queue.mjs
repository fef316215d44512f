import { PgBoss } from 'pg-boss';
import { queueOptions } from '../../../dist/pg-boss/index.js';
import { policy } from './mails.mjs';

/** A queue that notices soon that a worker was killed. */
const impatient = { superviseIntervalSeconds: 1, monitorIntervalSeconds: 1, schedule: false };
export const expireInSeconds = 3;

export async function startBoss(port) {
  const boss = new PgBoss({ host: '127.0.0.1', port: Number(port), user: 'postgres', database: 'postgres', ...impatient });
  boss.on('error', console.error);
  await boss.start();
  return boss;
}

/** As a program: makes the queues new, and sends those mails; pg-boss needs a newer Node than the tests. */
if (process.argv[1] === import.meta.filename) {
  const [port, mails] = process.argv.slice(2);
  const boss = await startBoss(port);
  for (const name of ['mail', 'mail-dead']) await boss.deleteQueue(name);
  await boss.createQueue('mail-dead');
  await boss.createQueue('mail', { ...queueOptions(policy), expireInSeconds, deadLetter: 'mail-dead' });
  await boss.insert(
    'mail',
    JSON.parse(mails).map((mail) => ({ data: { mail } })),
  );
  await boss.stop();
}
