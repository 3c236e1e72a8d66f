import { figures, LOAD, times, VALUES } from './assumptions.ts';
import { plan } from './model.ts';

const FACTORS = [1, 10, 100, 1000];

/** The model's tables as Markdown, as docs/operations.md shows them. */
export function tables(): string {
  return `${plans()}\n\n${assumptions()}`;
}

function plans(): string {
  const columns = FACTORS.map((factor) => {
    const load = times(LOAD, factor);
    return { factor, load, plan: plan(load, VALUES) };
  });
  type Column = (typeof columns)[number];
  const row = (words: string, cell: (column: Column) => string) =>
    `| ${[words, ...columns.map(cell)].join(' | ')} |`;
  return [
    row('The load', ({ factor }) => `× ${thousands(factor)}`),
    `|---|${'---|'.repeat(columns.length)}`,
    row('events/s at the peak', ({ load }) => thousands(load.events)),
    row('questions/s', ({ load }) => thousands(load.questions)),
    row('listeners', ({ load }) => thousands(load.listeners)),
    row('spaces', ({ load }) => thousands(load.spaces)),
    row('**database servers**', (column) => `**${thousands(column.plan.databases)}**`),
    row('… what fills them first', (column) => column.plan.bound),
    row('… the fullest has, of the mean', (column) => `${column.plan.fullest.toFixed(2)} ×`),
    row('… its busy cores', (column) => column.plan.busyCores.toFixed(1)),
    row('… its log', (column) => `${column.plan.log.toFixed(0)} MB/s`),
    row('… kept there', (column) => `${column.plan.kept.toFixed(1)} TB`),
    row('… identities beyond its memory', (column) => (column.plan.cold ? 'yes' : 'no')),
    row('**replicas**, all together', (column) => `**${thousands(column.plan.replicas)}**`),
    row('connections to a database', (column) => thousands(column.plan.connections)),
    row(
      'the largest space, of what one database bears',
      (column) => `${(column.plan.largestSpace * 100).toFixed(0)} %`,
    ),
  ].join('\n');
}

function assumptions(): string {
  const rows = Object.values(figures).map(
    ({ words, value, unit, from }) => `| ${words} | ${thousands(value)} ${unit} | ${from} |`,
  );
  return ['| Figure | Value | From |', '|---|---|---|', ...rows].join('\n').replaceAll('  |', ' |');
}

function thousands(value: number): string {
  return value.toLocaleString('en-US');
}
