import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithProcess } from './ends.js';

const idOfNobody = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));

/** Whom servers run as: PostgreSQL refuses root, so that root hands them to nobody. */
export const account = process.getuid?.() === 0 ? { uid: idOfNobody('-u'), gid: idOfNobody('-g') } : {};

/** Makes a folder that belongs to the servers' account; it goes with this process at the latest. */
export function ownFolder(name: string): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `retry-policy-${name}-`));
  if (account.uid !== undefined) chownSync(path, account.uid, account.gid);
  const remove = () => {
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    removed();
  };
  const removed = endWithProcess(remove);
  return { path, remove };
}
