/** Does all the work, at most `size` pieces of it at a time; the results are in the order of the work. */
export async function crowd<W, R>(size: number, work: readonly W[], act: (piece: W) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = work.entries();
  const member = async () => {
    for (const [index, piece] of queue) results[index] = await act(piece);
  };
  await Promise.all(Array.from({ length: size }, member));
  return results;
}
