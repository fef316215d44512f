type Turn = (callback: () => void) => void;

/**
 * The host's way to give other work a turn, as it was at import: fake timers that are put in place later do not hold it up, and those
 * that were there before (by configuration, say) are passed over.
 *
 * When the turn comes, every promise has settled that could without the outside world.
 */
export const nextTurn: Turn = /* @__PURE__ */ chooseTurn();

function chooseTurn(): Turn {
  const { navigator, process, setImmediate } = globalThis as Host;
  const ofNode = process?.getBuiltinModule?.('node:timers')?.setImmediate; // which a DOM made of JavaScript hides
  const genuine = [setImmediate, ofNode].find((turn) => turn !== undefined && !isFake(turn));
  if (genuine !== undefined) return genuine;
  const overtakesPromises = navigator?.userAgent === 'Cloudflare-Workers'; // as messages do there
  return typeof MessageChannel === 'function' && !overtakesPromises ? messagesToSelf() : setTimeout;
}

/** The fakes of sinon's kind (vitest's, jest's) bear their clock; others (node:test's, jest's of old) have lost the name. */
function isFake(timer: Turn): boolean {
  return 'clock' in timer || timer.name !== 'setImmediate';
}

interface Host {
  readonly navigator?: { readonly userAgent?: string };
  readonly process?: { getBuiltinModule?(name: 'node:timers'): { readonly setImmediate: Turn } | undefined };
  readonly setImmediate?: Turn;
}

/** All through one channel, since a new one for each turn would take longer than all else. */
function messagesToSelf(): Turn {
  const { port1, port2 } = new MessageChannel();
  const callbacks: (() => void)[] = [];
  port1.onmessage = () => {
    const callback = callbacks.shift();
    if (callbacks.length === 0) holdsProcess(port1, false);
    callback?.();
  };
  holdsProcess(port1, false);
  return (callback) => {
    callbacks.push(callback);
    holdsProcess(port1, true);
    port2.postMessage(undefined);
  };
}

/** Node is kept alive by a port, as long as it is not told otherwise. */
function holdsProcess(port: MessagePort & { ref?(): void; unref?(): void }, holds: boolean): void {
  if (holds) port.ref?.();
  else port.unref?.();
}
