import {
  createIngestLimits,
  createRejectionRepository,
  type IngestLimits,
  RejectionLog,
  type RejectionRepository,
} from '../ingest/index.ts';
import { createSources, type SourcesModule } from '../ingest/sources/index.ts';
import { type BrokersModule, createBrokerSinks, createBrokers } from '../outbound/brokers/index.ts';
import {
  createWebhooks,
  type DeliveryEvent,
  type WebhooksModule,
} from '../outbound/webhooks/index.ts';
import { createWebhookSender } from '../outbound/webhooks/sending/index.ts';
import { VERSION } from '../platform/installation/index.ts';
import type { Log } from '../platform/logs/index.ts';
import type { Consumers } from '../streams/consumers/index.ts';
import { countDropped, createLive, type Live, showListeners } from '../streams/live/index.ts';
import { countRemoved, createRetention, type Retention } from '../streams/retention/index.ts';
import {
  type AllCounts,
  createTally,
  publishCounts,
  type Tally,
} from '../streams/statistics/index.ts';
import type { Infrastructure } from './infrastructure.ts';

export interface EventServices {
  readonly sources: SourcesModule;
  readonly webhooks: WebhooksModule;
  readonly brokers: BrokersModule;
  readonly retention: Retention;
  readonly live: Live;
  readonly ingestLimits: IngestLimits;
  readonly tally: Tally;
  readonly rejections: RejectionLog;
  readonly rejected: RejectionRepository;
  /** Retention of rejected events in days. */
  readonly rejectedDays: number;
  /** `null` if this is the only process that counts events. */
  readonly allCounts: AllCounts | null;
}

/** Creates the services of events. Their background work starts separately. */
export function createEventServices(
  infrastructure: Infrastructure,
  consumers: Consumers,
): EventServices {
  const tally = createTally(infrastructure.metrics, infrastructure.clock, infrastructure.usage);
  const live = liveOf(infrastructure);
  const rejected = createRejectionRepository(infrastructure.store.db);
  const webhooks = webhooksOf(infrastructure);
  consumers.register({
    name: 'deliveries',
    position: webhooks.position,
    releasedPosition: webhooks.storedPosition,
  });
  return {
    sources: sourcesOf(infrastructure),
    webhooks,
    brokers: brokersOf(infrastructure, consumers),
    retention: retentionOf(infrastructure, consumers),
    live,
    ingestLimits: ingestLimitsOf(infrastructure),
    tally,
    rejected,
    rejections: rejectionsOf(infrastructure, rejected),
    rejectedDays: infrastructure.settings.rejectedEventsMaxAgeDays,
    allCounts: allCountsOf(infrastructure, tally, live),
  };
}

function sourcesOf({ store, clock, secret, log }: Infrastructure): SourcesModule {
  return createSources({
    db: store.db,
    hints: store.hints,
    clock,
    secret,
    onUnreadable: (sourceId) =>
      log.error(
        { sourceId },
        'a secret of this event source cannot be decrypted, because the secret of the installation was replaced; set a new secret',
      ),
  });
}

function webhooksOf(infrastructure: Infrastructure) {
  const { settings, store, clock, secret, metrics, log, opened, lookups } = infrastructure;
  return opened.use(
    createWebhooks({
      db: store.db,
      writeAtomically: store.writeAtomically,
      store: store.events,
      leases: store.leases,
      sender: createWebhookSender({
        allowed: settings.deliveryAllow,
        userAgent: `gatehouse/${VERSION}`,
        lookups,
      }),
      secret,
      retentionDays: settings.deliveriesMaxAgeDays,
      clock,
      random: Math.random,
      metrics,
      onEvent: (event) => logDelivery(log, event),
    }),
  );
}

function brokersOf(
  { settings, metrics, log, opened }: Infrastructure,
  consumers: Consumers,
): BrokersModule {
  return opened.use(
    createBrokers({
      sinks: createBrokerSinks(settings),
      consumers,
      startsAt: settings.sinksStart,
      tooLarge: settings.sinksTooLarge,
      metrics,
      log,
    }),
  );
}

function retentionOf(
  { settings, store, clock, metrics, log, opened }: Infrastructure,
  consumers: Consumers,
) {
  return opened.use(
    createRetention({
      db: store.db,
      store: store.events,
      leases: store.leases,
      consumers,
      clock,
      defaults: { maxAgeDays: settings.eventsMaxAgeDays, maxBytes: settings.eventsMaxBytes },
      count: countRemoved(metrics),
      onError: (err) => log.error({ err }, 'removal of old events failed; it will be retried'),
    }),
  );
}

function liveOf({ settings, store, metrics, log }: Infrastructure): Live {
  const live = createLive({
    store: store.events,
    limits: { all: settings.eventsListeners, inSpace: settings.eventsListenersSpace },
    onDropped: countDropped(metrics),
    onFailure: (err) =>
      log.error({ err }, 'reading events for a stream failed; it will be retried'),
  });
  showListeners(metrics, live.count);
  return live;
}

function ingestLimitsOf({ settings, store, log, opened }: Infrastructure): IngestLimits {
  return opened.use(
    createIngestLimits({
      rates: {
        eventsOfKey: settings.rateLimitEventsKey,
        bytesOfKey: settings.rateLimitEventBytesKey,
        eventsOfSpace: settings.rateLimitEventsSpace,
        bytesOfSpace: settings.rateLimitEventBytesSpace,
      },
      clock: () => performance.now(),
      shared: store.shared.buckets,
      onError: (err) => log.warn({ err }, 'sharing event limits with other replicas failed'),
    }),
  );
}

function rejectionsOf(
  { settings, clock, metrics, log, opened }: Infrastructure,
  repository: RejectionRepository,
): RejectionLog {
  const dropped = metrics.counter({
    name: 'gatehouse_rejections_unrecorded_total',
    help: 'Rejected events and requests that were not recorded because there were too many.',
  });
  return opened.use(
    new RejectionLog({
      repository,
      clock,
      retentionDays: settings.rejectedEventsMaxAgeDays,
      onDropped: (count) => dropped.inc(count),
      onError: (err) => log.warn({ err }, 'rejected events could not be recorded'),
    }),
  );
}

function allCountsOf({ store, clock, log, opened }: Infrastructure, tally: Tally, live: Live) {
  const shared = store.shared.eventCounts;
  if (shared === null) return null;
  return opened.use(
    publishCounts({
      shared,
      tally,
      live,
      clock,
      onError: (err) =>
        log.warn({ err }, 'sharing statistics with other replicas failed; it will be retried'),
    }),
  );
}

const DELIVERY_MESSAGES = {
  ended: 'a subscription ended: its target answered 410',
  failing: 'the last 20 attempts of a subscription failed; its deliveries will be retried',
  recovered: 'the target of a subscription accepts deliveries again',
  overdue: 'deliveries of a subscription have failed for half an hour; they will be retried',
  parked: 'deliveries of a subscription were parked after three days',
  'unreadable-secret':
    'the secret of this subscription cannot be decrypted, because the secret of the installation was replaced; set a new secret',
  failure: 'processing deliveries of a subscription failed; it will be retried',
} as const;

/** Logs an incident of a subscription. The URL is never logged, because it may contain a secret. */
function logDelivery(log: Log, event: DeliveryEvent): void {
  const message = DELIVERY_MESSAGES[event.kind];
  if (event.kind === 'failure') log.error({ ...event.subscription, err: event.error }, message);
  else if (event.kind === 'unreadable-secret') log.error({ ...event.subscription }, message);
  else if (event.kind === 'failing' || event.kind === 'overdue' || event.kind === 'parked')
    log.warn({ ...event.subscription, reason: event.reason }, message);
  else if (event.kind === 'recovered') log.info({ ...event.subscription }, message);
  else log.warn({ ...event.subscription }, message);
}
