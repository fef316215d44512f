export interface Begin {
  readonly mail: number;
  readonly attempt: number;
  readonly idempotencyKey: string;
  /** By the worker's clock, epoch milliseconds. */
  readonly at: number;
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
