import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const { XDG_CACHE_HOME = join(homedir(), '.cache') } = process.env;
const cache = join(XDG_CACHE_HOME, 'retry-policy-runtimes');

/**
 * Installs a package of npm into a cached folder of its own; answers where it is. npm downloads only what is newer than what is there,
 * and what is there is good enough where the registry cannot be asked.
 */
async function installed(name: string, packageName: string, version = 'latest'): Promise<string> {
  const folder = join(cache, name);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1', `${packageName}@${version}`];
  try {
    await promisify(execFile)('npm', words, { cwd: folder, timeout: 300_000 });
  } catch (cause) {
    const isCached = existsSync(join(folder, 'node_modules', packageName, 'package.json'));
    if (!isCached) throw new Error(`${packageName}@${version} could not be installed, and none is cached: ${cause}`, { cause });
  }
  return join(folder, 'node_modules');
}

// npm's packages of runtimes get their programs by scripts that run on install; the packages for one platform hold them as they are.
const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

async function ofThisPlatform(packageName: string, scope: string, program: string): Promise<string> {
  const folder = join(await installed(packageName, packageName), scope);
  const [build] = readdirSync(folder);
  if (build === undefined) throw new Error(`${packageName} has no build for ${platform}`);
  return join(folder, build, program);
}

export async function nodeProgram(version: string): Promise<string> {
  return join(await installed(`node-${version}`, `node-${platform}`, version), `node-${platform}/bin/node`);
}

export const bunProgram = () => ofThisPlatform('bun', '@oven', 'bin/bun');
export const denoProgram = () => ofThisPlatform('deno', '@deno', 'deno');
export const workerdProgram = () => ofThisPlatform('workerd', '@cloudflare', 'bin/workerd');

/** The script of a TypeScript compiler. */
export async function compiler(version: string): Promise<string> {
  return join(await installed(`typescript-${version}`, 'typescript', version), 'typescript/bin/tsc');
}
