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

/**
 * If `read` fails or takes longer than `timeoutMs`, the scrape contains no value of the gauge. While a call is pending, later scrapes
 * wait for the same call.
 */
export interface GaugeOptions extends MetricOptions {
  /** Called at each scrape. */
  readonly read: () => number | Promise<number>;
  /** Default 1,000. */
  readonly timeoutMs?: number;
}

export interface GaugesOptions extends MetricOptions {
  readonly label: string;
  /** Called at each scrape, with the limits of `GaugeOptions`. Returns the gauges by label value. */
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

const READ_TIMEOUT_MS = 1000;

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
    gauge: ({ name, help, read, timeoutMs = READ_TIMEOUT_MS }) => {
      const readInTime = inTime(read, timeoutMs);
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          const value = await readInTime();
          if (value === null) this.remove();
          else this.set(value);
        },
      });
    },
    gauges: ({ name, help, label, read }) => {
      const readInTime = inTime(read, READ_TIMEOUT_MS);
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        async collect() {
          const values = await readInTime();
          this.reset();
          for (const [value, number] of values ?? []) this.set({ [label]: value }, number);
        },
      });
    },
  };
}

/** Returns `null` if `read` fails or does not finish in time. Calls `read` again only after its previous call has ended. */
function inTime<T>(read: () => T | Promise<T>, timeoutMs: number): () => Promise<T | null> {
  let pending: Promise<T | null> | null = null;
  return async () => {
    pending ??= Promise.try(read)
      .catch(() => null)
      .finally(() => {
        pending = null;
      });
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(() => late.resolve(null), timeoutMs);
    try {
      return await Promise.race([pending, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}
