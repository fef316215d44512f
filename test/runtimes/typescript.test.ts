import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { printedBy } from './program.js';
import { row } from './row.js';
import { compiler } from './runtimes.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const strict = {
  noEmit: true,
  target: 'es2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  skipDefaultLibCheck: true, // the compiler's own
};
const browser = { lib: ['es2022', 'dom'], types: [] };
const node = { lib: ['es2022'], types: ['node'], typeRoots: [here('../../node_modules/@types')] };
const bare = { lib: ['es2022'], types: [] };

/** All that the declarations ask of a platform without the DOM and Node: the signal. */
const signal = `
  interface AbortSignal { readonly aborted: boolean; readonly reason: unknown; addEventListener(...words: unknown[]): void; removeEventListener(...words: unknown[]): void }
  declare var AbortController: { new (): { readonly signal: AbortSignal; abort(reason?: unknown): void } };`;

const programs = {
  'an ES module and a CommonJS module under node16': [
    { module: 'node16', ...browser },
    ['types.mts', 'types.cts', 'types.fetch.mts', 'consumer.mts'],
  ],
  'an ES module and a CommonJS module under nodenext': [
    { module: 'nodenext', ...browser },
    ['types.mts', 'types.cts', 'types.fetch.mts', 'consumer.cts'],
  ],
  'a module for a bundler': [{ module: 'esnext', moduleResolution: 'bundler', ...browser }, ['types.ts', 'types.fetch.ts', 'consumer.mts']],
  'a module without the DOM, with the types of Node': [
    { module: 'nodenext', ...node },
    ['types.mts', 'types.cts', 'types.fetch.mts', 'consumer.mts'],
  ],
  'a module with nothing but a signal': [{ module: 'nodenext', ...bare }, ['types.mts', 'signal.d.ts']],
} as const;

for (const version of ['5.4', '5.9', '6.0', '7.0']) {
  const folder = join(inject('folder'), `typescript-${version}`);
  let tsc: string;

  /** What the compiler finds wrong with a program. */
  const faultsOf = async (options: object, files: readonly string[]): Promise<readonly string[]> => {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...strict, ...options }, files }));
    const compiled = printedBy(process.execPath, [tsc, '--pretty', 'false'], folder);
    return compiled.then(
      () => [],
      ({ message }) => message.trimEnd().split('\n'),
    );
  };

  const start = async () => {
    tsc = await compiler(version);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'signal.d.ts'), signal);
    writeFileSync(
      join(folder, 'wrong.mts'),
      `import { runWithRetry } from 'retry-policy';\nexport const wrong: Promise<string> = runWithRetry(() => 'x');`,
    );
    for (const ending of ['ts', 'mts', 'cts'])
      for (const name of ['types', 'types.fetch']) cpSync(here(`${name}.ts`), join(folder, `${name}.${ending}`));
    for (const ending of ['mts', 'cts']) cpSync(here('../package/consumer.ts'), join(folder, `consumer.${ending}`));
    return { version: (await printedBy(process.execPath, [tsc, '--version'], folder)).trim().replace('Version ', '') };
  };

  row(`TypeScript ${version}`, start, () => {
    test.each(Object.entries(programs))('%s compiles', async (_, [options, files]) => {
      const faults = await faultsOf(options, files);
      expect(faults, faults.join('\n')).toEqual([]);
    });

    test('a program that is wrong does not compile', async () => {
      const faults = await faultsOf({ module: 'nodenext', ...browser }, ['wrong.mts']);
      expect(faults.join('\n')).toMatch(/^wrong\.mts\(2,14\): error TS2322/m);
    });
  });
}
