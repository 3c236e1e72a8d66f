import type { Metrics } from '../http/index.ts';
import type { IngestDeps } from './ingest.service.ts';

/** Counts what becomes of the events of each request, for `/metrics`. */
export function countEvents(metrics: Metrics): IngestDeps['count'] {
  const events = metrics.counter({
    name: 'gatehouse_events_total',
    help: 'Events received, by what became of them.',
    labels: ['outcome'],
  });
  const [stored, duplicate, failed] = ['stored', 'duplicate', 'failed'].map((outcome) =>
    events.labels(outcome),
  );
  return (kept, known, refused) => {
    stored?.inc(kept);
    duplicate?.inc(known);
    failed?.inc(refused);
  };
}
