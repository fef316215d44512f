const ROUNDS = 25;
const BATCH_MS = 20;
const WARMING_SHARE = 0.25;

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** A loop for contenders that answer promises: one operation after the other. */
export async function oneByOne(operation, times) {
  for (let i = 0; i < times; i++) await operation();
}

/** A loop for contenders that answer at once. */
export function synchronously(operation, times) {
  let last;
  for (let i = 0; i < times; i++) last = operation();
  return last; // so that the work cannot be left out
}

/**
 * Times operations side by side: every round runs a batch of each, in an order that turns about, and each batch comes after an untimed
 * one that warms it. No gc is forced in between: one that finds no live instance of a class deoptimises the code that knows it.
 *
 * @param contenders  `{ name: operation }`
 * @returns `{ ns: { name: median per operation }, ratio(name, base): the median of the rounds' quotients }`
 */
export async function sideBySide(contenders, loop = oneByOne) {
  const batches = [];
  for (const [name, operation] of Object.entries(contenders)) {
    batches.push({ name, operation, size: await batchSize(operation, loop), samples: [] });
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const { operation, size, samples } of batches) {
      await loop(operation, Math.ceil(size * WARMING_SHARE));
      samples.push((await timed(operation, size, loop)) / size);
    }
    batches.reverse();
  }
  const samples = Object.fromEntries(batches.map((batch) => [batch.name, batch.samples]));
  return {
    ns: Object.fromEntries(Object.keys(contenders).map((name) => [name, median(samples[name]) * 1e6])),
    ratio: (name, base) => median(samples[name].map((sample, round) => sample / samples[base][round])),
  };
}

/** How many operations take about `BATCH_MS`, once they are warm. */
async function batchSize(operation, loop) {
  let size = 1;
  for (;;) {
    const ms = await timed(operation, size, loop);
    if (ms >= BATCH_MS) return Math.max(1, Math.round((size * BATCH_MS) / ms));
    size *= 2;
  }
}

async function timed(operation, times, loop) {
  const startedAt = performance.now();
  await loop(operation, times);
  return performance.now() - startedAt;
}
