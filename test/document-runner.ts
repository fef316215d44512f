import { createRequire } from 'node:module';
import { format } from 'node:util';
import ts from 'typescript';
import { expect } from 'vitest';

/** What a document's code may use. */
export interface Surroundings {
  /** Names that are there without an import. */
  readonly scope?: Readonly<Record<string, unknown>>;
  /** What can be imported, besides Node's own modules and a test runner. */
  readonly modules?: Readonly<Record<string, unknown>>;
}

type Step = () => unknown;
type Body = (...names: unknown[]) => Promise<void>;

const AsyncFunction = (async () => {}).constructor as new (...parameters: string[]) => Body;
const nodeModule = createRequire(import.meta.url);

/**
 * Runs code as a document shows it, and checks what it says of itself:
 *
 * - `expression // => value` (or `const name = expression // => value`): both, awaited, are deeply equal
 * - `//> text`: the next line that `console.log` wrote; a document that shows output shows all of it
 * - `test(name, body)` of vitest: the body is run at the end, between those of `beforeEach` and `afterEach`
 */
export async function runDocument(code: string, { scope = {}, modules = {} }: Surroundings = {}): Promise<void> {
  const lines: string[] = [];
  const runner = testRunner();
  let shown = 0;
  const given: Record<string, unknown> = {
    ...scope,
    exports: {},
    require: (name: string) => moduleNamed(name, { vitest: runner.module, ...modules }),
    console: { ...console, log: (...values: unknown[]) => lines.push(...format(...values).split('\n')) },
    $equal: (actual: unknown, expected: unknown, where: string) => expect(actual, where).toStrictEqual(expected),
    $printed: (text: string, where: string) => expect(lines[shown++]?.trimEnd(), where).toBe(text),
  };
  // The inner braces let a document declare a name that is in its scope.
  await new AsyncFunction(...Object.keys(given), `'use strict';{${translate(instrument(code))}\n}`)(...Object.values(given));
  await runner.run();
  if (shown > 0) expect(lines.slice(shown), 'output that is not shown').toEqual([]);
}

function moduleNamed(name: string, modules: Readonly<Record<string, unknown>>): unknown {
  if (Object.hasOwn(modules, name)) return modules[name];
  if (name.startsWith('node:')) return nodeModule(name);
  throw new Error(`a document cannot import ${name}`);
}

/** Stands in for the test runner that a document's tests are written for. */
function testRunner() {
  const before: Step[] = [];
  const tests: Step[] = [];
  const after: Step[] = [];
  const test = (_name: string, body: Step) => void tests.push(body);
  const module = {
    ...{ test, it: test, describe: (_name: string, body: () => void) => body(), expect },
    beforeEach: (step: Step) => void before.push(step),
    afterEach: (step: Step) => void after.unshift(step),
  };
  const each = async (steps: readonly Step[]) => {
    for (const step of steps) await step();
  };
  const run = () => each(tests.map((body) => () => each([...before, body]).finally(() => each(after))));
  return { module, run };
}

function translate(code: string): string {
  const { outputText, diagnostics = [] } = ts.transpileModule(code, {
    reportDiagnostics: true,
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true },
  });
  if (diagnostics.length > 0) throw new SyntaxError(ts.formatDiagnostics(diagnostics, host));
  return outputText;
}

const host: ts.FormatDiagnosticsHost = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => '', getNewLine: () => '\n' };

/** Turns the comments that tell results into checks, and changes no line number. */
export function instrument(code: string): string {
  const source = ts.createSourceFile('document.ts', code, ts.ScriptTarget.ES2022, true);
  const insertions: { readonly at: number; readonly text: string }[] = [];
  const handled = new Set<number>();
  const where = (at: number) => JSON.stringify(lineAt(code, at));

  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isExpressionStatement(node) && !ts.isVariableStatement(node)) return;
    const comment = ts.getTrailingCommentRanges(code, node.end)?.[0];
    const value = comment && /^\/\/ => (.+)$/.exec(code.slice(comment.pos, comment.end))?.[1];
    if (comment === undefined || value === undefined) return;
    const wait = mayAwait(node) ? 'await ' : '';
    const end = `, ${wait}(${value}), ${where(comment.pos)});`;
    if (ts.isExpressionStatement(node)) {
      const { expression } = node;
      insertions.push({ at: expression.getStart(source), text: `;$equal(${wait}(` }, { at: expression.end, text: `)${end}` });
    } else {
      const name = node.declarationList.declarations.at(-1)?.name;
      if (name === undefined || !ts.isIdentifier(name)) return;
      insertions.push({ at: node.end, text: `;$equal(${wait}${name.text}${end}` });
    }
    handled.add(comment.pos);
  };
  visit(source);

  for (const { index } of code.matchAll(/\/\/ =>/g)) {
    if (!handled.has(index)) throw new SyntaxError(`no statement ends before this "// =>": ${lineAt(code, index)}`);
  }
  for (const { 1: text = '', index } of code.matchAll(/\/\/>(?: (.*))?$/gm)) {
    insertions.push({ at: index, text: `;$printed(${JSON.stringify(text.trimEnd())}, ${where(index)});` });
  }
  let instrumented = code;
  for (const { at, text } of insertions.sort((a, b) => b.at - a.at))
    instrumented = instrumented.slice(0, at) + text + instrumented.slice(at);
  return instrumented;
}

const lineAt = (code: string, at: number): string => {
  const number = code.slice(0, at).split('\n').length;
  return `line ${number}: ${code.split('\n')[number - 1]?.trim()}`;
};

/** Whether `await` may stand there: at the top, or in an async function. */
function mayAwait(node: ts.Node): boolean {
  const outer = ts.findAncestor(node, ts.isFunctionLike);
  return (
    outer === undefined ||
    (ts.canHaveModifiers(outer) && (ts.getModifiers(outer) ?? []).some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword))
  );
}
