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

/** What every room stands on. */
export interface Ground extends Installation {
  readonly settings: Settings;
  readonly log: Log;
  readonly clock: Clock;
  readonly store: Store;
  readonly metrics: Metrics;
  /** Closes what was opened, last first. */
  readonly opened: AsyncDisposableStack;
}

/** Opens the store and the installation in it. Throws for what `startFailureOf` knows. */
export async function openGround(
  given: Pick<Ground, 'settings' | 'log' | 'clock' | 'opened'>,
): Promise<Ground> {
  const { settings, log, clock, opened } = given;
  const opening = openSecretOf(settings);
  const store = opened.use(
    await openStore(settings, clock, {
      onDeath: (error) => {
        throw error;
      },
      onError: (err) => log.error({ err }, 'background work on the store failed'),
      onWarning: (text) => log.warn(text),
    }),
  );
  if (settings.databaseUrl !== null && settings.baseUrl === null)
    log.warn(
      'GATEHOUSE_BASE_URL is not set: the URLs of access links name the address that this service listens on, which is not that of a load balancer',
    );
  const installation = await openInstallation(opening, { db: store.db, clock });
  const metrics = createMetrics();
  showJobs(metrics, store.leases);
  return { ...given, ...installation, store, metrics };
}

function showJobs(metrics: Metrics, leases: Leases): void {
  metrics.gauges({
    name: 'gatehouse_job_held',
    help: 'Work in the background that this process does (1), or leaves to another (0). Of all replicas one does each.',
    label: 'job',
    read: async () => new Map([...leases.jobs()].map(([job, held]) => [job, held ? 1 : 0])),
  });
}
