import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Copies folders of this one to where the packed tarball is installed and nothing else; answers where they are. */
export function besideTheTarball(...folders: readonly string[]): string {
  const copy = mkdtempSync(join(inject('folder'), 'recipes-'));
  for (const folder of folders) cpSync(join(here, folder), join(copy, folder), { recursive: true });
  return copy;
}

/** Runs projects of `jest.config.cjs` there, or one file of them; answers which tests have passed, and throws what jest says if one has not. */
export async function jest(cwd: string, projects: readonly string[], file = ''): Promise<string[]> {
  const bin = join(here, 'node_modules/jest/bin/jest.js');
  if (!existsSync(bin)) throw new Error('jest is not installed: run npm --prefix test/recipes ci');
  const own = ['--config', join(here, 'jest.config.cjs'), '--rootDir', cwd, '--cacheDirectory', join(cwd, 'cache'), '--no-watchman'];
  await node(cwd, bin, file, ...own, '--selectProjects', ...projects, '--runInBand', '--json', '--outputFile', join(cwd, report));
  return passedIn(cwd);
}

/** Runs all vitest tests there; answers as `jest` does. */
export async function vitest(cwd: string): Promise<string[]> {
  const installed = join(here, '../../node_modules/vitest');
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(installed, join(cwd, 'node_modules/vitest'), 'junction');
  await node(
    cwd,
    join(installed, 'vitest.mjs'),
    'run',
    '--root',
    cwd,
    '--reporter',
    'default',
    '--reporter',
    'json',
    '--outputFile',
    report,
  );
  return passedIn(cwd);
}

/** Runs `node --test` there on these files; answers as `jest` does. */
export async function nodeTest(cwd: string, ...files: readonly string[]): Promise<string[]> {
  const tap = await node(cwd, '--test', '--test-reporter=tap', ...files);
  return [...tap.matchAll(/^ *ok \d+ - (.+)$/gm)].map(([, name]) => name as string).sort();
}

const report = 'report.json';

interface TestResult {
  readonly fullName: string;
  readonly status: string;
}

/** Reads the report of jest, which vitest writes too. */
function passedIn(cwd: string): string[] {
  const { testResults } = JSON.parse(readFileSync(join(cwd, report), 'utf8')) as { testResults: { assertionResults: TestResult[] }[] };
  const passed = testResults.flatMap(({ assertionResults }) => assertionResults.filter(({ status }) => status === 'passed'));
  return passed.map(({ fullName }) => fullName).sort();
}

async function node(cwd: string, ...words: readonly string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, words, { cwd, timeout: 100_000 });
  const { stdout } = await run.catch(({ message, stdout }) => {
    throw new Error(`${message}\n${stdout}`); // the message holds what came by stderr
  });
  return stdout;
}
