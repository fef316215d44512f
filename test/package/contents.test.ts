import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';
import ts from 'typescript';
import { expect, inject, test } from 'vitest';
import { read } from '../documents.js';

const files = inject('packedFiles');
const installed = join(inject('folder'), 'node_modules/retry-policy');
const packed = (file: string): string => readFileSync(join(installed, file), 'utf8');
const manifest = JSON.parse(packed('package.json'));

test('the tarball holds the build, the manifest and three texts', () => {
  const others = files.filter((file) => !file.startsWith('dist/'));
  expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
});

test('the build holds code and declarations for both module systems, without tests and source maps', () => {
  const built = files.filter((file) => file.startsWith('dist/'));
  expect(built.filter((file) => !/\.c?js$|\.d\.c?ts$/.test(file) || /test\.|spec\./.test(file))).toEqual([]);
  const subpaths = ['testing', 'classifiers', 'durable', 'fetch', 'bullmq', 'pg-boss', 'temporal'];
  for (const entry of ['dist/index', ...subpaths.map((name) => `dist/${name}/index`)]) {
    expect(built).toEqual(expect.arrayContaining(['.js', '.cjs', '.d.ts', '.d.cts'].map((ending) => entry + ending)));
  }
});

test('the built files tell nothing of source maps', () => {
  expect(files.filter((file) => packed(file).includes('sourceMappingURL'))).toEqual([]);
});

// axios/axios#5040: a package of a package changed the shape of what it exports, and broke its users at start
test('a user gets no other package and no script that runs on install', () => {
  const kinds = ['dependencies', 'optionalDependencies', 'bundleDependencies', 'bundledDependencies'];
  expect(Object.keys(manifest).filter((name) => kinds.includes(name))).toEqual([]);
  const optional = Object.entries(manifest.peerDependenciesMeta).flatMap(([name, meta]) =>
    (meta as { optional: boolean }).optional ? [name] : [],
  );
  expect(optional.sort()).toEqual(Object.keys(manifest.peerDependencies).sort());
  expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
});

test('the manifest tells bundlers that what is not used may be left out', () => {
  expect(manifest.sideEffects).toBe(false);
});

test('the built files import nothing but each other, and one the engine that it is for', () => {
  const imports = files
    .filter((file) => file.startsWith('dist/'))
    .flatMap((file) => ts.preProcessFile(packed(file), true, true).importedFiles.map(({ fileName }) => ({ file, fileName })));
  expect(imports).not.toEqual([]);
  const others = imports.filter(({ fileName }) => !/^\.\.?\//.test(fileName));
  expect(others.filter(({ file, fileName }) => !(file.startsWith('dist/temporal/') && fileName === '@temporalio/common'))).toEqual([]);
});

test('the lockfile names no addresses', () => {
  expect(read('package-lock.json')).not.toContain('"resolved"');
});

test('publint finds nothing to say', async () => {
  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
  expect(messages).toEqual([]);
});

test('the types are right for every way of importing', async () => {
  const attw = fileURLToPath(new URL('../../node_modules/.bin/attw', import.meta.url));
  const checked = promisify(execFile)(attw, [inject('tarball'), '--no-definitely-typed', '--format', 'ascii', '--no-emoji', '--no-color']);
  const told = await checked.then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => stdout + stderr,
  );
  expect(told).toContain('No problems found');
});
