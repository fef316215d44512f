export { attemptsOf } from '../classifiers/attempts.js';
export type { RetryingFetchOptions } from './options.js';
export { retryingFetch } from './retrying-fetch.js';
