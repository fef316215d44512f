import { Redis } from 'ioredis';
import { runWithRetry } from 'retry-policy';
import { failureStage } from 'retry-policy/classifiers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { redisPolicy } from '../policies.js';
import { remedy } from '../remedy.js';
import { startRedis } from '../servers/redis.js';
import type { Server } from '../servers/server.js';
import { failuresOf, told } from '../told.js';
import { until } from '../until.js';

let server: Server;
let clients: Redis[];
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server?.remove());
beforeEach(async () => {
  clients = [];
  await connect().flushall();
  return () => {
    for (const client of clients) client.disconnect();
  };
});

/** The policy repeats, so the client does not: it connects again, and tells at once what failed until then. */
function connect(retryStrategy: () => number | null = () => 10): Redis {
  const toServer = { host: '127.0.0.1', port: server.port, enableReadyCheck: false, maxRetriesPerRequest: 0 };
  const client = new Redis({ ...toServer, retryStrategy });
  client.on('error', () => {}); // what nobody hears is printed
  clients.push(client);
  return client;
}

test('a server that loads its data has them later', async () => {
  const admin = connect();
  await Promise.all(Array.from({ length: 500 }, (_, index) => admin.set(`key ${index}`, 'x'.repeat(2_000))));
  await admin.save();
  await server.stop();
  await server.start({ 'key-load-delay': 20_000, 'loading-process-events-interval-bytes': 1_024 }, 'Server initialized'); // 20 ms for each key
  const client = connect();
  const result = await runWithRetry(
    () => client.strlen('key 499'),
    redisPolicy,
    remedy(async () => {
      await client.config('SET', 'key-load-delay', 0);
      await server.wrote();
    }),
  );
  expect(told(result)).toEqual(['1 retry: LOADING, by classifier', '2 succeed']);
  expect(result).toMatchObject({ value: 2_000 });
});

test('a replica that became the master takes writes', async () => {
  const client = connect();
  await client.replicaof('127.0.0.1', 1); // where no master is
  const result = await runWithRetry(
    () => client.set('key', 'value'),
    redisPolicy,
    remedy(() => client.replicaof('NO', 'ONE')),
  );
  expect(told(result)).toEqual(['1 retry: READONLY, by classifier', '2 succeed']);
});

test('a replica that has lost its master, and keeps stale data to itself, answers later', async () => {
  const client = connect();
  await client.config('SET', 'replica-serve-stale-data', 'no');
  await client.replicaof('127.0.0.1', 1);
  const result = await runWithRetry(
    () => client.get('key'),
    redisPolicy,
    remedy(() => client.replicaof('NO', 'ONE')),
  );
  expect(told(result)).toEqual(['1 retry: MASTERDOWN, by classifier', '2 succeed']);
});

test('a server that is busy with a script answers when it was stopped', async () => {
  const [client, other] = [connect(), connect()];
  await client.config('SET', 'busy-reply-threshold', 1);
  const script = other.eval('while true do end', 0).catch(String);
  await until(async () => (await client.ping().catch(String)).includes('BUSY'));
  const result = await runWithRetry(
    () => client.get('key'),
    redisPolicy,
    remedy(async () => {
      await client.script('KILL');
      await script;
    }),
  );
  expect(told(result)).toEqual(['1 retry: BUSY, by classifier', '2 succeed']);
});

test('a command whose connection is dropped goes again on another; nobody knows how far it came', async () => {
  const [client, admin] = [connect(), connect()];
  const id = await client.client('ID');
  const result = runWithRetry(({ attempt }) => (attempt === 1 ? client.blpop('nothing', 0) : client.ping()), redisPolicy);
  await until(async () => String(await admin.client('LIST')).includes('cmd=blpop'));
  await admin.client('KILL', 'ID', id);
  expect(told(await result)).toEqual(['1 retry: MaxRetriesPerRequestError, by classifier', '2 succeed']);
  expect(failuresOf(await result).map(failureStage)).toEqual(['unknown']);
});

test('a server that is down is there later; the client does not tell that nothing was sent', async () => {
  await server.stop();
  const result = await runWithRetry(
    () => connect(() => null).ping(),
    redisPolicy,
    remedy(() => server.start()),
  );
  expect(told(result)).toEqual(['1 retry: Connection is closed., by classifier', '2 succeed']);
  expect(failuresOf(result).map(failureStage)).toEqual(['unknown']);
});

test.each([
  ['a command against a value of another type', 'WRONGTYPE', (client: Redis) => client.lpush('text', 'x')],
  ['a script that fails', 'ERR', (client: Redis) => client.eval("return redis.error_reply('ERR no')", 0)],
])('%s is permanent: one attempt', async (_, kind, command) => {
  const client = connect();
  await client.set('text', 'x');
  const result = await runWithRetry(() => command(client), redisPolicy);
  expect(told(result)).toEqual([`1 dead-letter permanent: ${kind}, by default`]);
});
