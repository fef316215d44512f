import { TransientFailure } from '../../../dist/index.js';
import { seededRandom, virtualClock } from '../../../dist/testing/index.js';

/** When the decisions think it is. */
export const START_AT = Date.UTC(2026, 0, 15);

/** One recorded script of failures for each way in which a job can end; plain JavaScript, since workers of other runtimes play it as well. */
export const scripts = [
  { name: 'heals', outcomes: ['transient', 'hint', 'transient', 'ok'], policy: {} },
  { name: 'permanent', outcomes: ['transient', 'hint', 'transient', 'permanent'], policy: {} },
  { name: 'attempts exhausted', outcomes: ['transient', 'transient', 'transient'], policy: { maxAttempts: 3 } },
  { name: 'budget exhausted', outcomes: ['transient', 'hint', 'transient', 'transient', 'transient'], policy: { totalBudgetMs: 260 } },
].map((script, seed) => ({ ...script, seed, policy: { maxAttempts: 8, backoff: { baseMs: 60, capMs: 400 }, ...script.policy } }));

const acts = {
  ok: () => 'done',
  transient: () => {
    throw new TransientFailure('503');
  },
  hint: () => {
    throw new TransientFailure('429', { retryAfterMs: 70 });
  },
  permanent: () => {
    throw new Error('400');
  },
};

/** A script, on its way: what plays it, and what came of it. The clock of the decisions stands still but for the waits. */
export function play({ outcomes, seed }) {
  const clock = virtualClock({ startAt: START_AT });
  const decisions = [];
  const begins = [];
  return {
    task: () => {
      begins.push(Date.now());
      return acts[outcomes[begins.length - 1]]();
    },
    options: {
      clock,
      random: seededRandom(seed),
      onDecision: (decision) => {
        const { error, ...rest } = decision;
        decisions.push({ ...rest, ...(error && { error: error.message }) });
      },
    },
    decisions,
    begins,
    /** For engines that wait by themselves. */
    passDelay: () => clock.advance(decisions.at(-1).delayMs ?? 0),
  };
}
