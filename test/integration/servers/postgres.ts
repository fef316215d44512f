import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { account } from './account.js';
import { binary } from './binary.js';
import { type Server, type Settings, startServer } from './server.js';

/** How gently a PostgreSQL server stops: it waits for its sessions, ends them, or leaves all as it is. */
export const SHUTDOWN = { smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

/** Nothing is kept for long, so nothing is flushed; deadlocks are looked for soon. */
const SETTINGS = { fsync: 'off', deadlock_timeout: '20ms', max_connections: 60, listen_addresses: '127.0.0.1', lc_messages: 'C' };

/** A new PostgreSQL server; its superuser and its database are called `postgres`, and ask for no password. */
export function startPostgres(settings?: Settings): Promise<Server> {
  const kind = {
    name: 'postgres',
    program: binary('postgres', 'postgresql'),
    prepare(folder: string) {
      const words = ['-D', join(folder, 'data'), '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
      execFileSync(binary('initdb', 'postgresql'), words, { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    },
    words: ({ folder, port }: { folder: string; port: number }, given: Settings) => {
      const all = { ...SETTINGS, port, unix_socket_directories: folder, ...given };
      return ['-D', join(folder, 'data'), ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    },
    ready: 'database system is ready to accept connections',
    signal: SHUTDOWN.fast,
  };
  return startServer(kind, settings);
}
