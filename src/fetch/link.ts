import { onAbort } from '../abort.js';
import { isObject } from '../assert.js';

/** A signal that follows others until it is let go of. (`AbortSignal.any` holds on to a long-lived one for ever on Node 20.) */
export interface Link {
  readonly signal: AbortSignal;
  readonly abort: (reason?: unknown) => void;
  readonly release: () => void;
}

export function link(signals: readonly AbortSignal[]): Link {
  const controller = new AbortController();
  const abort = (reason?: unknown) => controller.abort(reason);
  const stops = signals.map((signal) => {
    if (signal.aborted) abort(signal.reason);
    return onAbort(signal, () => abort(signal.reason));
  });
  const release = () => {
    for (const stop of stops) stop();
  };
  return { signal: controller.signal, abort, release };
}

let collected: FinalizationRegistry<{ readonly link: Link; readonly requests: unknown }> | undefined;

/**
 * Has the signal go on while a body is read: until the body is collected (where the platform tells), or at once where there is none.
 *
 * @param requests  are kept as well: the signal of a Request ends with it
 */
export function keepForBody({ body }: Response, link: Link, requests: unknown): void {
  collected ??= globalThis.FinalizationRegistry && new FinalizationRegistry(({ link }) => link.release());
  if (isObject(body)) collected?.register(body, { link, requests });
  else link.release();
}
