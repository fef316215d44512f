import { blocksOf, read } from '../documents.js';

const headings = {
  jest: 'With jest',
  'node:test': 'With node:test',
  bullmq: 'On BullMQ',
  'pg-boss': 'On pg-boss',
  temporal: 'On Temporal',
};

/** Whether the blocks under this heading of the README are run elsewhere: by another test runner, or with a queue. */
export const isForAnotherRunner = (heading: string): boolean => Object.values(headings).some((other) => heading.startsWith(other));

/** The one block of the README for this test runner or queue. */
export function blockFor(runner: keyof typeof headings): string {
  const [block, ...others] = blocksOf(read('README.md')).filter(({ name }) => name.startsWith(headings[runner]));
  if (block === undefined || others.length > 0) throw new Error(`the README must have one block under "${headings[runner]}"`);
  return block.code;
}

/** The blocks of the README for vitest. */
export const blocksForVitest = (): string[] =>
  blocksOf(read('README.md'))
    .map(({ code }) => code)
    .filter((code) => code.includes("from 'vitest'"));

/** The names of the tests in them. */
export const testsInReadme = (): string[] =>
  blocksForVitest()
    .flatMap((code) => [...code.matchAll(/^test\('(.+?)',/gm)].map(([, name]) => name as string))
    .sort();
