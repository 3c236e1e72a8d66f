import type { Metrics } from '../../platform/metrics/index.ts';
import type { LiveDeps } from './live.service.ts';

/** Counts listeners that are hung up on, for `/metrics`. */
export function countDropped(metrics: Metrics): LiveDeps['onDropped'] {
  const dropped = metrics.counter({
    name: 'gatehouse_event_listeners_dropped_total',
    help: 'Listeners of the live stream that were hung up on, because they read more slowly than events came.',
  });
  return () => dropped.inc();
}

/** Shows how many listen. */
export function showListeners(metrics: Metrics, read: () => number): void {
  metrics.gauge({
    name: 'gatehouse_event_listeners',
    help: 'Open streams of events.',
    read,
  });
}
