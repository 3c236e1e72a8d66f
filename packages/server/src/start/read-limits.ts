import { TimeBudgets } from '../lib/scheduling/index.ts';
import type { ReadLimits } from '../lib/threads/index.ts';
import type { Metrics } from '../platform/metrics/index.ts';
import type { Settings } from '../platform/settings/index.ts';

/** Creates the time budgets of searches and reads, and their metrics. */
export function createReadLimits(
  metrics: Metrics,
  settings: Pick<Settings, 'searchTimeLink' | 'searchTimeCaller' | 'searchWaitSeconds'>,
): ReadLimits {
  const { searchTimeLink, searchTimeCaller, searchWaitSeconds } = settings;
  const rejected = metrics.counter({
    name: 'gatehouse_reads_rejected_total',
    help: 'Rejected searches and reads of documents. budget: the caller has used up its time budget. caller, space, service: too many reads of the caller, its space or other spaces are waiting. loading: the space is being loaded into memory.',
    labels: ['reason'],
  });
  const seconds = metrics.counter({
    name: 'gatehouse_read_seconds_total',
    help: 'Time of searches and reads of documents, by thread or connection pool.',
    labels: ['resource'],
  });
  const budgetOf = (caller: string) => {
    const msPerSecond = caller.startsWith('link ') ? searchTimeLink : searchTimeCaller;
    return msPerSecond === 0 ? null : { msPerSecond };
  };
  return {
    budgets: new TimeBudgets(budgetOf, () => performance.now()),
    maxWaitMs: searchWaitSeconds * 1000,
    onRejected: (reason) => rejected.labels(reason).inc(),
    onUsed: (resource, ms) => seconds.labels(resource).inc(ms / 1000),
  };
}
