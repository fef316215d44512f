import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const run = promisify(execFile);

/** Runs a script in a process of its own, in the project that has the package installed; answers what it prints. */
export async function runInNode(script: string, type: 'module' | 'commonjs' = 'module'): Promise<string> {
  const { stdout } = await run(process.execPath, [`--input-type=${type}`, '--eval', script], { cwd: inject('folder'), timeout: 60_000 });
  return stdout;
}

/** As `runInNode`, for a script that leaves what is to be known of it in `facts`. */
export async function factsFrom(script: string, type?: 'module' | 'commonjs'): Promise<unknown> {
  return JSON.parse(await runInNode(`${script}\nconsole.log(JSON.stringify(facts))`, type));
}
