// Runs on `virtualClock`, whose time jumps to the next timer as soon as nothing else can run.
import { equal, truthy } from './watch.mjs';

const startAt = Date.UTC(2026, 0, 15, 8);

/** The digest of the logs below, on every engine. It changes if a wait, a draw or the order of waking does. */
const DIGEST = '622f37ef0ecdeaf3';

export async function tenHours({ main, testing, facts }) {
  const clock = testing.virtualClock({ startAt });
  const policy = { maxAttempts: 200, backoff: { baseMs: 1_000, capMs: 181_000 }, jitter: 'none', attemptTimeoutMs: 60_000 };
  let hung = 0;
  const task = ({ attempt }) => {
    if (attempt === 200) return 'healed';
    if (attempt % 10 > 0) throw new main.TransientFailure('busy');
    hung++;
    return new Promise(() => {});
  };
  const beganAt = Date.now();
  const { value, attempts, elapsedMs, log } = await main.runWithRetry(task, policy, { clock });
  facts.tenHoursMs = Date.now() - beganAt;
  const expectedMs = main.previewSchedule(policy).at(-1).totalDelayMs + 19 * 60_000;
  equal({ value, attempts, hung, decisions: log.length }, { value: 'healed', attempts: 200, hung: 19, decisions: 200 });
  equal([elapsedMs, clock.now() - startAt], [expectedMs, expectedMs]);
  truthy(Math.abs(expectedMs / 3_600_000 - 10) < 0.1, `not ten hours but ${expectedMs} ms`);
}

const RUNS = 10_000;
const jitters = ['full', 'equal', 'decorrelated', 'none'];

export async function runInVirtualTime({ main, testing, facts }) {
  const beganAt = Date.now();
  const clock = testing.virtualClock({ startAt });
  const random = testing.seededRandom(42); // one for all: each draw depends on who woke before
  const results = await Promise.all(
    Array.from({ length: RUNS }, (_, number) => {
      let failures = random(0, 5);
      const task = async ({ signal }) => {
        await clock.sleep(random(0, 9) === 0 ? 10_000 : random(1, 50) + 1 / 3, signal);
        if (failures-- > 0) throw new main.TransientFailure('busy');
        return number;
      };
      const policy = { jitter: jitters[number % 4], attemptTimeoutMs: 500, totalBudgetMs: 30_000 };
      return main.runWithRetry(task, policy, { clock, random });
    }),
  );
  facts.tenThousandRunsMs = Date.now() - beganAt;
  const hash = new Hash();
  for (const { log } of results) for (const decision of log) hash.add(textOf(decision));
  facts.digest = hash.digest();
  const ends = new Set(results.map(({ ok, reason }) => (ok ? 'succeeded' : reason)));
  equal([...ends].sort(), ['attempts-exhausted', 'budget-exhausted', 'succeeded']);
  equal(facts.digest, DIGEST);
}

/** Whole microseconds and names, which every engine writes in the same way. */
function textOf({ action, attempt, startedAt, durationMs, elapsedMs, delayMs, reason, error }) {
  return `${action} ${attempt} ${startedAt} ${durationMs} ${elapsedMs} ${delayMs} ${reason} ${error?.name}\n`;
}

/** Two lanes of 32-bit FNV-1a with different starts, the second over turned bytes. */
class Hash {
  #one = 0x811c9dc5;
  #two = 0x050c5d1f;

  add(text) {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      this.#one = Math.imul(this.#one ^ code, 0x01000193);
      this.#two = Math.imul(this.#two ^ ((code << 3) | (code >>> 5)), 0x01000193);
      this.#two ^= this.#two >>> 15;
    }
  }

  digest() {
    return [this.#one, this.#two].map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join('');
  }
}
