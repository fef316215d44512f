import { type Classifier, runWithRetry } from 'retry-policy';
import { failureStage, httpErrors, networkErrors } from 'retry-policy/classifiers';
import { retryingFetch } from 'retry-policy/fetch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answers, type Behaviour, cutsAfter, hangs } from './behaviours.js';
import { selfSigned } from './certificate.js';
import { type Client, ofTheirOwn, overFetch } from './clients.js';
import { FaultyServer } from './faulty-server.js';
import { refusedPort } from './ports.js';
import { failureOf, quick, useServer } from './use-server.js';

const use = useServer();
let secure: FaultyServer;

beforeAll(async () => {
  secure = await FaultyServer.start({ tls: selfSigned() });
});
afterAll(() => secure.close());

const classify: readonly Classifier[] = [networkErrors, httpErrors()];
const verdictOn = (error: unknown) => classify.map((ask) => ask(error)).find((verdict) => verdict !== undefined);

type Fault = readonly [fault: string, meet: (ask: Client) => Promise<unknown>, verdict: unknown, stage: string];

/** How each comes about, the verdict on what every client makes of it, and how far the request came. */
const faults: readonly Fault[] = [
  ['refused', async (ask) => ask(`http://127.0.0.1:${await refusedPort()}/`), 'transient', 'not-sent'],
  ['a bad certificate', (ask) => ask(secure.url('/')), undefined, 'not-sent'],
  ['a bad address', (ask) => ask('http://127.0.0.1:99999/'), undefined, 'not-sent'],
  ['reset', (ask) => ask(script(cutsAfter('request'))), 'transient', 'unknown'],
  ['closed', (ask) => ask(script(cutsAfter('request', 'close'))), 'transient', 'unknown'],
  ['503', (ask) => ask(script(answers(503, told(2)))), { verdict: 'transient', retryAfterMs: 2_000 }, 'answered'],
  ['404', (ask) => ask(script(answers(404, told(2)))), undefined, 'answered'],
  ['abort', (ask) => ask(script(hangs), { signal: abortedSoon() }), 'permanent', 'unknown'],
  ['its own timeout', (ask) => ask(script(hangs), { timeoutMs: 60 }), 'transient', 'unknown'],
];

const permanent = faults.filter(([, , verdict]) => verdict === undefined || verdict === 'permanent');

const told = (seconds: number) => ({ headers: { 'retry-after': `${seconds}` }, body: 'busy' });
const script = (...behaviours: readonly Behaviour[]) => use.server.script('/', ...behaviours).url('/');

function abortedSoon(): AbortSignal {
  const controller = new AbortController();
  use.server
    .until(() => use.server.requests.length > 0)
    .then(
      () => controller.abort(),
      () => {},
    );
  return controller.signal;
}

/** What some clients make of a fault that is not what the fault is. */
const oddities: Readonly<Record<string, readonly [verdict: unknown, stage: string]>> = {
  'node-fetch, its own timeout': ['permanent', 'unknown'], // it has none; any signal is an abort to it
};

const clients = Object.entries({ ...overFetch, ...ofTheirOwn });

describe.each(clients)('of what %s throws', (name, ask) => {
  it.each(faults)('%s is judged', async (fault, meet, ...usual) => {
    const [verdict, stage] = oddities[`${name}, ${fault}`] ?? usual;
    const error = await failureOf(meet(ask));
    expect([verdictOn(error), failureStage(error)]).toEqual([verdict, stage]);
  });

  it('what passes is repeated', async () => {
    const url = script(answers(503, told(0)), cutsAfter('request'), answers(200, { body: '"done"' }));
    const result = await runWithRetry(() => ask(url), { ...quick, classify });
    expect(result).toMatchObject({ ok: true, attempts: 3 });
  });

  it.each(permanent)('what does not pass is attempted once: %s', async (_, meet) => {
    const { attempts, log } = await runWithRetry(() => meet(ask), { ...quick, classify });
    expect([attempts, log.at(-1)]).toMatchObject([1, { action: 'dead-letter', reason: 'permanent' }]);
    expect(use.server.requests.length + secure.requests.length).toBeLessThanOrEqual(1);
  });
});

describe.each(Object.entries(overFetch))('%s over a fetch that retries', (name, ask) => {
  const retrying =
    (policy = {}): Client =>
    (url, more) =>
      ask(url, { ...more, over: (send) => retryingFetch({ fetch: send, policy: { ...quick, ...policy } }) });

  it('gets over 503 and a reset', async () => {
    await retrying()(script(answers(503, told(0)), cutsAfter('request'), answers(200, { body: '"done"' })));
    expect(use.server.tally()).toMatchObject({ complete: 3, works: 1 });
  });

  it.each(permanent)('attempts once what does not pass: %s', async (_, meet) => {
    await failureOf(meet(retrying()));
    expect(use.server.requests.length + secure.requests.length).toBeLessThanOrEqual(1);
  });

  // Of an answer, some keep nothing that could be known again; axios makes its error of the cause of what it was thrown.
  const forgets = { 503: ['octokit', 'axios over fetch'], reset: ['axios over fetch'] };

  it.each<[keyof typeof forgets, Behaviour]>([
    [503, answers(503, told(0))],
    ['reset', cutsAfter('request')],
  ])('throws in the end as ever, and a run around it does not multiply where the client lets it know: %s', async (fault, behaviour) => {
    const url = script(behaviour);
    const result = await runWithRetry(() => retrying({ maxAttempts: 3 })(url), { ...quick, maxAttempts: 2, classify });
    const isKnown = !forgets[fault].includes(name);
    expect(result).toMatchObject({ ok: false, reason: isKnown ? 'permanent' : 'attempts-exhausted' });
    expect(use.server.requests).toHaveLength(isKnown ? 3 : 6);
  });
});
