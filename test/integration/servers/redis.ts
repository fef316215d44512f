import { binary } from './binary.js';
import { type Server, type Settings, startServer } from './server.js';

/** A new Redis server without a password; it writes its dump only when asked. */
export function startRedis(settings?: Settings): Promise<Server> {
  const kind = {
    name: 'redis',
    program: binary('redis-server', 'redis-server'),
    words: ({ folder, port }: { folder: string; port: number }, given: Settings) => {
      const all = { bind: '127.0.0.1', dir: folder, port, save: '', ...given };
      return Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)]);
    },
    ready: 'Ready to accept connections',
    signal: 'SIGTERM',
  } as const;
  return startServer(kind, settings);
}
