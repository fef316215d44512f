export { type DeadLetter, isDeadLetter, type JobSource, redriveState, toDeadLetter } from './dead-letter.js';
export type { Difference } from './difference.js';
export { type ErrorRecord, toErrorRecord } from './error-record.js';
export type { Job, JobEnd } from './job.js';
export { nextStep, type Outcome, type Step, type StepEnvironment } from './next-step.js';
export { type DecisionRecord, toDecisionRecord } from './record.js';
export { type Replay, replay } from './replay.js';
export { runJob } from './run-job.js';
export type { RetryState } from './state.js';
