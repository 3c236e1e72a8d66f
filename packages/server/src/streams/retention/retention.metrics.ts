import type { Metrics } from '../../platform/metrics/index.ts';
import type { RetentionDeps } from './retention.service.ts';

/** Counts what retention takes, for `/metrics`. */
export function countRemoved(metrics: Metrics): RetentionDeps['count'] {
  const removed = metrics.counter({
    name: 'gatehouse_events_removed_total',
    help: 'Events that were removed because their space keeps them no longer.',
  });
  const unread = metrics.counter({
    name: 'gatehouse_events_removed_unread_total',
    help: 'Those of them that a consumer, such as a subscription or a sink, had not got to.',
  });
  return (events, ofThemUnread) => {
    removed.inc(events);
    unread.inc(ofThemUnread);
  };
}
