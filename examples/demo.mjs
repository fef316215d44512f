// Three things to look at: a real call, exact scenarios under a clock that stands still, and the waits of the defaults.
// Ends with exit code 1 if anything is not as expected.

import { callFlakyServer } from './call-flaky-server.mjs';
import { printDelayTable } from './delay-table.mjs';
import { printScenarios } from './scenarios.mjs';

/** The demo has no other work, so what keeps the process alive after this was left open. */
const LONGEST_MS = 15_000;
setTimeout(() => {
  console.log('FAILED: something is still open');
  process.exit(1);
}, LONGEST_MS).unref();

const faults = [];

/** Notes what is not as expected. */
function check(expectation, holds) {
  try {
    if (holds()) return;
  } catch {
    // It cannot even be looked at.
  }
  faults.push(expectation);
}

await callFlakyServer(check);
await printScenarios(check);
printDelayTable(check);

for (const fault of faults) console.log(`FAILED: ${fault}`);
if (faults.length === 0) console.log('All as expected.');
else process.exitCode = 1;
