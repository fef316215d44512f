import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when it holds; looks a hundred times a second. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}
