import type { Clock } from '../lib/scheduling/index.ts';
import {
  type Installation,
  openInstallation,
  openSecretOf,
} from '../platform/installation/index.ts';
import type { Log } from '../platform/logs/index.ts';
import { createMetrics, type Metrics } from '../platform/metrics/index.ts';
import type { Settings } from '../platform/settings/index.ts';
import { openStore } from '../storage/index.ts';
import type { Leases, Store } from '../storage/ports/index.ts';
import { createReadLimits } from './read-limits.ts';

export interface Infrastructure extends Installation {
  readonly settings: Settings;
  readonly log: Log;
  readonly clock: Clock;
  readonly store: Store;
  readonly metrics: Metrics;
  /** Closes the services in reverse order when the process stops. */
  readonly opened: AsyncDisposableStack;
}

export async function openInfrastructure(
  given: Pick<Infrastructure, 'settings' | 'log' | 'clock' | 'opened'>,
): Promise<Infrastructure> {
  const { settings, log, clock, opened } = given;
  const secret = openSecretOf(settings);
  const metrics = createMetrics();
  const store = opened.use(
    await openStore(settings, clock, {
      onDeath: (error) => {
        throw error;
      },
      onError: (err) => log.error({ err }, 'background work of the store failed'),
      onWarning: (text) => log.warn(text),
      readLimits: createReadLimits(metrics, settings),
    }),
  );
  if (settings.databaseUrl !== null && settings.baseUrl === null)
    log.warn(
      'GATEHOUSE_BASE_URL is not set: access links contain the address that this service listens on instead of the address of the load balancer',
    );
  const installation = await openInstallation(secret, { db: store.db, clock });
  reportJobs(metrics, store.leases);
  return { ...given, ...installation, store, metrics };
}

function reportJobs(metrics: Metrics, leases: Leases): void {
  metrics.gauges({
    name: 'gatehouse_job_held',
    help: '1 if this process holds the lease of the background job, otherwise 0. At most one replica holds each lease.',
    label: 'job',
    read: async () => new Map([...leases.jobs()].map(([job, held]) => [job, held ? 1 : 0])),
  });
}
