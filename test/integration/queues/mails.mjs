import { TransientFailure } from '../../../dist/index.js';

/** The mails of the crash tests, played by workers of any Node: each has its fate, and all that happens to it is in the ledger. */
export const MAILS = 200;

/** Waits that are long enough to kill a worker in. */
export const policy = { maxAttempts: 4, jitter: 'equal', backoff: { baseMs: 1_000, capMs: 1_000 } };

const busy = () => {
  throw new TransientFailure('421 try again later');
};
const fates = [
  { name: 'sent', end: 'effect', attempts: 1, act() {} },
  { name: 'sent by the third attempt', end: 'effect', attempts: 3, act: (attempt) => attempt < 3 && busy() },
  { name: 'never sent', end: 'attempts-exhausted', attempts: 4, act: busy },
  {
    name: 'no such address',
    end: 'permanent',
    attempts: 2,
    act(attempt) {
      if (attempt === 1) busy();
      throw new Error('550 no such address');
    },
  },
];

/** What becomes of a mail in the end: one effect, or a dead letter with that reason. */
export const endOf = (mail) => fates[mail % fates.length].end;

/** How many attempts a mail needs, if no worker is killed. */
export const attemptsOf = (mail) => fates[mail % fates.length].attempts;

export const isHeldBefore = (mail) => mail % 8 < 4;

/**
 * A handler of the mails.
 *
 * @param ledger  what is known to the outside, whatever becomes of the worker
 * @param hold  called where a worker can be killed, with the name of the point and the mail; may never resolve
 */
export function handlerFor(ledger, hold) {
  return async (mail, { attempt, idempotencyKey }) => {
    await ledger.begin(mail, attempt, idempotencyKey);
    if (isHeldBefore(mail)) await hold('attempt', mail);
    try {
      fates[mail % fates.length].act(attempt);
      await ledger.effect(mail, idempotencyKey);
    } finally {
      await hold('attempt', mail);
    }
  };
}

/**
 * Holds each mail once at one point, over all workers, and tells the parent process so, which then kills this one.
 *
 * @param point  `'none'` holds nothing
 */
export const holder = (ledger, point) => async (here, mail) => {
  if (here !== point || !(await ledger.isFirst(`${point} ${mail}`))) return;
  process.send({ held: mail });
  await new Promise(() => {});
};
