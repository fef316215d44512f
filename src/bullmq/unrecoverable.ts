import type { Classifier } from '../classify.js';
import { readSafely } from '../mark.js';

const DEEPEST = 16;

/** BullMQ's own mark, also where it stands behind another error: BullMQ looks at the outermost alone. */
export const unrecoverable: Classifier = (error) => {
  let node: unknown = error;
  for (let depth = 0; depth < DEEPEST && node !== undefined && node !== null; depth += 1) {
    if (readSafely(node, 'name') === 'UnrecoverableError') return 'permanent';
    node = readSafely(node, 'cause');
  }
  return undefined;
};
