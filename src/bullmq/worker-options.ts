/**
 * What a BullMQ worker needs beside the processor: spread it into the worker's options. By default BullMQ itself fails a job whose worker
 * was killed for the second time, behind the policy's back and without a dead letter.
 *
 * @example
 * workerOptions.maxStalledCount // => 2_147_483_647
 */
export const workerOptions: { readonly maxStalledCount: number } = /* @__PURE__ */ Object.freeze({ maxStalledCount: 2_147_483_647 });
