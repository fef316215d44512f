import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { endWithProcess } from '../servers/ends.js';
import type { Point } from './mails.mjs';

/** A worker program, for which `fork` needs no more than where it holds; it is killed or ends with this process. */
export interface Program {
  readonly path: string;
  readonly args: readonly string[];
  readonly execPath?: string;
}

export class Worker {
  readonly held = new Set<number>();
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = '';
  #isKilled = false;

  constructor({ path, args, execPath = process.execPath }: Program, point: Point) {
    this.#process = fork(path, [...args, point], { execPath, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] });
    this.#process.on('message', ({ held }: { held: number }) => this.held.add(held));
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.on('data', (chunk) => {
        this.#output += chunk;
      });
    }
    this.#ended = once(this.#process, 'exit').finally(endWithProcess(() => this.#process.kill('SIGKILL')));
  }

  /** Throws if it has ended by itself, with what it said. */
  mustRun(): void {
    const { exitCode, signalCode } = this.#process;
    if (!this.#isKilled && (exitCode !== null || signalCode !== null)) throw new Error(`a worker ended by itself:\n${this.#output}`);
  }

  async kill(): Promise<void> {
    this.#isKilled = true;
    this.#process.kill('SIGKILL');
    await this.#ended;
  }
}
