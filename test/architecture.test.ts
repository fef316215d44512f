import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));
const paths = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => path.replaceAll('\\', '/'));
const read = (path: string) => readFileSync(`${src}/${path}`, 'utf8');
const modules = paths.filter((path) => !path.includes('/'));

/** From the bottom to the top: a module imports only from those before it. */
const order = [
  ...['assert', 'options', 'realm', 'backoff', 'jitter', 'budget', 'clock', 'override', 'random', 'abort', 'host-clock', 'system-clock'],
  ...['mark', 'failure', 'classify', 'decision', 'hook', 'policy', 'delay', 'decide', 'schedule', 'outcome', 'run-options', 'stopwatch'],
  ...['attempt', 'run', 'run-with-retry', 'with-retry'],
  'index',
];

/** The names that a file uses, wherever they stand but in comments and texts, and what it imports. */
function look(path: string) {
  const words = new Set<string>();
  const imports: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) words.add(node.text);
    if (ts.isPropertyAccessExpression(node)) words.add(`${node.expression.getText(file)}.${node.name.text}`);
    if (ts.isStringLiteral(node) && (ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent))) imports.push(node.text);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) imports.push('import()');
    node.forEachChild(visit);
  };
  const file = ts.createSourceFile(path, read(path), ts.ScriptTarget.ES2022, true);
  visit(file);
  return { words, imports };
}

describe('the arrows of import', () => {
  it('are drawn for every module', () => {
    expect(modules.map((path) => path.slice(0, -'.ts'.length)).sort()).toEqual([...order].sort());
  });

  it.each(order.map((name, place) => [name, order.slice(0, place)] as const))('of %s point only to modules below it', (name, below) => {
    const { imports } = look(`${name}.ts`);
    expect(imports.filter((path) => !below.some((other) => path === `./${other}.js`))).toEqual([]);
  });

  const targetsOf = (path: string) =>
    look(path).imports.map((target) => (target.startsWith('.') ? posix.join(posix.dirname(path), target) : target).replace(/\.js$/, '.ts'));

  /** What a folder may use beside itself and the core. */
  const foundations: Record<string, readonly string[]> = {
    fetch: ['classifiers'],
    bullmq: ['durable'],
    'pg-boss': ['durable'],
    temporal: ['durable', '@temporalio/common'],
  };

  it.each(paths.filter((path) => path.includes('/')))('of %s point to its own folder, to the core, and to what it is built on', (path) => {
    const folder = posix.dirname(path);
    const usable = ['.', folder, ...(foundations[folder] ?? [])];
    const allowed = (target: string) => usable.includes(paths.includes(target) ? posix.dirname(target) : target);
    expect(targetsOf(path).filter((target) => !allowed(target) || target === 'index.ts')).toEqual([]);
  });

  it.each(paths)('of %s never lead back to it', (path) => {
    const reached = new Set<string>();
    const follow = (from: string): void => {
      for (const target of targetsOf(from).filter((other) => paths.includes(other) && !reached.has(other))) {
        reached.add(target);
        follow(target);
      }
    };
    follow(path);
    expect(reached).not.toContain(path);
  });
});

describe('time and chance', () => {
  const ambient = [
    ...['Date', 'performance', 'Math.random', 'crypto', 'Temporal', 'process', 'console', 'queueMicrotask', 'MessageChannel'],
    ...['setTimeout', 'setInterval', 'setImmediate', 'requestAnimationFrame', 'requestIdleCallback'],
    'AbortSignal.any', // on Node 20 it holds every signal that it has made of a long-lived one (nodejs/node#55351)
    'AbortSignal.timeout', // its timer cannot be taken back
  ];
  const allowed: Record<string, string[]> = {
    'classifiers/http-date.ts': ['Date'], // pure calendar arithmetic
    'host-clock.ts': ['Date', 'performance', 'setImmediate', 'setTimeout'],
    'random.ts': ['Math.random', 'crypto'],
    'testing/frozen-clock.ts': ['Date'], // as a type
    'testing/instant.ts': ['Date'],
    'testing/no-leaks.ts': ['process'],
    'testing/turn.ts': ['MessageChannel', 'process', 'setImmediate', 'setTimeout'],
    'testing/virtual-clock.ts': ['Date'], // as a type
    'testing/virtual-time.ts': ['Date'], // as a type
  };

  it.each(paths)('are named in %s only where they are injected from', (path) => {
    const { words } = look(path);
    expect(ambient.filter((name) => words.has(name)).sort()).toEqual(allowed[path] ?? []);
  });
});

it.each(paths)('%s is short', (path) => {
  expect(read(path).trimEnd().split('\n').length).toBeLessThanOrEqual(160);
});

describe('importing the main entry', () => {
  /** Runs it in a realm of its own, which has the language and, of the platform, what is given. */
  const importInto = (platform: object) => {
    const context = createContext(platform);
    const globals = (): PropertyKey[] => runInContext('Reflect.ownKeys(globalThis)', context);
    const before = globals();
    const loaded = new Map<string, object>();
    const load = (path: string): object => {
      const known = loaded.get(path);
      if (known !== undefined) return known;
      const exports = {};
      loaded.set(path, exports);
      const { outputText } = ts.transpileModule(read(path.replace(/\.js$/, '.ts')), {
        compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
      });
      const require = (target: string) => load(posix.join(posix.dirname(path), target));
      runInContext(`(function (exports, require) { ${outputText}\n})`, context)(exports, require);
      return exports;
    };
    const entry = load('index.js');
    return { entry, left: globals().filter((key) => !before.includes(key)) };
  };

  it('touches nothing of the platform, and leaves nothing behind', () => {
    const touched: string[] = [];
    const platform = {};
    const traps = [
      ...['AbortController', 'AbortSignal', 'Date', 'Intl', 'Math', 'MessageChannel', 'clearImmediate', 'clearTimeout', 'console'],
      ...['crypto', 'performance', 'process', 'queueMicrotask', 'setImmediate', 'setTimeout'],
    ];
    for (const name of traps) Object.defineProperty(platform, name, { get: () => touched.push(name) });
    const { left } = importInto(platform);
    expect(touched).toEqual([]);
    expect(left).toEqual([]);
  });

  it('is possible where the platform has nothing but the language, and gives the public names', () => {
    expect(Object.keys(importInto({}).entry).sort()).toEqual([
      ...['AttemptTimeout', 'DeadLetterError', 'RetryHookError', 'TransientFailure', 'createSystemClock', 'cryptoRandom', 'decide'],
      ...['decorrelatedJitter', 'definePolicy', 'equalJitter', 'exponentialBackoff', 'formatDecision', 'fullJitter', 'isAttemptTimeout'],
      ...['isDeadLetterError', 'isRetryHookError', 'isTransient', 'markPermanent', 'markTransient', 'markedFailures', 'previewSchedule'],
      ...['randomFrom', 'runWithRetry', 'systemClock', 'unwrap', 'withRetry', 'withinBudget'],
    ]);
  });
});
