export { frozenClock } from './frozen-clock.js';
export { fixedRandom, seededRandom } from './random.js';
