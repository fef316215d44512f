import { mock, test } from 'node:test';
import check from './check.cjs';

mock.timers.enable();
const [main, testing] = await Promise.all([import('retry-policy'), import('retry-policy/testing')]);

test('the clocks give turns, with timers mocked before import', () => check(main, testing));
