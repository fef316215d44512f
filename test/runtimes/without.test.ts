import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reportOf } from './program.js';
import { behaviourRow } from './row.js';
import { writeSuite } from './suite.js';

/** What is taken away before the package is imported, and what must then be seen once the suite is through. */
const missing = {
  'Web Crypto': {
    takeAway: 'delete globalThis.crypto;',
    absent: 'typeof crypto',
    fallback: 'Math.random makes the words that waits are drawn from',
    seen: `
      Math.random = () => 0.5;
      const draws = Array.from({ length: 400 }, () => main.cryptoRandom(0, 1e9));
      return new Set(draws.slice(-100)).size;`, // the words before are of a pool that was filled by the real one
    expected: 1,
  },
  performance: {
    takeAway: 'delete globalThis.performance;',
    absent: 'typeof performance',
    fallback: 'Date.now measures, and is never seen to go back',
    seen: `
      const readings = [];
      for (const date of [9e15, 8e15, 9e15 + 1]) {
        Date.now = () => date;
        readings.push(main.systemClock.monotonicNow());
      }
      return readings;`,
    expected: [9e15, 9e15, 9e15 + 1],
  },
  setImmediate: {
    takeAway: `
      delete globalThis.setImmediate;
      delete globalThis.clearImmediate;
      delete process.getBuiltinModule; // else Node's own one would do
      globalThis.used = [];
      globalThis.MessageChannel = class extends MessageChannel {
        constructor() {
          super();
          const post = this.port2.postMessage.bind(this.port2);
          this.port2.postMessage = (message) => {
            used.push('message');
            post(message);
          };
        }
      };`,
    absent: 'typeof setImmediate',
    fallback: 'timers and messages give the turns',
    seen: `
      used.length = 0;
      const host = setTimeout;
      globalThis.setTimeout = (...words) => {
        used.push('timer');
        return host(...words);
      };
      await main.systemClock.sleep(0);
      await testing.frozenClock(0).sleep(0);
      return used;`,
    expected: ['timer', 'message'],
  },
  'the reason of a signal': {
    takeAway: 'delete AbortSignal.prototype.reason;',
    absent: 'typeof AbortSignal.abort(1).reason',
    fallback: 'an AbortError is the reason',
    seen: `
      const controller = new AbortController();
      const sleep = main.systemClock.sleep(3_600_000, controller.signal);
      controller.abort(new Error('the user left'));
      return sleep.catch(({ name, message }) => [name, message]);`,
    expected: ['AbortError', 'The operation was aborted'],
  },
};

for (const [name, { takeAway, absent, fallback, seen, expected }] of Object.entries(missing)) {
  const row = `Node without ${name}`;
  const main = `
    import { main, report, testing } from './suite.mjs';
    const seen = async () => {${seen}};
    console.log(JSON.stringify({ absent: ${absent}, ...(await report()), seen: await seen() }));`;

  const start = async () => {
    const folder = writeSuite(row, 'node', undefined, main);
    writeFileSync(join(folder, 'take-away.mjs'), takeAway);
    const report = await reportOf(process.execPath, ['--import', './take-away.mjs', 'main.mjs'], folder);
    return report as typeof report & { readonly absent: string; readonly seen: unknown };
  };

  behaviourRow(row, start, (told) => {
    test(`there: ${fallback}`, () => {
      const { absent, seen } = told();
      expect({ absent, seen }).toEqual({ absent: 'undefined', seen: expected });
    });
  });
}
