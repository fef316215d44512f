import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { account } from './account.js';
import { binary } from './binary.js';
import { type Server, type Settings, startServer } from './server.js';

const SETTINGS = { 'bind-address': '127.0.0.1', 'innodb-flush-log-at-trx-commit': 0, 'innodb-buffer-pool-size': '32M' };

/** A new MariaDB server; `root` has no password, and there is an empty database `test`. */
export function startMariadb(settings?: Settings): Promise<Server> {
  const kind = {
    name: 'mariadb',
    program: binary('mariadbd', 'mariadb-server'),
    prepare(folder: string) {
      const words = ['--no-defaults', `--datadir=${join(folder, 'data')}`, '--auth-root-authentication-method=normal'];
      execFileSync(binary('mariadb-install-db', 'mariadb-server'), words, { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    },
    words: ({ folder, port }: { folder: string; port: number }, given: Settings) => {
      const all = { datadir: join(folder, 'data'), socket: join(folder, 'socket'), port, ...SETTINGS, ...given };
      return ['--no-defaults', ...Object.entries(all).map(([name, value]) => `--${name}=${value}`)];
    },
    ready: 'ready for connections',
    signal: 'SIGTERM',
  } as const;
  return startServer(kind, settings);
}
