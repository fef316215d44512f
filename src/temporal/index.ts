export type { ActivityContext, ActivityInfo, ActivityInput } from './engine.js';
export { type InterceptorOptions, type PolicyOfActivity, retryingActivities } from './interceptor.js';
export { notInTemporalRetryPolicy, type TemporalRetryPolicy, toTemporalRetryPolicy } from './to-temporal.js';
