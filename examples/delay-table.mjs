import { definePolicy, previewSchedule } from 'retry-policy';
import { title } from './page.mjs';

const ATTEMPTS = 7; // enough to see the cap

/** How long the defaults wait at the most. Full jitter draws each wait from the whole range. */
export function printDelayTable(check) {
  title('3. The waits of the defaults');
  const { maxAttempts } = definePolicy({});
  const rows = previewSchedule({}, ATTEMPTS);
  console.log('after attempt   longest wait       range   longest total');
  for (const { attempt, delayMs, totalDelayMs } of rows) {
    if (attempt === maxAttempts) console.log(`  (the default ends with attempt ${maxAttempts}; with more attempts it goes on)`);
    const [longest, total] = [delayMs / 1_000, totalDelayMs / 1_000];
    console.log(
      `${String(attempt).padStart(13)}${`${longest} s`.padStart(15)}${`0 to ${longest} s`.padStart(12)}${`${total} s`.padStart(16)}`,
    );
  }
  console.log();
  check('the waits double up to the cap', () => rows.map(({ delayMs }) => delayMs).join() === '2000,4000,8000,16000,32000,60000');
  check('the totals add up', () => rows.map(({ totalDelayMs }) => totalDelayMs).join() === '2000,6000,14000,30000,62000,122000');
}
