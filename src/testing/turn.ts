type Turn = (callback: () => void) => void;

/**
 * The host's way to give other work a turn, as it was at import: fake timers that are put in place later do not hold it up, and those
 * of sinon's kind (vitest's and jest's are) that were there before are known by the clock that they bear.
 *
 * When the turn comes, every promise has settled that could without the outside world.
 */
export const nextTurn: Turn = /* @__PURE__ */ chooseTurn();

function chooseTurn(): Turn {
  if (typeof setImmediate === 'function' && !('clock' in setImmediate)) return setImmediate;
  return typeof MessageChannel === 'function' ? postToSelf : setTimeout;
}

function postToSelf(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}
