// What a user writes: it names everything that the package exports, is compiled in each way that it can be, and is run.
import {
  type AttemptContext,
  AttemptTimeout,
  type BackoffOptions,
  type Classifier,
  type Clock,
  createSystemClock,
  cryptoRandom,
  type DeadLetterDecision,
  DeadLetterError,
  type DeadLettered,
  type DeadLetterReason,
  type Decision,
  type DelayContext,
  type DrawRange,
  decide,
  decorrelatedJitter,
  definePolicy,
  type Environment,
  equalJitter,
  exponentialBackoff,
  type Failure,
  type FailureOptions,
  formatDecision,
  fullJitter,
  type HookName,
  isAttemptTimeout,
  isDeadLetterError,
  isRetryHookError,
  isTransient,
  type Jitter,
  type JudgedBy,
  markedFailures,
  type markPermanent,
  type markTransient,
  previewSchedule,
  type RandomSource,
  type ResolvedBackoff,
  type ResolvedPolicy,
  type RetryDecision,
  RetryHookError,
  type RetryPolicy,
  type RetryResult,
  type RunOptions,
  randomFrom,
  runWithRetry,
  type ScheduleRow,
  type SucceedDecision,
  type Succeeded,
  systemClock,
  type Task,
  type TimeBudget,
  TransientFailure,
  unwrap,
  type Verdict,
  withinBudget,
  withRetry,
} from 'retry-policy';
import { type BullJob, type BullQueue, type ProcessorOptions, retryingProcessor, workerOptions } from 'retry-policy/bullmq';
import {
  type FailureStage,
  failureStage,
  type GrpcErrorsOptions,
  grpcErrors,
  type HttpErrorsOptions,
  httpErrors,
  idempotentMethods,
  mongoErrors,
  mysqlErrors,
  networkErrors,
  parseRetryAfter,
  postgresErrors,
  redisErrors,
  sqlErrors,
  sqliteErrors,
  sqlServerErrors,
  throughCause,
  transientStatuses,
  unknownHosts,
} from 'retry-policy/classifiers';
import {
  type DeadLetter,
  type DecisionRecord,
  type Difference,
  type ErrorRecord,
  isDeadLetter,
  type Job,
  type JobEnd,
  type JobSource,
  nextStep,
  type Outcome,
  type Replay,
  type RetryState,
  redriveState,
  replay,
  runJob,
  type Step,
  type StepEnvironment,
  toDeadLetter,
  toDecisionRecord,
  toErrorRecord,
} from 'retry-policy/durable';
import { attemptsOf, type RetryingFetchOptions, retryingFetch } from 'retry-policy/fetch';
import {
  type Boss,
  type BossJob,
  type BossResult,
  type HandlerOptions,
  queueOptions,
  retryingHandler,
  workOptions,
} from 'retry-policy/pg-boss';
import {
  type ActivityContext,
  type ActivityInfo,
  type ActivityInput,
  type InterceptorOptions,
  notInTemporalRetryPolicy,
  type PolicyOfActivity,
  retryingActivities,
  type TemporalRetryPolicy,
  toTemporalRetryPolicy,
} from 'retry-policy/temporal';
import {
  assertNoLeaks,
  type DefaultOverrides,
  fixedRandom,
  frozenClock,
  overrideDefaults,
  type PendingTimer,
  type RestorableOverride,
  type ScriptedCall,
  type ScriptedTask,
  type StepOptions,
  scriptedTask,
  seededRandom,
  type VirtualClock,
  type VirtualClockOptions,
  virtualClock,
} from 'retry-policy/testing';

/** Compiles only if both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;
const same = <A, B>(_: Same<A, B>): void => {};

// Each option may be given as undefined, which is what `process.env` and optional chaining answer.
export const backoff: BackoffOptions = { baseMs: 100, capMs: 1_000, factor: undefined };
export const failureOptions: FailureOptions = { cause: new Error('x'), retryAfterMs: undefined };
export const nothing: RetryPolicy<string> & RunOptions = {
  maxAttempts: undefined,
  backoff: undefined,
  jitter: undefined,
  delay: undefined,
  attemptTimeoutMs: undefined,
  totalBudgetMs: undefined,
  maxRetryAfterMs: undefined,
  classify: undefined,
  classifyValue: undefined,
  clock: undefined,
  random: undefined,
  signal: undefined,
  onDecision: undefined,
  idempotencyKey: undefined,
  logLimit: undefined,
};

const classify: Classifier = (error) => (error instanceof RangeError ? ('transient' satisfies Verdict) : undefined);
const delay = ({ attempt, previousDelayMs = 0 }: DelayContext, random: RandomSource): number => random(0, attempt * 10) + previousDelayMs;
export const policies: readonly RetryPolicy<number>[] = [
  { classify },
  { classify: [classify, markedFailures] as const, delay },
  { classifyValue: (value) => (value < 0 ? { verdict: 'transient', retryAfterMs: 5 } : undefined) },
  { jitter: 'equal' satisfies Jitter, backoff: { capMs: 5 } },
  // @ts-expect-error a name that does not exist
  { retries: 3 },
  // @ts-expect-error settings from the environment are numbers only after they were parsed
  { maxAttempts: '3' },
];

const httpOptions: HttpErrorsOptions = { statuses: undefined, now: undefined };
const grpcOptions: GrpcErrorsOptions = { aborted: undefined };
export const classifiers: readonly Classifier[] = [
  ...[networkErrors, unknownHosts, httpErrors(httpOptions), grpcErrors(grpcOptions), throughCause(classify)],
  ...[sqlErrors, postgresErrors, mysqlErrors, sqliteErrors, sqlServerErrors, mongoErrors, redisErrors],
];
export const stage: FailureStage = failureStage(new Error('x'));
export const hints: readonly (number | undefined)[] = [
  parseRetryAfter({ 'retry-after': '5', via: ['a', 'b'], age: undefined }, 0),
  parseRetryAfter(new Headers(), 0),
];
const fetchOptions: RetryingFetchOptions = {
  policy: { classifyValue: (response) => (response.status === 202 ? 'transient' : undefined) },
  run: undefined,
  fetch: undefined,
  statuses: [...transientStatuses, 599],
  methods: [...idempotentMethods, 'REPORT'],
  notDoneStatuses: undefined,
  idempotencyKeyHeader: 'X-Request-Key',
  onDiscard: async (response, { delayMs }) => void [await response.text(), delayMs],
};
export const fetching: typeof fetch = retryingFetch(fetchOptions);
export const made: readonly Decision[] | undefined = attemptsOf(new Response());

const stepEnvironment: StepEnvironment = { now: 1, startedAt: 0, random: cryptoRandom, idempotencyKey: undefined, logLimit: undefined };
const outcome: Outcome<number> = { error: new Error('x'), committed: undefined };
export const step: Step = nextStep(
  { classifyValue: (value: number) => (value < 0 ? 'transient' : undefined) },
  null,
  outcome,
  stepEnvironment,
);
export const done: RetryState = nextStep({}, step.state, { ok: true }, stepEnvironment).state;
const source: JobSource = { engine: 'table', queue: 'mail', id: '7' };
export const letter: DeadLetter<string> = toDeadLetter(step.state, { payload: 'ann', source, diedAt: 1 });
export const lives: number = isDeadLetter(letter) ? redriveState(letter, { maxRedrives: undefined }).redrives : 0;
export const records: readonly DecisionRecord[] = [toDecisionRecord(step.decision)];
export const cause: ErrorRecord | undefined = toErrorRecord(letter).cause;
export const replayed: Replay = replay({}, records);
export const job: Job<{ to: string }> = { payload: { to: 'ann' }, source: { engine: 'table', queue: 'mail', id: '7' }, state: null };
interface Mail {
  readonly to: string;
}
export const processorOptions = (deadLetters: BullQueue): ProcessorOptions => ({ deadLetters, maxRedrives: undefined, clock: undefined });
export const processor: (job: BullJob & { data: Mail }, token?: string, signal?: AbortSignal) => Promise<number> = retryingProcessor(
  (job: BullJob & { data: Mail }, { attempt }) => job.data.to.length + attempt,
  { classifyValue: (value) => (value > 9 ? 'permanent' : undefined) },
);
export const handlerOptions: HandlerOptions = { maxRedrives: 3, logLimit: undefined };
export const work = (boss: Boss): ((jobs: (BossJob & { data: Mail })[]) => Promise<BossResult<string>[]>) =>
  retryingHandler(boss, (job: BossJob & { data: Mail }) => job.data.to, {}, handlerOptions);
export const interceptorOptions: InterceptorOptions = { onDecision: undefined };
export const policyOf: PolicyOfActivity = ({ activityType }) => (activityType === 'charge' ? { maxAttempts: 2 } : undefined);
export const interceptor = (context: ActivityContext) => retryingActivities(policyOf, interceptorOptions)(context).inbound.execute;
export const executed = (info: ActivityInfo, input: ActivityInput): Promise<unknown> =>
  interceptor({ info, cancellationSignal: new AbortController().signal })(input, async ({ args }) => args.length);
export const forServer: TemporalRetryPolicy = toTemporalRetryPolicy({});
export const settings = [workerOptions.maxStalledCount, queueOptions({}).retryDelay, workOptions.perJobResults, notInTemporalRetryPolicy()];

export const jobEnd: Promise<string> = runJob(({ attempt }) => attempt, {}, job).then((end: JobEnd<number, { to: string }>) => {
  if (end.action === 'succeed') same<typeof end.value, number>(true);
  return end.action === 'dead-letter' ? end.letter.payload.to : end.action === 'retry' ? `${end.decision.delayMs}` : 'done';
});
export const firstDifference: Difference | undefined = replayed.firstDifference;

export const pure: readonly number[] = [
  exponentialBackoff(1, backoff),
  fullJitter(10, cryptoRandom),
  equalJitter(10, randomFrom(Math.random)),
  decorrelatedJitter(10, { baseMs: 100, capMs: 1_000 }, seededRandom(1)),
];
export const resolvedBackoff: ResolvedBackoff = definePolicy({}).backoff;
export const timeBudget: TimeBudget = { elapsedMs: 0, nextAttemptMs: resolvedBackoff.factor, budgetMs: 10 };
export const rows: readonly ScheduleRow[] = previewSchedule({ jitter: 'none' }, 3);
export const fits: boolean = withinBudget({ elapsedMs: 1, nextAttemptMs: 1, budgetMs: 2 });

class Busy extends TransientFailure {
  readonly queue = 'prices';
}
same<ReturnType<typeof markTransient<Busy>>, Busy>(true);
same<ReturnType<typeof markPermanent<Busy>>, Busy>(true);

function describe(error: unknown): string {
  if (isAttemptTimeout(error)) return `${error.limit} ${error.timeoutMs}` satisfies `${AttemptTimeout['limit']} ${number}`;
  if (isDeadLetterError(error)) return error.reason satisfies DeadLetterReason;
  if (isRetryHookError(error)) return error.hook satisfies HookName;
  return isTransient(error) ? 'transient' : 'unknown';
}
export const described: readonly string[] = [
  new AttemptTimeout('budget', 5),
  new DeadLetterError({ error: 'x', reason: 'permanent', log: [], attempts: 1 }),
  new RetryHookError('delay', 'x'),
  new Busy('x', failureOptions),
].map(describe);

function told(decision: Decision): number | DrawRange | undefined {
  switch (decision.action) {
    case 'succeed':
      same<typeof decision, SucceedDecision>(true);
      return decision.elapsedMs;
    case 'retry':
      same<typeof decision, RetryDecision>(true);
      return decision.drawnFrom ?? decision.delayMs;
    case 'dead-letter':
      same<typeof decision, DeadLetterDecision>(true);
      same<typeof decision.judgedBy, JudgedBy | undefined>(true);
      return decision.retryAfterMs;
  }
}

const failure: Failure = { attempt: 1, error: new Busy(), elapsedMs: 5 };
const environment: Environment = { now: 0, random: fixedRandom(0) };
export const line: string = formatDecision(decide(failure, {}, environment), { timeZone: 'Asia/Jakarta' });

class Shop {
  readonly tax = 2;
  readonly price = withRetry(
    async function (this: Shop, item: string, count: number) {
      return item.length * count + this.tax;
    },
    {},
    (item, count) => ({ idempotencyKey: `${item}-${count}`, clock: createSystemClock({ unref: true }) }),
  );
}
same<typeof Shop.prototype.price, (this: Shop, item: string, count: number) => Promise<number>>(true);

async function rehearse(): Promise<string> {
  const options: VirtualClockOptions = { startAt: undefined, autoAdvance: undefined };
  const clock: VirtualClock = virtualClock(options);
  const overridden: DefaultOverrides = { clock, random: undefined, maxAttempts: 3 };
  const override: RestorableOverride = overrideDefaults(overridden);
  const slow: StepOptions = { afterMs: 1_000 };
  const task = scriptedTask(clock).fails(new Busy(), slow).hangs({ untilAborted: true }).returns('sold', slow);
  same<typeof task, ScriptedTask<string>>(true);
  const result = await runWithRetry(task, { attemptTimeoutMs: 5_000, backoff: { baseMs: 0 } });
  override.restore();
  const pending: readonly PendingTimer[] = clock.pending;
  assertNoLeaks(clock);
  const starts = task.calls.map(({ startedAt }: ScriptedCall) => startedAt);
  return [unwrap(result), pending.length, ...starts].join(' ');
}

async function main(): Promise<void> {
  const task: Task<number> = ({ attempt, signal, remainingMs, idempotencyKey, commit }: AttemptContext) => {
    if (attempt < 3) throw new Busy('x', { retryAfterMs: 1 });
    commit();
    return signal.aborted || remainingMs < 1 || idempotencyKey === '' ? 0 : attempt;
  };
  const policy: ResolvedPolicy<number> = definePolicy<number>({ classifyValue: (value) => (value === 0 ? 'permanent' : undefined) });
  const clock: Clock = frozenClock(new Date(0));
  const result: RetryResult<number> = await runWithRetry(task, policy, { clock, onDecision: (decision) => void told(decision) });
  if (result.ok) same<typeof result, Succeeded<number>>(true);
  else same<typeof result, DeadLettered>(true);

  const text = await runWithRetry(() => 'text', { classifyValue: (value) => (value.length > 9 ? 'transient' : undefined) });
  same<typeof text, RetryResult<string>>(true);
  if (text.ok) same<typeof text.value, string>(true);
  // @ts-expect-error there may be no value
  text.value;

  const done = [unwrap(result), result.log.length, await new Shop().price('pear', 2), systemClock.now() > 0, described.join()];
  if (done.join() !== '3,3,10,true,budget 5,permanent,delay,transient') throw new Error(`unexpected: ${done}`);
  const rehearsed = await rehearse();
  if (rehearsed !== 'sold 0 0 1000 6000') throw new Error(`unexpected: ${rehearsed}`);
}

export const finished: Promise<void> = main();
