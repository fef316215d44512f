import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cancelBody } from '../../src/fetch/cancel-body.js';
import { answer } from './scripted-fetch.js';

const unhandled = vi.fn();
beforeEach(() => void process.on('unhandledRejection', unhandled));
afterEach(async () => {
  await new Promise<void>((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

describe('a body that nobody will read', () => {
  it('is cancelled at once', () => {
    const busy = answer(503);
    expect(cancelBody(busy.response)).toBeUndefined();
    expect(busy.isCancelled).toBe(true);
  });

  it('is destroyed at once, if it is a stream of Node', () => {
    const destroy = vi.fn();
    cancelBody({ body: { destroy } } as never);
    expect(destroy).toHaveBeenCalledOnce();
  });

  it.each<[string, () => Response]>([
    ['none at all', () => new Response(null)],
    [
      'one whose cancellation throws',
      () =>
        ({
          body: {
            cancel: () => {
              throw new Error('no');
            },
          },
        }) as never,
    ],
    ['one whose cancellation rejects', () => new Response(new ReadableStream({ cancel: () => Promise.reject(new Error('no')) }))],
    ['one that has failed', () => new Response(new ReadableStream({ start: (controller) => controller.error(new Error('cut')) }))],
    ['one of a mock, which cannot be cancelled', () => ({ body: 'text' }) as never],
  ])('may be %s', (_, response) => {
    expect(() => cancelBody(response())).not.toThrow();
  });

  it('stays with its reader', async () => {
    const { response } = answer(200);
    const reader = response.body?.getReader();
    cancelBody(response);
    expect((await reader?.read())?.done).toBe(false);
  });
});
