import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { blocksOf, read } from '../documents.js';
import { isForAnotherRunner } from '../recipes/readme.js';

const folder = inject('folder');
const repository = fileURLToPath(new URL('../../', import.meta.url));
const consumer = readFileSync(new URL('consumer.ts', import.meta.url), 'utf8');
const required = `
  import retry = require('retry-policy');
  import bullmq = require('retry-policy/bullmq');
  import classifiers = require('retry-policy/classifiers');
  import durable = require('retry-policy/durable');
  import fetching = require('retry-policy/fetch');
  import pgBoss = require('retry-policy/pg-boss');
  import temporal = require('retry-policy/temporal');
  import testing = require('retry-policy/testing');
  export const policy: retry.RetryPolicy<string> = retry.definePolicy<string>({ maxAttempts: 2 });
  export const run: Promise<retry.RetryResult<string>> = retry.runWithRetry(() => 'x', policy, { clock: testing.frozenClock(0) });
  export const get: typeof fetch = fetching.retryingFetch({ policy: { classify: classifiers.networkErrors } });
  export const record: durable.ErrorRecord = durable.toErrorRecord('x');
  export const settings: [number, number, string[]] = [
    bullmq.workerOptions.maxStalledCount, pgBoss.queueOptions().retryLimit, temporal.notInTemporalRetryPolicy()];`;

const using = `
  import { overrideDefaults, virtualClock } from 'retry-policy/testing';
  const clock = virtualClock();
  {
    using override = overrideDefaults({ clock });
    overrideDefaults({ maxAttempts: 1 }).restore();
    void override;
  }
  overrideDefaults({ clock })[Symbol.dispose]();`;

const strict: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
  isolatedModules: true,
  skipLibCheck: false,
  skipDefaultLibCheck: true, // the compiler's own
};
const browser: ts.CompilerOptions = { lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [] };
const node: ts.CompilerOptions = { lib: ['lib.es2022.d.ts'], types: ['node'], typeRoots: [join(repository, 'node_modules/@types')] };

const resolutions = {
  node16: { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
  nodenext: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  bundler: { module: ts.ModuleKind.Preserve, moduleResolution: ts.ModuleResolutionKind.Bundler },
};

const libraryFiles = new Map<string, ts.SourceFile | undefined>();

/** Programs parse the compiler's libraries and Node's types once for all. */
function programOf(files: readonly string[], options: ts.CompilerOptions): ts.Program {
  const host = ts.createCompilerHost({ ...strict, ...options });
  const parse = host.getSourceFile;
  host.getCurrentDirectory = () => folder;
  host.getSourceFile = (path, ...others) => {
    if (path.startsWith(folder)) return parse(path, ...others);
    if (!libraryFiles.has(path)) libraryFiles.set(path, parse(path, ...others));
    return libraryFiles.get(path);
  };
  return ts.createProgram(
    files.map((file) => join(folder, file)),
    { ...strict, ...options },
    host,
  );
}

const faultsOf = (program: ts.Program): string[] =>
  ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, start = 0, messageText }) =>
        `${file?.fileName}:${file && file.getLineAndCharacterOfPosition(start).line + 1} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );

/** The declaration files of the package that a program has read. */
const declarationsOf = (program: ts.Program): string[] =>
  program
    .getSourceFiles()
    .flatMap(({ fileName }) => fileName.split('node_modules/retry-policy/dist/')[1] ?? [])
    .filter((file) => file.includes('index.'))
    .sort();

const subpaths = ['bullmq', 'classifiers', 'durable', 'fetch', 'pg-boss', 'temporal', 'testing'];
const forModules = [...subpaths.map((name) => `${name}/index.d.ts`), 'index.d.ts'].sort();
const forCommonJs = forModules.map((file) => file.replace(/ts$/, 'cts'));

beforeAll(() => {
  for (const file of ['consumer.mts', 'consumer.cts']) writeFileSync(join(folder, file), consumer);
  writeFileSync(join(folder, 'required.cts'), required);
  writeFileSync(join(folder, 'using.mts'), using);
});

// JustinBeckwith/retry-axios#335, softonic/axios-retry#203: types that are right for one module system and missing in the other
describe.each([
  ['node16', ['consumer.mts', 'consumer.cts', 'required.cts']],
  ['nodenext', ['consumer.mts', 'consumer.cts', 'required.cts']],
  ['bundler', ['consumer.mts', 'required.cts']],
] as const)('under moduleResolution %s', (name, files) => {
  const resolution = resolutions[name];

  test.each(files)('%s compiles, with the types of its module system', (file) => {
    const program = programOf([file], { ...resolution, ...browser, noEmit: true });
    expect(faultsOf(program)).toEqual([]);
    expect(declarationsOf(program)).toEqual(file.endsWith('.mts') ? forModules : forCommonJs);
  });

  test('a consumer compiles without the DOM library, with the types of Node', () => {
    expect(faultsOf(programOf(['consumer.mts'], { ...resolution, ...node, noEmit: true }))).toEqual([]);
  });
});

test.each(['consumer.mts', 'consumer.cts'])('%s runs once it is compiled', async (file) => {
  const program = programOf([file], { ...resolutions.nodenext, ...browser });
  program.emit();
  await promisify(execFile)(process.execPath, [join(folder, file.replace('ts', 'js'))]);
});

test('an override can be declared with using, where the library of the compiler knows of it', async () => {
  const lib = ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'];
  const program = programOf(['using.mts'], { ...resolutions.nodenext, lib, types: [] });
  expect(faultsOf(program)).toEqual([]);
  program.emit();
  await promisify(execFile)(process.execPath, [join(folder, 'using.mjs')]);
});

test('the consumer uses every public name', () => {
  const program = programOf(['consumer.mts'], { ...resolutions.nodenext, ...browser });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(join(folder, 'consumer.mts')) as ts.SourceFile;
  for (const statement of source.statements.filter(ts.isImportDeclaration)) {
    const exported = checker
      .getExportsOfModule(checker.getSymbolAtLocation(statement.moduleSpecifier) as ts.Symbol)
      .map(({ name }) => name);
    const bindings = statement.importClause?.namedBindings as ts.NamedImports;
    expect(bindings.elements.map(({ name }) => name.text).sort()).toEqual(exported.sort());
  }
});

test('the code blocks of README.md compile', () => {
  const blocks = blocksOf(read('README.md')).filter(({ language, name }) => language === 'ts' && !isForAnotherRunner(name));
  expect(blocks).not.toEqual([]);
  mkdirSync(join(folder, 'readme'));
  symlinkSync(join(repository, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
  const files = blocks.map(({ name, code }, index) => {
    const file = `readme/${index}-${name.replaceAll(/\W+/g, '-')}.mts`;
    writeFileSync(join(folder, file), code);
    return file;
  });
  const program = programOf(files, {
    ...resolutions.nodenext,
    ...node,
    ...browser,
    types: ['node'],
    noUnusedLocals: false,
    skipLibCheck: true,
    noEmit: true,
  });
  expect(faultsOf(program)).toEqual([]);
});
