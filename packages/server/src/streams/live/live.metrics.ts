import type { Metrics } from '../../platform/metrics/index.ts';
import type { LiveDeps } from './live.service.ts';

export function countDropped(metrics: Metrics): LiveDeps['onDropped'] {
  const dropped = metrics.counter({
    name: 'gatehouse_event_listeners_dropped_total',
    help: 'Listeners of the live stream that were disconnected because they read too slowly.',
  });
  return () => dropped.inc();
}

export function showListeners(metrics: Metrics, read: () => number): void {
  metrics.gauge({
    name: 'gatehouse_event_listeners',
    help: 'Open event streams.',
    read,
  });
}
