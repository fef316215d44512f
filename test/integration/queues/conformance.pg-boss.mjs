import { PgBoss } from 'pg-boss';
import { queueOptions, retryingHandler, workOptions } from '../../../dist/pg-boss/index.js';
import { play, scripts } from './script.mjs';

/** Plays each script in a queue of its own, and prints what came of them as JSON. For a Node that pg-boss runs on. */
const [connectionString] = process.argv.slice(2);
const boss = new PgBoss({ connectionString });
await boss.start();
const played = scripts.map(async (script) => {
  const run = play(script);
  const queue = `conformance-${script.seed}`;
  await boss.createQueue(queue, queueOptions(script.policy));
  const ended = Promise.withResolvers();
  const onDecision = async (decision) => {
    run.options.onDecision(decision);
    if (decision.action !== 'retry') ended.resolve();
    await run.passDelay();
  };
  const handler = retryingHandler(boss, run.task, script.policy, { ...run.options, onDecision });
  await boss.work(queue, { ...workOptions, pollingIntervalSeconds: 0.5 }, handler);
  await boss.send(queue, { to: 'ann' });
  await ended.promise;
  return { decisions: run.decisions, begins: run.begins };
});
console.log(JSON.stringify(await Promise.all(played)));
await boss.stop({ graceful: true });
