import { readSafely } from '../mark.js';

/** All values under a name in the metadata of an error: those of grpc-js, `Headers` (Connect), a plain object (grpc-web). Never throws. */
export function metadataOf(node: unknown, name: string): unknown[] {
  try {
    const metadata = readSafely(node, 'metadata') as Readonly<Record<string, unknown>>;
    const { get } = metadata;
    const found: unknown = typeof get === 'function' ? get.call(metadata, name) : metadata[name];
    return [found].flat().filter((value) => value !== undefined && value !== null);
  } catch {
    return [];
  }
}
