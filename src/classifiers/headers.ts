/**
 * The one value of a header, trimmed, from whatever holds headers: what has a `get` (`Headers`, `AxiosHeaders`, a `Map` with names in
 * lower case), or a plain object with names in any case. Several values are none, and what is no text is none. Never throws.
 *
 * @param name  in lower case
 */
export function headerOf(headers: unknown, name: string): string | undefined {
  try {
    const bag = headers as Readonly<Record<string, unknown>>;
    const { get } = bag;
    const [value, another] =
      typeof get === 'function'
        ? [get.call(bag, name)].flat()
        : Object.keys(bag).flatMap((key) => (key.toLowerCase() === name && bag[key]) || []);
    return typeof value === 'string' && another === undefined ? value.trim() : undefined;
  } catch {
    return undefined;
  }
}
