import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface MetricOptions {
  /** Full name as Prometheus recommends, for example `gatehouse_events_accepted_total`. */
  readonly name: string;
  readonly help: string;
}

export interface CounterOptions<L extends string> extends MetricOptions {
  /** Names of labels with few, fixed values. Never use an ID, a URL or other input as a value. */
  readonly labels?: readonly L[];
}

export interface GaugeOptions extends MetricOptions {
  /** Called at each scrape. */
  readonly read: () => number | Promise<number>;
}

export interface GaugesOptions extends MetricOptions {
  readonly label: string;
  /**
   * Called at each scrape. Returns the gauges by label value. If the function fails, the scrape contains no gauges of this name.
   */
  readonly read: () => Promise<ReadonlyMap<string, number>>;
}

export interface Metrics {
  readonly registry: Registry;
  /**
   * Creates a counter. On a hot path, call `labels(…)` once and reuse the result, whose `inc` takes less than a microsecond.
   */
  counter<L extends string = never>(options: CounterOptions<L>): Counter<L>;
  gauge(options: GaugeOptions): void;
  gauges(options: GaugesOptions): void;
}

/** Gauges of `prom-client` with the suffix of counters. Each is the sum of another gauge, such as `nodejs_active_handles`. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Creates a registry with the default metrics of the process and of Node. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return {
    registry,
    counter: ({ name, help, labels }) =>
      new Counter({ name, help, labelNames: [...(labels ?? [])], registers: [registry] }),
    gauge: ({ name, help, read }) => {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read());
        },
      });
    },
    gauges: ({ name, help, label, read }) => {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        async collect() {
          this.reset();
          const values = await read().catch(() => new Map<string, number>());
          for (const [value, number] of values) this.set({ [label]: value }, number);
        },
      });
    },
  };
}
