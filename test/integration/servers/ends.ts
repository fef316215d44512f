const ends = new Set<() => void>();

/** The latest first: a server's folder outlives it. */
const endAll = () => {
  for (const end of [...ends].reverse()) end();
};

process.once('exit', endAll);
for (const event of ['SIGINT', 'SIGTERM', 'disconnect'] as const) {
  process.once(event, () => {
    endAll();
    process.kill(process.pid, event === 'disconnect' ? 'SIGTERM' : event); // disconnect: whoever started this process is gone
  });
}

/**
 * Sees to it that something is ended when this process ends before it was.
 *
 * @returns to be called when it was ended
 */
export function endWithProcess(end: () => void): () => void {
  ends.add(end);
  return () => ends.delete(end);
}
