import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface MetricOptions {
  /** The full name, as Prometheus recommends: `gatehouse_events_accepted_total`. */
  readonly name: string;
  readonly help: string;
}

export interface CounterOptions<L extends string> extends MetricOptions {
  /** Labels with few, fixed values: never an id, a URL or other input. */
  readonly labels?: readonly L[];
}

export interface GaugeOptions extends MetricOptions {
  /** Called at each scrape. */
  readonly read: () => number | Promise<number>;
}

export interface GaugesOptions extends MetricOptions {
  /** A label with few, fixed values. */
  readonly label: string;
  /** Called at each scrape. Returns the gauges by value of the label; if it fails, there are none. */
  readonly read: () => Promise<ReadonlyMap<string, number>>;
}

/** The metrics of the process, for Prometheus. */
export interface Metrics {
  readonly registry: Registry;
  /**
   * Creates a counter. On a hot path, call `labels(…)` once and reuse the result: its `inc` takes a fraction of a
   * microsecond.
   */
  counter<L extends string = never>(options: CounterOptions<L>): Counter<L>;
  /** Adds a gauge, such as the length of a queue. */
  gauge(options: GaugeOptions): void;
  /** Adds a gauge per value of a label. */
  gauges(options: GaugesOptions): void;
}

/** Creates a registry with the default metrics of the process and of Node. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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
