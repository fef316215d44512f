type Turn = (callback: () => void) => void;

/**
 * The host's way to give other work a turn, as it was at import: fake timers that are put in place later do not hold it up, and those
 * that were there before (by configuration, say) are passed over.
 *
 * When the turn comes, every promise has settled that could without the outside world.
 */
export const nextTurn: Turn = /* @__PURE__ */ chooseTurn();

function chooseTurn(): Turn {
  if (typeof setImmediate === 'function' && !isFake(setImmediate)) return setImmediate;
  const { navigator, process } = globalThis as Host;
  const overtakesPromises = navigator?.userAgent === 'Cloudflare-Workers'; // as messages do there
  if (typeof MessageChannel === 'function' && !overtakesPromises) return postToSelf; // which nobody fakes
  return process?.getBuiltinModule?.('node:timers')?.setImmediate ?? setTimeout; // a DOM made of JavaScript may hide what Node has
}

/** The fakes of sinon's kind (vitest's, jest's) bear their clock; others (node:test's, jest's of old) have lost the name. */
function isFake(timer: Turn): boolean {
  return 'clock' in timer || timer.name !== 'setImmediate';
}

interface Host {
  readonly navigator?: { readonly userAgent?: string };
  readonly process?: { getBuiltinModule?(name: 'node:timers'): { readonly setImmediate: Turn } | undefined };
}

function postToSelf(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}
