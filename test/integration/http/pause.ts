/** Waits; rejects as soon as the server closes. */
export function pause(ms: number, closing: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (closing.aborted) return reject(closing.reason);
    const timer = setTimeout(done, ms);
    closing.addEventListener('abort', stopped, { once: true });
    function done() {
      closing.removeEventListener('abort', stopped);
      resolve();
    }
    function stopped() {
      clearTimeout(timer);
      reject(closing.reason);
    }
  });
}
