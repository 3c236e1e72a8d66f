import { figures, LOAD, times, VALUES } from './assumptions.ts';
import { plan } from './model.ts';

const FACTORS = [1, 10, 100, 1000];

export function tables(): string {
  return `${plans()}\n\n${assumptions()}`;
}

function plans(): string {
  const columns = FACTORS.map((factor) => {
    const load = times(LOAD, factor);
    return { factor, load, plan: plan(load, VALUES) };
  });
  type Column = (typeof columns)[number];
  const row = (label: string, cell: (column: Column) => string) =>
    `| ${[label, ...columns.map(cell)].join(' | ')} |`;
  return [
    row('Load', ({ factor }) => `× ${thousands(factor)}`),
    `|---|${'---|'.repeat(columns.length)}`,
    row('events/s at peak load', ({ load }) => thousands(load.events)),
    row('questions/s', ({ load }) => thousands(load.questions)),
    row('listeners', ({ load }) => thousands(load.listeners)),
    row('spaces', ({ load }) => thousands(load.spaces)),
    row('**database servers**', (column) => `**${thousands(column.plan.databases)}**`),
    row('… bottleneck', (column) => column.plan.bound),
    row(
      '… load of the fullest, relative to the mean',
      (column) => `${column.plan.fullest.toFixed(2)} ×`,
    ),
    row('… its busy cores', (column) => column.plan.busyCores.toFixed(1)),
    row('… its write-ahead log', (column) => `${column.plan.log.toFixed(0)} MB/s`),
    row('… its storage', (column) => `${column.plan.kept.toFixed(1)} TB`),
    row('… identities exceed its memory', (column) => (column.plan.cold ? 'yes' : 'no')),
    row('**replicas** in total', (column) => `**${thousands(column.plan.replicas)}**`),
    row('connections per database', (column) => thousands(column.plan.connections)),
    row(
      'share of one database that the largest space needs',
      (column) => `${(column.plan.largestSpace * 100).toFixed(0)} %`,
    ),
  ].join('\n');
}

function assumptions(): string {
  const rows = Object.values(figures).map(
    ({ label, value, unit, source }) => `| ${label} | ${thousands(value)} ${unit} | ${source} |`,
  );
  return ['| Assumption | Value | Source |', '|---|---|---|', ...rows]
    .join('\n')
    .replaceAll('  |', ' |');
}

function thousands(value: number): string {
  return value.toLocaleString('en-US');
}
