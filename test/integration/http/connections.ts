import type { Socket } from 'node:net';

/** The connections that a server has, each with a number from 1. */
export class Connections {
  made = 0;
  /** So many of the next are reset as soon as they are made. */
  drops = 0;
  readonly #open = new Map<Socket, number>();

  constructor(private readonly happened: () => void) {}

  get open(): number {
    return this.#open.size;
  }

  /** That of a TLS socket is not known: it is another than the one that was accepted. */
  numberOf(socket: Socket): number | undefined {
    return this.#open.get(socket);
  }

  accept(socket: Socket): void {
    this.#open.set(socket, ++this.made);
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#open.delete(socket);
      this.happened();
    });
    if (this.drops > 0) {
      this.drops -= 1;
      socket.resetAndDestroy();
    }
    this.happened();
  }

  end(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }
}
