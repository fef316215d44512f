import { ownFolder } from './account.js';
import { freePort } from './port.js';
import { type Program, startProgram } from './program.js';

/** A server of a test's own: its data in a temporary folder, its port on the loopback. */
export interface Server {
  readonly port: number;
  readonly folder: string;
  /**
   * @param settings  that differ from those of the server's first start
   * @param until  what the server writes when it is far enough; by default, when it takes connections
   */
  start(settings?: Settings, until?: string): Promise<void>;
  /** Resolves when it has written that since it was started; by default, when it takes connections. */
  wrote(text?: string): Promise<void>;
  /** Resolves when the server has ended; the signal says how gently. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  restart(signal?: NodeJS.Signals): Promise<void>;
  /** Stops it, if it runs, and deletes its data. */
  remove(): Promise<void>;
}

export type Settings = Readonly<Record<string, string | number>>;

export interface Kind {
  readonly name: string;
  readonly program: string;
  /** Makes the data of a new server. */
  readonly prepare?: (folder: string) => void;
  readonly words: (server: { folder: string; port: number }, settings: Settings) => readonly string[];
  /** What it writes when it takes connections. */
  readonly ready: string;
  readonly signal: NodeJS.Signals;
}

/** Starts a new server of that kind, and waits until it takes connections. */
export async function startServer(kind: Kind, given: Settings = {}): Promise<Server> {
  const { path: folder, remove } = ownFolder(kind.name);
  const port = await freePort();
  let running: Program | undefined;

  const server: Server = {
    port,
    folder,
    async start(settings = {}, until = kind.ready) {
      running = startProgram(kind.program, kind.words({ folder, port }, { ...given, ...settings }), folder);
      await running.wrote(until);
    },
    async wrote(text = kind.ready) {
      await running?.wrote(text);
    },
    async stop(signal = kind.signal) {
      await running?.stop(signal);
      running = undefined;
    },
    async restart(signal) {
      await server.stop(signal);
      await server.start();
    },
    async remove() {
      await server.stop('SIGQUIT'); // at once, but PostgreSQL ends its other processes too
      remove();
    },
  };
  try {
    kind.prepare?.(folder);
    await server.start();
    return server;
  } catch (error) {
    await server.remove();
    throw error;
  }
}
