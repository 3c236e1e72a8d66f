import type { Metrics } from '../../platform/metrics/index.ts';
import type { Consumer } from '../../streams/consumers/index.ts';
import type { Outcome } from './apply-event.service.ts';

/** Counts document events by result, for `/metrics`. */
export function countDocumentEvents(metrics: Metrics): (outcome: Outcome) => void {
  const events = metrics.counter({
    name: 'gatehouse_document_events_total',
    help: 'Events about documents that were looked at, by what became of them; passed: had its effect before.',
    labels: ['outcome'],
  });
  return (outcome) => events.labels(outcome).inc();
}

/** Adds the gauge of events that the consumer has not processed, over all spaces. */
export function showDocumentEventsLag(metrics: Metrics, lags: Consumer['lags']): void {
  metrics.gauge({
    name: 'gatehouse_document_events_lag',
    help: 'Events of any type that were not looked at yet for what they say of documents.',
    read: async () => [...(await lags()).values()].reduce((sum, lag) => sum + lag, 0),
  });
}
