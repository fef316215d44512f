import type { Boss, BossJob, BossResult } from 'retry-policy/pg-boss';

type State = 'created' | 'retry' | 'active' | 'completed' | 'failed';

interface Row {
  readonly id: string;
  readonly name: string;
  data: string;
  state: State;
  retryCount: number;
  retryLimit: number;
  /** Seconds, as the last call gave them; undefined where the queue's own `retryDelay` counts. */
  startAfter: number | undefined;
  output: unknown;
  isStarted: boolean;
}

export type Handler<T = unknown> = (jobs: BossJob[]) => Promise<BossResult<T>[]>;

/** Queues of pg-boss in memory, as far as a handler meets them. Data goes through JSON; time is the test's. */
export class FakeBoss implements Boss {
  readonly rows = new Map<string, Row>();
  /** The copies in the dead letter queue. */
  readonly dead: unknown[] = [];
  #ids = 0;

  send(data: unknown, { name = 'mail', retryLimit = 1_000 } = {}): Row {
    this.#ids += 1;
    const row: Row = {
      ...{ id: `id ${this.#ids}`, name, data: JSON.stringify(data), state: 'created', retryCount: 0, retryLimit },
      ...{ startAfter: undefined, output: undefined, isStarted: false },
    };
    this.rows.set(row.id, row);
    return row;
  }

  /** A worker takes a job. */
  claim({ id }: Row, signal = new AbortController().signal): BossJob {
    const row = this.#row(id);
    if (row.state !== 'created' && row.state !== 'retry') throw new Error(`the job is ${row.state}`);
    if (row.isStarted) row.retryCount += 1;
    Object.assign(row, { state: 'active', isStarted: true, startAfter: undefined });
    const { name, retryCount, retryLimit } = row;
    return { id, name, data: JSON.parse(row.data), retryCount, retryLimit, signal };
  }

  /** A worker takes a job, and tells the boss what the handler answered of it. */
  async turn(row: Row, handler: Handler, signal?: AbortSignal): Promise<BossResult> {
    const job = this.claim(row, signal);
    const [result] = await handler([job]);
    if (result === undefined) throw new Error('no result');
    this.#settle(job, result);
    return result;
  }

  /** The time of an active job ran out. */
  expire({ id }: Row): void {
    this.#fail(this.#row(id), 'job timed out', false);
  }

  /** `boss.retry`: a failed job comes back by hand. */
  retry(row: Row): void {
    if (row.state !== 'failed') throw new Error(`the job is ${row.state}`);
    Object.assign(row, { state: 'retry', retryLimit: row.retryLimit + 1 });
  }

  async fail(_name: string, { id, retryCount }: { id: string; retryCount: number }, output?: object | null) {
    const row = this.#row(id);
    if (row.state !== 'active' || row.retryCount !== retryCount) return { affected: 0 };
    this.#fail(row, output, false);
    return { affected: 1 };
  }

  async update(_name: string, data: object, { id, startAfter }: { id: string; startAfter: number }) {
    const row = this.#row(id);
    if (row.state !== 'created' && row.state !== 'retry') return { affected: 0 };
    Object.assign(row, { data: JSON.stringify(data), startAfter });
    return { affected: 1 };
  }

  #row(id: string): Row {
    const row = this.rows.get(id);
    if (row === undefined) throw new Error(`there is no job ${id}`);
    return row;
  }

  #settle({ id, retryCount }: BossJob, { status, output }: BossResult): void {
    const row = this.#row(id);
    if (row.state !== 'active' || row.retryCount !== retryCount) return;
    if (status === 'completed') Object.assign(row, { state: 'completed', output });
    else this.#fail(row, output, status === 'deadletter');
  }

  #fail(row: Row, output: unknown, isTerminal: boolean): void {
    const isOver = isTerminal || row.retryCount >= row.retryLimit;
    Object.assign(row, { state: isOver ? 'failed' : 'retry', output });
    if (isOver) this.dead.push(JSON.parse(row.data));
  }
}
