import { existsSync } from 'node:fs';
import * as main from 'retry-policy';
import * as bullmq from 'retry-policy/bullmq';
import * as classifiers from 'retry-policy/classifiers';
import * as durable from 'retry-policy/durable';
import * as fetching from 'retry-policy/fetch';
import * as pgBoss from 'retry-policy/pg-boss';
import * as temporal from 'retry-policy/temporal';
import * as testing from 'retry-policy/testing';
import { describe, expect, test } from 'vitest';
import { runDocument } from './document-runner.js';
import { blocksOf, examplesOf, read, sourceFiles, valuesExportedBy } from './documents.js';
import { isForAnotherRunner } from './recipes/readme.js';

const modules = {
  'retry-policy': main,
  'retry-policy/bullmq': bullmq,
  'retry-policy/classifiers': classifiers,
  'retry-policy/durable': durable,
  'retry-policy/fetch': fetching,
  'retry-policy/pg-boss': pgBoss,
  'retry-policy/temporal': temporal,
  'retry-policy/testing': testing,
};
const entries = [
  { file: 'src/index.ts', names: main },
  { file: 'src/bullmq/index.ts', names: bullmq },
  { file: 'src/classifiers/index.ts', names: classifiers },
  { file: 'src/durable/index.ts', names: durable },
  { file: 'src/fetch/index.ts', names: fetching },
  { file: 'src/pg-boss/index.ts', names: pgBoss },
  { file: 'src/temporal/index.ts', names: temporal },
  { file: 'src/testing/index.ts', names: testing },
];

describe('README.md', () => {
  const all = existsSync(new URL('../README.md', import.meta.url)) ? blocksOf(read('README.md')) : [];
  const blocks = all.filter(({ name }) => !isForAnotherRunner(name));

  test('has code blocks', () => expect(blocks).not.toEqual([]));

  for (const { name, code } of blocks) test(name, () => runDocument(code, { modules }));
});

describe('the examples of the doc comments', () => {
  for (const file of sourceFiles()) {
    for (const { name, code } of examplesOf(file, read(file))) {
      test(name, async () => {
        expect.hasAssertions();
        await runDocument(code, {
          scope: { ...main, ...classifiers, ...durable, ...fetching, ...bullmq, ...pgBoss, ...temporal, ...testing },
        });
      });
    }
  }
});

for (const { file, names } of entries) {
  describe(file, () => {
    const exports = valuesExportedBy(file);
    const isFunction = (name: string) => typeof (names as Record<string, unknown>)[name] === 'function';

    test('exports what its doc comments are read from', () => {
      expect(exports.map(({ name }) => name).sort()).toEqual(Object.keys(names).sort());
    });

    test('exports nothing without a doc comment', () => {
      expect(exports.filter(({ isDocumented }) => !isDocumented).map(({ name }) => name)).toEqual([]);
    });

    test('exports no function or class without an example', () => {
      expect(exports.filter(({ name, hasExample }) => isFunction(name) && !hasExample).map(({ name }) => name)).toEqual([]);
    });
  });
}

test('the blocks of a text are those in ts and js, each with the heading above it', () => {
  const text = ['```ts', 'a()', '```', '# One', '```sh', '# not run', '```', '## The `two`', '```js', 'b()', 'c()', '```', '```ts', '```'];
  expect(blocksOf(text.join('\n'))).toEqual([
    { name: 'top', language: 'ts', code: 'a()\n' },
    { name: 'The two', language: 'js', code: 'b()\nc()\n' },
    { name: 'The two (2)', language: 'ts', code: '' },
  ]);
});

test('the examples of a file are those of its functions, constants, classes and members', () => {
  const example = (code: string) => `/**\n * Text.\n *\n * @example\n * ${code}\n */\n`;
  const text = `${example('a()')}export function a() {}\n${example('b()\n *   .c()')}export const b = a;\n${example('new D()')}class D {\n${example('D.e()')}static e() {} }`;
  expect(examplesOf('x.ts', text).map(({ name, code }) => [name, code])).toEqual([
    ['x.ts: a', 'a()'],
    ['x.ts: b', 'b()\n  .c()'],
    ['x.ts: D', 'new D()'],
    ['x.ts: D.e', 'D.e()'],
  ]);
});

describe('a document is refused if it', () => {
  test.each([
    ['tells a wrong value', '1 + 1 // => 3', /^line 1: 1 \+ 1.* expected 2 to strictly equal 3/],
    ['tells a wrong value of a constant', 'const x = { a: [1] } // => { a: [2] }', /strictly equal/],
    ['tells a wrong value of a promise', 'Promise.resolve(1) // => 2', /expected 1 to strictly equal 2/],
    ['tells a wrong value in a function', 'const f = () => {\n  1 // => 2\n}\nf()', /^line 2: .* expected 1 to/],
    ['shows output that did not come', "console.log('a')\n//> a\n//> b", /^line 3: .* expected undefined to be 'b'/],
    ['shows other output than came', "console.log('a', { b: 1 })\n//> a { b: 2 }", /expected 'a { b: 1 }' to be/],
    ['hides output', "console.log('a\\nb')\n//> a", /output that is not shown/],
    ['tells the value of no statement', 'if (true) {} // => 1', /no statement ends before/],
    ['joins two lines that should be two statements', '1 // => 1\n[2][0] // => 2', /no statement ends before .* line 1/],
    ['has a test that fails', "import { expect, test } from 'vitest'\ntest('x', async () => expect(1).toBe(2))", /expected 1 to be 2/],
    ['imports what does not exist', "import { retry } from 'retry'\nretry()", /cannot import retry/],
    ['is no TypeScript', 'const = 1', /Variable declaration expected/],
    ['throws', "throw new Error('its own')", /its own/],
  ])('%s', async (_, code, message) => {
    await expect(runDocument(code, { modules })).rejects.toThrow(message);
  });
});

test('a document with imports, types, output and tests passes', async () => {
  const ran: string[] = [];
  await runDocument(
    `import { expect, test } from 'vitest';
import { type Clock, decide as choose, type RetryPolicy } from 'retry-policy';
import * as os from 'node:os';
const policy: RetryPolicy = {};
const { now }: Pick<Clock, 'now'> = { now: () => 1 }; now() // => 1
const typed = typeof os.cpus; // => 'function'
[1, 2].map((n) => n * 2); // => [2, 4]
const decide = choose;
console.log('%s', typeof decide);
console.log(policy);
//> function
//> {}
test('x', () => { ran.push('a test'); expect(1).toBe(1); });
ran.push('the block');`,
    { modules, scope: { ran } },
  );
  expect(ran).toEqual(['the block', 'a test']);
});

describe('the tests of a document run', () => {
  const document = (body: string) => `import { afterEach, beforeEach, test } from 'vitest';
beforeEach(async () => { ran.push('before'); });
afterEach(() => ran.push('after'));
afterEach(async () => { ran.push('after, the later first'); });
test('one', async () => { ran.push('one'); ${body} });
test('two', () => { ran.push('two'); });`;
  const around = (name: string) => ['before', name, 'after, the later first', 'after'];

  test('between its beforeEach and its afterEach', async () => {
    const ran: string[] = [];
    await runDocument(document(''), { scope: { ran } });
    expect(ran).toEqual([...around('one'), ...around('two')]);
  });

  test('up to the first that fails, which is cleaned up after', async () => {
    const ran: string[] = [];
    await expect(runDocument(document("throw new Error('its own')"), { scope: { ran } })).rejects.toThrow('its own');
    expect(ran).toEqual(around('one'));
  });
});
