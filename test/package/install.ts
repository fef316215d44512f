import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A project that has the packed tarball installed, and the engine's package that one entry imports. */
    readonly folder: string;
    readonly tarball: string;
    /** What is in the tarball. */
    readonly packedFiles: readonly string[];
  }
}

/** Packs the built package and installs it into an empty project, once for all tests of the package. */
export default function install({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'retry-policy-'));
  const npm = (cwd: string, ...words: string[]) =>
    execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const [packed] = JSON.parse(npm(root, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder));
  writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true }');
  npm(folder, 'install', '--prefix', folder, '--offline', '--no-audit', '--no-fund', `./${packed.filename}`);
  // The one engine that is imported; a user of it has it.
  mkdirSync(join(folder, 'node_modules/@temporalio'));
  symlinkSync(join(root, 'node_modules/@temporalio/common'), join(folder, 'node_modules/@temporalio/common'));
  provide('folder', folder);
  provide('tarball', join(folder, packed.filename));
  provide(
    'packedFiles',
    (packed.files as readonly { path: string }[]).map(({ path }) => path),
  );
  return () => rmSync(folder, { recursive: true });
}
