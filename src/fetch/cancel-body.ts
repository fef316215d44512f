/** Whatever comes of it. Awaited at once: some hosts look for who handles a rejection in the same turn. */
export async function quietly(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {}
}

/**
 * Lets go of a body that nobody will read: its connection goes back to the pool, or closes. Nothing waits for it, since a server that
 * has fallen silent would hold the call up; a body that is being read stays with its reader.
 */
export function cancelBody(bearer: Request | Response): void {
  quietly(() => {
    const body = bearer.body as (Partial<ReadableStream> & OldStream) | null;
    return body?.cancel?.() ?? body?.destroy?.();
  });
}

/** What node-fetch has as a body. */
interface OldStream {
  destroy?(): void;
}
