export type { BullJob, BullQueue } from './engine.js';
export { type ProcessorOptions, retryingProcessor } from './processor.js';
export { workerOptions } from './worker-options.js';
