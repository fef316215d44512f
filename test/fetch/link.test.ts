import { describe, expect, it } from 'vitest';
import { keepForBody, link } from '../../src/fetch/link.js';
import { countedSignal } from '../counted-signal.js';
import { collectedUntil, collectGarbage } from './garbage.js';
import { answer } from './scripted-fetch.js';

const reasons: [string, unknown][] = [
  ['an error', new Error('stop')],
  ['a text', 'stop'],
  ['null', null],
  ['0', 0],
];

describe('a link', () => {
  it.each(reasons)('hands on the reason of whichever signal aborts first: %s', (_, reason) => {
    for (const which of [0, 1] as const) {
      const signals = [countedSignal(), countedSignal()] as const;
      const { signal } = link(signals.map((one) => one.signal));
      expect(signal.aborted).toBe(false);
      signals[which].counts.abort(reason);
      signals[1 - which]?.counts.abort('too late');
      expect([signal.aborted, signal.reason]).toEqual([true, reason]);
    }
  });

  it.each(reasons)('is aborted from the start by a signal that is: %s', (_, reason) => {
    expect(link([new AbortController().signal, AbortSignal.abort(reason)]).signal).toMatchObject({ aborted: true, reason });
  });

  it('takes an AbortError where there is no reason', () => {
    const { counts, signal } = countedSignal();
    const linked = link([signal]);
    counts.abort(undefined);
    expect(linked.signal.reason).toMatchObject({ name: 'AbortError' });
    expect(link([signal]).signal.reason).toMatchObject({ name: 'AbortError' });
  });

  it('can be aborted by itself, and leaves the signals alone', () => {
    const { counts, signal } = countedSignal();
    const linked = link([signal]);
    linked.abort('time is up');
    expect([linked.signal.reason, counts.aborted]).toEqual(['time is up', false]);
  });

  it('has one listener on a signal with all others, until the last is let go of', () => {
    const { counts, signal } = countedSignal();
    const links = [link([signal]), link([signal]), link([signal, signal])];
    expect(counts.listeners).toHaveLength(1);
    links[0]?.release();
    links[0]?.release();
    links[1]?.release();
    expect(counts.listeners).toHaveLength(1);
    links[2]?.release();
    expect(counts.listeners).toHaveLength(0);
    counts.abort('stop');
    expect(links.map((one) => one.signal.aborted)).toEqual([false, false, false]);
  });
});

describe('a link that is kept for a body', () => {
  it('is let go of at once where there is none', () => {
    const { counts, signal } = countedSignal();
    keepForBody(new Response(null), link([signal]), undefined);
    expect(counts.listeners).toHaveLength(0);
  });

  it('is let go of when the body is collected', async () => {
    const { counts, signal } = countedSignal();
    keepForBody(answer(200).response, link([signal]), undefined);
    expect(counts.listeners).toHaveLength(1);
    expect(await collectedUntil(() => counts.listeners.length === 0)).toBe(true);
  });

  it('is kept while the body is, even if the response is not', async () => {
    const { counts, signal } = countedSignal();
    const { body, linked } = kept(signal);
    await collectGarbage();
    expect(counts.listeners).toHaveLength(1);
    counts.abort('stop');
    expect([linked.deref()?.aborted, body.locked]).toEqual([true, false]);
  });

  it('keeps what was asked for along', async () => {
    const { counts, signal } = countedSignal();
    const { body, input } = kept(signal);
    await collectGarbage();
    expect([input.deref() === undefined, counts.listeners.length, body.locked]).toEqual([false, 1, false]);
  });

  /** Holds nothing but the body. */
  function kept(signal: AbortSignal) {
    const { response } = answer(200);
    const linked = link([signal]);
    const input = { url: 'https://example.com/' };
    keepForBody(response, linked, input);
    return { body: response.body as ReadableStream, linked: new WeakRef(linked.signal), input: new WeakRef(input) };
  }
});
