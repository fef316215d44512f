import { mock, test } from 'node:test';
import * as main from 'retry-policy';
import * as testing from 'retry-policy/testing';
import check from './check.cjs';

test('the clocks give turns, with timers mocked after import', async () => {
  mock.timers.enable();
  await check(main, testing);
});
