/** A point that `count` callers must have reached before any of them goes on. */
export function meetingOf(count: number): () => Promise<void> {
  let missing = count;
  let open: () => void;
  const complete = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    missing -= 1;
    if (missing === 0) open();
    return complete;
  };
}
