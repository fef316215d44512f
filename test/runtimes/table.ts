import type { Reporter, TestModule, TestSuite } from 'vitest/node';

const columns = ['runtime', 'version', 'passed', 'failed', 'of fetch', 'digest of the logs', '10 hours, ms', '10,000 runs, ms', 'row, s'];

/** Prints the matrix when all is done: a line for each row. */
export default class Table implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.flatMap(({ children }) => [...children.suites()].map(cellsOf)).sort(([a = ''], [b = '']) => a.localeCompare(b));
    const cells = [columns, ...rows];
    const widths = cells[0]?.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0))) ?? [];
    for (const line of cells) console.log(line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  }
}

function cellsOf(row: TestSuite): readonly string[] {
  const tests = [...row.children.allTests()];
  const { beganAt = 0, version = '?', told = {} } = tests[0]?.meta().row ?? {};
  const endedAt = Math.max(...tests.map((test) => (test.diagnostic()?.startTime ?? 0) + (test.diagnostic()?.duration ?? 0)));
  const count = (state: string) => String(tests.filter((test) => test.result().state === state).length);
  const fetches = tests.filter(({ name }) => name.startsWith('fetch: ')).length;
  const measured = [told.digest, told.tenHoursMs, told.tenThousandRunsMs].map((value = '') => String(value));
  return [
    row.name,
    version,
    count('passed'),
    count('failed'),
    fetches === 0 ? '' : String(fetches),
    ...measured,
    ((endedAt - beganAt) / 1_000).toFixed(1),
  ];
}
