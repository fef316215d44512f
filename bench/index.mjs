/** Measures everything, prints the tables as they come, and writes them to RESULTS.md. */

import { writeFileSync } from 'node:fs';
import { bytes } from './bytes.mjs';
import { happyPath, happyPathFromLiterals } from './happy-path.mjs';
import { importTime } from './import-time.mjs';
import { attemptTimeout, attemptTimeoutRead, callersSignal } from './limits.mjs';
import { memory } from './memory.mjs';
import { pureFunctions } from './pure.mjs';
import { renderReport, renderSection } from './report.mjs';
import { retryPath } from './retry-path.mjs';
import { sharedSignal } from './shared-signal.mjs';

const measures = [
  happyPath,
  happyPathFromLiterals,
  attemptTimeout,
  attemptTimeoutRead,
  callersSignal,
  retryPath,
  pureFunctions,
  memory,
  sharedSignal,
  bytes,
  importTime,
];

const sections = [];
for (const measure of measures) {
  const section = await measure();
  console.log(renderSection(section));
  sections.push(section);
}
const report = renderReport(sections);
writeFileSync(new URL('RESULTS.md', import.meta.url), report);
console.log(report.slice(0, report.indexOf('## Happy path')));
