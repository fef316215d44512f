// A worker of the queue demo: a process that may be killed. It tells its parent of each decision.

import { formatDecision, TransientFailure } from 'retry-policy';
import { retryingProcessor, workerOptions } from 'retry-policy/bullmq';
import { bullmq } from './queue-clients.mjs';

const [socket, isServerUp] = process.argv.slice(2);

/** What happens to each mail, by whom it is for. */
const fates = {
  ann: () => {},
  ben: ({ attempt }) => {
    if (attempt < 3) throw new TransientFailure('421 try again later');
  },
  cleo: ({ attempt }) => {
    if (attempt === 1) process.kill(process.pid, 'SIGKILL'); // the power fails
  },
  dan: () => {
    throw new Error('550 no such address');
  },
  eve: () => {
    if (isServerUp !== 'up') throw new TransientFailure('connection refused');
  },
};

/** Resolves when the parent has it, whatever then happens to this process. */
const tell = (message) => new Promise((resolve) => process.send(message, resolve));

const policy = { maxAttempts: 4, backoff: { baseMs: 200, capMs: 800 } };
const send = (job, context) => fates[job.data.to](context);
const processorFor = (job, token, signal) => {
  const { to } = job.data.payload ?? job.data;
  const onDecision = (decision) => tell({ to, told: formatDecision(decision), action: decision.action });
  return retryingProcessor(send, policy, { onDecision })(job, token, signal);
};
const impatient = { lockDuration: 1_000, stalledInterval: 500 }; // so that a killed worker is noticed soon
const { Worker } = bullmq();
new Worker('mail', processorFor, { connection: { path: socket }, ...workerOptions, ...impatient });
