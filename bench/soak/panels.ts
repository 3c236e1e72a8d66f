import type { Panel } from '../lib/plot.ts';
import type { Sample } from './samples.ts';

/** Returns the panels of the plot of all samples. */
export function panelsOf(samples: readonly Sample[]): Panel[] {
  const line = (name: string, y: (sample: Sample) => number | undefined) => ({
    name,
    points: samples.flatMap((one) => {
      const value = y(one);
      return value === undefined || Number.isNaN(value) ? [] : [[one.minute, value] as const];
    }),
  });
  const kinds = Object.keys(samples.at(-1)?.latencies ?? {});
  const tables = (samples.at(-1)?.tables ?? []).slice(0, 8).map(({ table }) => table);
  const sizeOf = (sample: Sample, name: string) =>
    sample.tables.find(({ table }) => table === name);
  const each = (of: (sample: Sample, index: number) => number | undefined) =>
    (samples[0]?.rssMB ?? []).map((_, index) =>
      line(`replica ${index + 1}`, (one) => of(one, index)),
    );
  return [
    { title: 'Resident memory, MB', series: each((one, index) => one.rssMB[index]) },
    { title: 'Used heap, MB', series: each((one, index) => one.heapMB[index]) },
    { title: 'Open handles', series: each((one, index) => one.handles[index]) },
    {
      title: 'Median latency, ms',
      series: kinds.map((kind) => line(kind, (one) => one.latencies[kind]?.p50)),
    },
    {
      title: '99th percentile, ms',
      series: kinds.map((kind) => line(kind, (one) => one.latencies[kind]?.p99)),
    },
    ...(tables.length === 0
      ? []
      : [
          {
            title: 'Largest tables with their indexes, MB',
            series: tables.map((name) => line(name, (one) => sizeOf(one, name)?.megabytes)),
          },
          {
            title: 'Dead rows',
            series: tables.map((name) => line(name, (one) => sizeOf(one, name)?.dead)),
          },
        ]),
  ];
}
