import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian keeps PostgreSQL's programs out of the way, a folder for each version. */
const POSTGRES = '/usr/lib/postgresql';

/**
 * The path of a server's program.
 *
 * @param debianPackage  what to install where it is missing
 */
export function binary(name: string, debianPackage: string): string {
  const { PATH = '' } = process.env;
  const found = [...PATH.split(delimiter), ...postgresFolders(), '/usr/sbin', '/usr/local/sbin']
    .map((folder) => join(folder, name))
    .find(isExecutable);
  if (found === undefined) throw new Error(`there is no ${name} on this machine: apt-get install ${debianPackage}`);
  return found;
}

function postgresFolders(): readonly string[] {
  try {
    const newestFirst = readdirSync(POSTGRES).sort((one, other) => Number(other) - Number(one));
    return newestFirst.map((version) => join(POSTGRES, version, 'bin'));
  } catch {
    return [];
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
