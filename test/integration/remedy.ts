import type { Decision, RunOptions } from 'retry-policy';

/** Options of a run that takes the cause of the failure away once it was decided to retry, before the wait. */
export const remedy = (act: () => unknown): RunOptions => ({
  async onDecision({ action }: Decision) {
    if (action === 'retry') await act();
  },
});
