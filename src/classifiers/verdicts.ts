import type { Classifier } from '../classify.js';
import { isHint, readSafely, type Verdict } from '../mark.js';
import { attemptsOf } from './attempts.js';
import { isRefused, readChain } from './chain.js';

/** What a failure says of itself: a verdict; `'no'` if it is known and does not pass; or nothing. */
export type Said = Verdict | 'no' | undefined;

/** A classifier that asks along the causes what single failures say. Whatever is explicitly not to be repeated ends the question. */
export const classifierOf =
  (look: (node: unknown) => Said): Classifier =>
  (error) => {
    const said = readChain<Verdict | 'no'>(error, look, together, isFinal, 'permanent');
    return said === 'no' ? undefined : said;
  };

/** What must not be repeated, and what a `retryingFetch` gave up on, also inside the error that a client made of it: an outer run must not multiply its attempts. */
const isFinal = (node: object): boolean =>
  isRefused(node) || [node, readSafely(node, 'response'), readSafely(node, 'headers')].some((known) => attemptsOf(known) !== undefined);

/** An aggregate passes only if every member does, and takes as long as the slowest. */
function together(said: readonly Said[]): Verdict | 'no' {
  if (said.includes('permanent')) return 'permanent';
  if (said.includes('no') || said.includes(undefined)) return 'no';
  const waits = said.map((verdict) => readSafely(verdict, 'retryAfterMs')).filter(isHint);
  return waits.length > 0 ? { verdict: 'transient', retryAfterMs: Math.max(...waits) } : 'transient';
}
