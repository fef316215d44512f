import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const MOST_TURNS = 200;

/** Collects garbage, turn by turn, until it is so; false if it never is. */
export async function collectedUntil(isSo: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < MOST_TURNS && !isSo(); turn++) {
    collect();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return isSo();
}

/** Collects what can be collected, thoroughly. */
export async function collectGarbage(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) {
    collect();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
