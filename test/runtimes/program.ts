import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Results } from './behaviours.mjs';

/** What a row tells of itself. */
export interface Report extends Results {
  readonly version: string;
}

const LONGEST_MS = 300_000;

/** Runs a program to its end, and kills it if that does not come; answers what it prints. */
export async function printedBy(program: string, words: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: LONGEST_MS, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 } as const;
  const { stdout } = await promisify(execFile)(program, words, options).catch(({ message, killed, stdout }) => {
    throw new Error(`${message.trimEnd()}\n${killed ? 'it was killed: it did not end\n' : ''}${stdout}`);
  });
  return stdout;
}

/** The same, for a program whose last line is its report. */
export async function reportOf(...program: Parameters<typeof printedBy>): Promise<Report> {
  const lines = (await printedBy(...program)).trimEnd().split('\n');
  return JSON.parse(lines.at(-1) as string);
}
