/** How this demo writes. */

export function title(text) {
  console.log(`\n${text}\n${'='.repeat(text.length)}\n`);
}

export const seconds = (ms) => `${(ms / 1_000).toFixed(3)} s`;

/** What was thrown, with what led to it. */
export function told(error) {
  const cause = error.cause ? `, caused by ${told(error.cause)}` : '';
  return `${error.name}: ${error.message}${cause}`;
}
