import type { Rule } from '../assert.js';

/** A rule for an array of such things. */
export const listOf = (words: string, holds: (entry: never) => boolean): Rule => ({
  words: `an array of ${words}`,
  holds: (list: readonly never[]) => Array.isArray(list) && list.every(holds),
  type: 'object',
});

export const aStatusList: Rule = /* @__PURE__ */ listOf(
  'HTTP statuses',
  (status: number) => Number.isInteger(status) && status >= 100 && status < 600,
);
