const main = require('retry-policy');
const testing = require('retry-policy/testing');
const check = require('./check.cjs');

afterEach(() => jest.useRealTimers());

test('the clocks give turns, with the timers of the configuration', () => check(main, testing), 2_000);

test.each([{}, { legacyFakeTimers: true }])(
  'the clocks give turns, with timers faked after import: %j',
  async (config) => {
    jest.useFakeTimers(config);
    await check(main, testing);
  },
  2_000,
);
