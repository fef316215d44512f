import { formatDecision, runWithRetry, TransientFailure } from 'retry-policy';
import { frozenClock } from 'retry-policy/testing';
import { title } from './page.mjs';

const policy = { maxAttempts: 4, backoff: { baseMs: 2_000, capMs: 60_000 }, jitter: 'none' };
const timeZone = 'Asia/Jakarta';
const clock = frozenClock(new Date('2026-01-15T08:00:00+07:00'));

const scenarios = [
  {
    name: 'heals on the third attempt',
    task({ attempt }) {
      if (attempt < 3) throw new TransientFailure('503');
      return 'done';
    },
    expected: [
      'attempt 1: transient, retry scheduled at 08:00:02',
      'attempt 2: transient, retry scheduled at 08:00:04',
      'attempt 3: succeeded',
    ],
  },
  {
    name: 'permanent failure',
    task() {
      throw new Error('404');
    },
    expected: ['attempt 1: permanent, straight to the dead letter'],
  },
  {
    name: 'transient to the limit',
    task() {
      throw new TransientFailure('503');
    },
    expected: [
      'attempt 1: transient, retry scheduled at 08:00:02',
      'attempt 2: transient, retry scheduled at 08:00:04',
      'attempt 3: transient, retry scheduled at 08:00:08',
      'attempt 4: transient, attempts exhausted, to the dead letter',
    ],
  },
];

/** Decisions are exact where the clock and chance are given. A frozen clock does not move during waits, so the run takes no time. */
export async function printScenarios(check) {
  title('2. Exact decisions, under a clock that stands still');
  console.log(`2026-01-15 08:00:00 ${timeZone}; ${policy.maxAttempts} attempts, base 2 s, cap 60 s, no jitter\n`);
  const width = Math.max(...scenarios.map(({ name }) => name.length)) + 2;
  for (const [number, { name, task, expected }] of scenarios.entries()) {
    if (number > 0) console.log();
    const { log } = await runWithRetry(task, policy, { clock });
    const lines = log.map((decision) => formatDecision(decision, { timeZone }));
    lines.forEach((line, i) => {
      console.log(`${(i === 0 ? name : '').padEnd(width)}${line}`);
    });
    check(`${name}: ${expected.join(' / ')}`, () => lines.join() === expected.join());
  }
}
