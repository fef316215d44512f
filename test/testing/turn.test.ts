import { afterEach, describe, expect, it, vi } from 'vitest';

/** The turn as a fresh import chooses it among what the platform has; no other file gets this copy. */
const freshTurn = async (): Promise<() => Promise<void>> => {
  vi.resetModules();
  const { nextTurn } = await import('../../src/testing/turn.js');
  vi.resetModules();
  return () => new Promise((resolve) => nextTurn(() => resolve()));
};

/** As Node before 20.16, and hosts that are not Node. */
const withoutModulesOfNode = () => vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('a turn', () => {
  it.each([
    ['setImmediate', true, {}],
    ['setImmediate among the modules of Node alone', true, { setImmediate: undefined, MessageChannel: undefined }],
    ['setImmediate among the modules of Node, and a fake of it', true, { setImmediate: (() => {}).bind(null), MessageChannel: undefined }],
    ['MessageChannel', false, { setImmediate: undefined }],
    ['MessageChannel, and a fake of setImmediate', false, { setImmediate: (() => {}).bind(null) }],
    ['neither, but setTimeout', false, { setImmediate: undefined, MessageChannel: undefined }],
  ])('comes after all promises have settled, where the platform has %s', async (_name, hasModules, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    if (!hasModules) withoutModulesOfNode();
    const aTurn = await freshTurn();
    const order: string[] = [];
    const turn = aTurn().then(() => order.push('turn'));
    for (let i = 0; i < 1_000; i++) await undefined;
    order.push('promises');
    await turn;
    expect(order).toEqual(['promises', 'turn']);
  });

  it('comes where faked timers are all that there is, if Node has more', async () => {
    for (const name of ['setImmediate', 'MessageChannel']) vi.stubGlobal(name, undefined);
    vi.useFakeTimers();
    const aTurn = await freshTurn();
    await aTurn();
  });

  it('comes in spite of fake timers that are put in place later', async () => {
    const aTurn = await freshTurn();
    vi.useFakeTimers();
    await aTurn();
  });

  it('comes in spite of fake timers that were there at import', async () => {
    vi.useFakeTimers();
    const aTurn = await freshTurn();
    await aTurn();
  });

  it('comes to each of many, in order, through one channel', async () => {
    const channels = vi.fn();
    class Channel extends MessageChannel {
      constructor() {
        super();
        channels();
      }
    }
    vi.stubGlobal('setImmediate', undefined);
    withoutModulesOfNode();
    vi.stubGlobal('MessageChannel', Channel);
    const aTurn = await freshTurn();
    const came: number[] = [];
    await Promise.all([0, 1, 2].map((n) => aTurn().then(() => came.push(n))));
    await aTurn();
    expect([came, channels.mock.calls.length]).toEqual([[0, 1, 2], 1]);
  });

  it('lets real timers have theirs', async () => {
    const aTurn = await freshTurn();
    let isOver = false;
    setTimeout(() => {
      isOver = true;
    }, 1);
    while (!isOver) await aTurn();
  });
});
