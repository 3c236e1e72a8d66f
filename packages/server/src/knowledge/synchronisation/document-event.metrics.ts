import type { Metrics } from '../../platform/metrics/index.ts';
import type { Consumer } from '../../streams/consumers/index.ts';
import type { Outcome } from './apply-event.service.ts';

export function countDocumentEvents(metrics: Metrics): (outcome: Outcome) => void {
  const events = metrics.counter({
    name: 'gatehouse_document_events_total',
    help: 'Processed document events by outcome. passed: the event was ignored because it was already applied or superseded.',
    labels: ['outcome'],
  });
  return (outcome) => events.labels(outcome).inc();
}

export function showDocumentEventsLag(metrics: Metrics, lags: Consumer['lags']): void {
  metrics.gauge({
    name: 'gatehouse_document_events_lag',
    help: 'Events of any type that the knowledge consumer has not processed yet.',
    read: async () => [...(await lags()).values()].reduce((sum, lag) => sum + lag, 0),
  });
}
