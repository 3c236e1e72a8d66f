import type { Metrics } from '../../platform/metrics/index.ts';
import type { RetentionDeps } from './retention.service.ts';

export function countRemoved(metrics: Metrics): RetentionDeps['count'] {
  const removed = metrics.counter({
    name: 'gatehouse_events_removed_total',
    help: 'Events removed because they exceeded the retention of their space.',
  });
  const unread = metrics.counter({
    name: 'gatehouse_events_removed_unread_total',
    help: 'Events removed before every consumer, such as a subscription or a sink, had processed them.',
  });
  return (events, unreadEvents) => {
    removed.inc(events);
    unread.inc(unreadEvents);
  };
}
