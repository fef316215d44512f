import { cpus } from 'node:os';
import { markdownTable } from 'markdown-table';
import { libraries, versionOf } from './libraries.mjs';

/**
 * A section of times.
 *
 * @param times  what `sideBySide` answers
 * @param base  the contender that the others are compared with
 * @param goals  `{ measure, figure, unit, limit, because }`: reached if the figure is at most the limit; `because` is what was measured
 *   on the way and says why it is not
 */
export function timeSection(title, times, base, goals = []) {
  return {
    title,
    columns: ['', 'ns', `against ${base}`],
    rows: Object.entries(times.ns).map(([name, ns]) => [name, ns.toFixed(0), `${times.ratio(name, base).toFixed(2)}x`]),
    goals,
  };
}

export const renderSection = ({ title, columns, rows }) => `## ${title}\n\n${table(columns, rows)}\n`;

export function renderReport(sections) {
  const goals = sections.flatMap((section) => section.goals);
  const rows = goals.map(({ measure, figure, unit, limit }) => [
    measure,
    `${shown(figure)} ${unit}`,
    `<= ${shown(limit)} ${unit}`,
    figure <= limit ? 'reached' : 'not reached',
  ]);
  const missed = goals.filter(({ figure, limit, because }) => figure > limit && because !== undefined);
  const reasons = missed.map(({ measure, because }) => `- ${measure}: ${because}`);
  const versions = Object.keys(libraries).map((name) => `${name} ${versionOf(name)}`);
  return [
    '# Results\n',
    `Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus()[0].model}, ${versions.join(', ')}.`,
    'Times and ratios are medians over interleaved rounds in one process; memory, shared signals and imports have fresh processes.\n',
    '## Numbers to reach\n',
    table(['', 'here', 'target', ''], rows),
    '',
    ...(reasons.length === 0 ? [] : [`Why not, as measured in the same run:\n\n${reasons.join('\n')}\n`]),
    ...sections.map(renderSection),
  ].join('\n');
}

const table = ([first, ...others], rows) => markdownTable([[first, ...others], ...rows], { align: ['l', ...others.map(() => 'r')] });

const shown = (figure) => (figure >= 1_000 ? figure.toFixed(0) : String(Number(figure.toPrecision(4))));
