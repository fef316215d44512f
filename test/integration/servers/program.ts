import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { account } from './account.js';
import { endWithProcess } from './ends.js';

/** A program that runs in the foreground until it is stopped; it ends with this process at the latest. */
export interface Program {
  /** Resolves when the program has written `text`. Throws if it ends before, or does not write it within a minute. */
  wrote(text: string): Promise<void>;
  /** Resolves when it has ended; it is killed if it does not obey within a minute. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

const LONGEST_WAIT_MS = 60_000;
const LOOK_EVERY_MS = 10;
const environment = { ...process.env, LC_ALL: 'C', HOME: '/nonexistent' };

export function startProgram(command: string, args: readonly string[], folder: string): Program {
  const child = spawn(command, args, { ...account, cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let isOver = false;
  const listen = (chunk: unknown) => {
    output += chunk;
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const kill = () => child.kill('SIGKILL');
  const stopped = endWithProcess(kill);
  const ended = once(child, 'exit')
    .catch(listen)
    .then(() => {
      isOver = true;
      stopped();
    });

  return {
    async wrote(text) {
      for (let waitedMs = 0; !output.includes(text); waitedMs += LOOK_EVERY_MS) {
        if (isOver || waitedMs > LONGEST_WAIT_MS) throw new Error(`${command} could not be started:\n${output.slice(-4_000)}`);
        await sleep(LOOK_EVERY_MS);
      }
    },
    async stop(signal) {
      child.kill(signal);
      const late = setTimeout(kill, LONGEST_WAIT_MS);
      await ended;
      clearTimeout(late);
    },
  };
}
