import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a fresh Node process prints as JSON. */
export async function fromChild(...args) {
  const { stdout } = await run(process.execPath, args, { cwd: import.meta.dirname });
  return JSON.parse(stdout);
}
