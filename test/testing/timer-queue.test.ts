import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TimerQueue } from '../../src/testing/timer-queue.js';

type Step = readonly ['add', number] | readonly ['remove', number] | readonly ['take'];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(fc.constant('add' as const), fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 1_000 }))),
  },
  { weight: 3, arbitrary: fc.tuple(fc.constant('remove' as const), fc.nat()) },
  { weight: 2, arbitrary: fc.constant(['take'] as const) },
);

it('keeps timers by due time, then by arrival, whatever is added and taken out', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const queue = new TimerQueue();
      const removals: { readonly timer: { readonly dueMs: number }; readonly remove: () => void }[] = [];
      let model: { readonly dueMs: number; readonly wake: () => void }[] = [];
      for (const [action, number] of steps) {
        if (action === 'add') {
          const timer = { kind: 'timer', dueMs: number, wake: () => {} } as const;
          removals.push({ timer, remove: queue.add(timer) });
          model.push(timer);
          model.sort((a, b) => a.dueMs - b.dueMs); // stable: those that are due together stay in order of arrival
        } else if (action === 'remove') {
          const removal = removals[number % removals.length];
          removal?.remove(); // also of what is out already
          model = model.filter((timer) => timer !== removal?.timer);
        } else if (model.length > 0) {
          expect(queue.takeFirst().wake).toBe(model.shift()?.wake);
        }
        expect(queue.inOrder().map(({ wake }) => wake)).toEqual(model.map(({ wake }) => wake));
        expect(queue.first?.wake).toBe(model[0]?.wake);
      }
    }),
    { numRuns: 300 },
  );
});
