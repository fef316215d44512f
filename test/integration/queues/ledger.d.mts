export interface Begin {
  readonly mail: number;
  readonly attempt: number;
  readonly idempotencyKey: string;
  /** The process that made it. */
  readonly worker: number;
}

export class Ledger {
  /** @param port of a Redis server on the loopback */
  constructor(port: number);
  begin(mail: number, attempt: number, idempotencyKey: string): Promise<unknown>;
  effect(mail: number, idempotencyKey: string): Promise<unknown>;
  /** True for one caller of each name. */
  isFirst(name: string): Promise<boolean>;
  begins(): Promise<readonly Begin[]>;
  effects(): Promise<readonly number[]>;
  clear(): Promise<void>;
  close(): Promise<unknown>;
}
