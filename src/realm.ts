/**
 * One value for all copies of this library in a realm, made when it is first asked for. Each copy looks it up once, since a look-up
 * of a global is slow. A realm that takes no new globals (a hardened one) leaves each copy with its own.
 */
export function sharedInRealm<T extends object>(key: symbol, make: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= (globalThis as { [key: symbol]: T | undefined })[key] ?? define(key, make());
    return value;
  };
}

function define<T>(key: symbol, value: T): T {
  Reflect.defineProperty(globalThis, key, { value, configurable: true });
  return value;
}
