export type { Boss, BossJob, BossResult } from './engine.js';
export { type HandlerOptions, retryingHandler } from './handler.js';
export { queueOptions, workOptions } from './options.js';
