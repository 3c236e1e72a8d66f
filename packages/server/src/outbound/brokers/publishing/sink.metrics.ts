import type { Metrics } from '../../../platform/metrics/index.ts';
import type { SinkFailureReason } from '../event-sink.ts';

export interface CountSinks {
  published(sink: string, events: number): void;
  skipped(sink: string, events: number): void;
  failed(sink: string, reason: SinkFailureReason | 'internal'): void;
}

/** @param lags returns the number of unpublished events by sink. */
export function countSinks(
  metrics: Metrics,
  lags: () => Promise<ReadonlyMap<string, number>>,
): CountSinks {
  const events = metrics.counter({
    name: 'gatehouse_sink_events_total',
    help: 'Events that were published to a broker or skipped because they exceed its size limit.',
    labels: ['sink', 'outcome'],
  });
  const failures = metrics.counter({
    name: 'gatehouse_sink_failures_total',
    help: 'Failed attempts to publish a page of events. Every attempt is retried.',
    labels: ['sink', 'reason'],
  });
  metrics.gauges({
    name: 'gatehouse_sink_lag_events',
    help: 'Accepted events that are not yet published to a broker.',
    label: 'sink',
    read: lags,
  });
  return {
    published: (sink, count) => events.labels(sink, 'published').inc(count),
    skipped: (sink, count) => events.labels(sink, 'skipped').inc(count),
    failed: (sink, reason) => failures.labels(sink, reason).inc(),
  };
}
