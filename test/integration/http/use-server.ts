import type { RetryPolicy } from 'retry-policy';
import { attemptsOf } from 'retry-policy/fetch';
import { afterEach, beforeEach } from 'vitest';
import { FaultyServer } from './faulty-server.js';

/** A server for each test of a file. */
export function useServer(): { readonly server: FaultyServer; readonly other: FaultyServer } {
  const servers: FaultyServer[] = [];
  beforeEach(async () => {
    servers.push(await FaultyServer.start(), await FaultyServer.start());
  });
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));
  const at = (place: number): FaultyServer => {
    const server = servers[place];
    if (server === undefined) throw new Error('the servers live as long as a test');
    return server;
  };
  return {
    get server() {
      return at(0);
    },
    /** Of another origin. */
    get other() {
      return at(1);
    },
  };
}

/** Waits that hold no test up. */
export const quick = { backoff: { baseMs: 1, capMs: 2 } } satisfies RetryPolicy<Response>;

/** What a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`it did not fail, but gave ${value}`);
}

/** How the call ended that gave this, and after how many attempts: `'succeed'`, or the reason. */
export function endOf(responseOrError: unknown): readonly [end: string | undefined, attempts: number] {
  const log = attemptsOf(responseOrError) ?? [];
  const last = log.at(-1);
  const attempts = new Set(log.map(({ attempt }) => attempt)).size;
  return [last?.action === 'dead-letter' ? last.reason : last?.action, attempts];
}

/** The name and the codes of an error, all the way down. */
export function shapeOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { name, message, code, syscall, cause } = error as {
    name?: unknown;
    message?: unknown;
    code?: unknown;
    syscall?: unknown;
    cause?: unknown;
  };
  return { type: Object.getPrototypeOf(error)?.constructor?.name, name, message, code, syscall, cause: shapeOf(cause) };
}
