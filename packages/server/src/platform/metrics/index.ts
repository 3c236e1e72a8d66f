import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface MetricOptions {
  /** The whole name, by Prometheus' rules: `gatehouse_events_accepted_total`. */
  readonly name: string;
  readonly help: string;
}

export interface CounterOptions<L extends string> extends MetricOptions {
  /** Names of labels whose values are few and fixed: never an id, a URL or anything a caller sends. */
  readonly labels?: readonly L[];
}

export interface GaugeOptions extends MetricOptions {
  /** Asked at each scrape. */
  readonly read: () => number | Promise<number>;
}

export interface GaugesOptions extends MetricOptions {
  /** A label whose values are few and fixed. */
  readonly label: string;
  /** Asked at each scrape: the value for each value of the label. While it fails, there are none. */
  readonly read: () => Promise<ReadonlyMap<string, number>>;
}

/** What the process counts, for Prometheus. Every module may add to it. */
export interface Metrics {
  readonly registry: Registry;
  /**
   * A count that only grows. On a hot path, call `labels(…)` once and keep what it gives: its `inc`
   * costs a fraction of a microsecond.
   */
  counter<L extends string = never>(options: CounterOptions<L>): Counter<L>;
  /** A value of the moment, such as the length of a queue. */
  gauge(options: GaugeOptions): void;
  /** The same for several of a kind. */
  gauges(options: GaugesOptions): void;
}

/** A collection of its own, with the usual figures of the process and of Node in it. */
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
