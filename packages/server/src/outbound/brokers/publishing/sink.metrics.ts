import type { Metrics } from '../../../platform/metrics/index.ts';
import type { SinkFailureReason } from '../event-sink.ts';

/** Counters for `/metrics`. */
export interface CountSinks {
  published(sink: string, events: number): void;
  /** Events that were dropped because they are too large. */
  skipped(sink: string, events: number): void;
  /** A page that failed and is retried. */
  failed(sink: string, reason: SinkFailureReason | 'internal'): void;
}

/** @param lags number of unpublished events by sink. */
export function countSinks(
  metrics: Metrics,
  lags: () => Promise<ReadonlyMap<string, number>>,
): CountSinks {
  const events = metrics.counter({
    name: 'gatehouse_sink_events_total',
    help: 'Events that went on to a broker, or were left out because they are too large for it.',
    labels: ['sink', 'outcome'],
  });
  const failures = metrics.counter({
    name: 'gatehouse_sink_failures_total',
    help: 'Attempts to publish that failed and are made again.',
    labels: ['sink', 'reason'],
  });
  metrics.gauges({
    name: 'gatehouse_sink_lag_events',
    help: 'Accepted events that a broker does not have yet.',
    label: 'sink',
    read: lags,
  });
  return {
    published: (sink, count) => events.labels(sink, 'published').inc(count),
    skipped: (sink, count) => events.labels(sink, 'skipped').inc(count),
    failed: (sink, reason) => failures.labels(sink, reason).inc(),
  };
}
