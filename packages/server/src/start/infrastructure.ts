import { FairLookups } from '../lib/network/index.ts';
import { type Clock, TimeBudgets } from '../lib/scheduling/index.ts';
import type { ReadLimits } from '../lib/threads/index.ts';
import {
  type Installation,
  openInstallation,
  openSecretOf,
  operatorFailureOf,
  VERSION,
} from '../platform/installation/index.ts';
import type { Log } from '../platform/logs/index.ts';
import { createMetrics, type Metrics } from '../platform/metrics/index.ts';
import type { Settings } from '../platform/settings/index.ts';
import { isTracing, startTraces, traceQuery, traceStore } from '../platform/traces/index.ts';
import {
  createUsageCounter,
  createUsageRepository,
  type UsageCounter,
} from '../platform/usage/index.ts';
import { openStore } from '../storage/index.ts';
import type { Leases, Store } from '../storage/ports/index.ts';

export interface Infrastructure extends Installation {
  readonly settings: Settings;
  readonly log: Log;
  readonly clock: Clock;
  readonly store: Store;
  readonly readLimits: ReadLimits;
  readonly metrics: Metrics;
  readonly usage: UsageCounter;
  /** Lookups of hosts that users choose. All modules share them, because the process has few threads for lookups. */
  readonly lookups: FairLookups;
  /** Closes the services in reverse order when the process stops. */
  readonly opened: AsyncDisposableStack;
}

export async function openInfrastructure(
  given: Pick<Infrastructure, 'settings' | 'log' | 'opened'>,
  clockOfTest?: Clock,
): Promise<Infrastructure> {
  const { settings, log, opened } = given;
  const secret = openSecretOf(settings);
  const metrics = createMetrics();
  await startTracing(given);
  const readLimits = createReadLimits(metrics, settings);
  const system = settings.databaseUrl === null ? 'sqlite' : 'postgresql';
  const opening = opened.use(
    await openStore(settings, {
      ...(clockOfTest === undefined ? {} : { clock: clockOfTest }),
      onDeath: (error) => {
        throw operatorFailureOf(error, { data: settings.dataDir }) ?? error;
      },
      onError: (err) => log.error({ err }, 'background work of the store failed'),
      onWarning: (text) => log.warn(text),
      readLimits,
      version: VERSION,
      ...(isTracing() ? { onQuery: traceQuery(system) } : {}),
    }),
  );
  const store = isTracing() ? traceStore(opening, system) : opening;
  if (settings.databaseUrl !== null && settings.baseUrl === null)
    log.warn(
      'GATEHOUSE_BASE_URL is not set: access links contain the address that this service listens on instead of the address of the load balancer',
    );
  const { clock } = store;
  const installation = await openInstallation(secret, { db: store.db, clock });
  if (installation.isNew) log.info(newInstallation(settings));
  reportJobs(metrics, store.leases);
  const usage = createUsageCounter(createUsageRepository(store.db), clock, (err) =>
    log.error({ err }, 'counting usage failed'),
  );
  opened.defer(usage.drain);
  return {
    ...given,
    ...installation,
    store,
    clock,
    readLimits,
    metrics,
    usage,
    lookups: new FairLookups(),
  };
}

/** Returns the only sign of a wrong path or database after a move, because the service then starts without any data. */
function newInstallation({ databaseUrl, dataDir }: Settings): string {
  const [place, setting] =
    databaseUrl === null
      ? [dataDir, 'GATEHOUSE_DATA_DIR']
      : ['the empty database', 'GATEHOUSE_DATABASE_URL'];
  return `created a new installation in ${place}; if you expect existing data there, stop the service and correct ${setting}`;
}

/** Starts to record traces if the operator configured a collector. */
async function startTracing({
  settings,
  log,
  opened,
}: Pick<Infrastructure, 'settings' | 'log' | 'opened'>): Promise<void> {
  const { tracesUrl: url, tracesAuthorization: authorization, tracesRatio } = settings;
  if (url === null) return;
  opened.use(
    await startTraces({
      url,
      authorization,
      sampleRatio: tracesRatio,
      version: VERSION,
      onError: (problem) => log.warn({ problem }, 'traces could not be sent'),
    }),
  );
}

function reportJobs(metrics: Metrics, leases: Leases): void {
  metrics.gauges({
    name: 'gatehouse_job_held',
    help: '1 if this process holds the lease of the background job, otherwise 0. At most one replica holds each lease.',
    label: 'job',
    read: async () => new Map([...leases.jobs()].map(([job, held]) => [job, held ? 1 : 0])),
  });
}

/** Creates the time budgets of searches and reads, and their metrics. */
function createReadLimits(
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
