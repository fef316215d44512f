import { expect, it } from 'vitest';
import { textOf } from '../../src/classifiers/facts.js';
import { hostiles, untouchable } from './hostile.js';

it.each<[string, unknown, string]>([
  ['text', 'ECONNRESET', 'ECONNRESET'],
  ['the empty text', '', ''],
  ['a number', 14, ''],
  ['a text in a box', Object('ECONNRESET'), ''],
  ['a list', ['ECONNRESET'], ''],
  ['null', null, ''],
  ['a Proxy whose traps throw', untouchable(), ''],
])('%s under a name is read as text, or as none', (_, code, text) => {
  expect(textOf({ code }, 'code')).toBe(text);
  expect(textOf(Object.create({ code }), 'code')).toBe(text);
  expect(textOf({ name: 'other' }, 'code')).toBe('');
});

it.each(hostiles().filter(([name]) => !/getter|another realm/.test(name)))('%s gives no code', (_, thrown) => {
  expect(textOf(thrown, 'code')).toBe('');
});
