import { createIngestLimits, type IngestLimits } from '../ingest/index.ts';
import { createSources, type SourcesModule } from '../ingest/sources/index.ts';
import { type BrokersModule, createBrokerSinks, createBrokers } from '../outbound/brokers/index.ts';
import { createWebhooks, type WebhooksModule } from '../outbound/webhooks/index.ts';
import { createWebhookSender } from '../outbound/webhooks/sending/index.ts';
import { VERSION } from '../platform/installation/index.ts';
import type { Consumers } from '../streams/consumers/index.ts';
import { countDropped, createLive, type Live, showListeners } from '../streams/live/index.ts';
import { countRemoved, createRetention, type Retention } from '../streams/retention/index.ts';
import {
  type AllCounts,
  createTally,
  shareCounts,
  type Tally,
} from '../streams/statistics/index.ts';
import { ingestRatesOf } from './from-settings.ts';
import type { Ground } from './ground.ts';
import { logDelivery } from './log-lines.ts';

/** How events come in, and where they go on to. */
export interface EventModules {
  readonly sources: SourcesModule;
  readonly deliveries: WebhooksModule;
  readonly sinks: BrokersModule;
  readonly retention: Retention;
  readonly live: Live;
  readonly ingestLimits: IngestLimits;
  readonly tally: Tally;
  /** Null where this process counts all events itself. */
  readonly allCounts: AllCounts | null;
}

/** Nothing of it works in the background before it is started. */
export function createEventModules(ground: Ground, consumers: Consumers): EventModules {
  const tally = createTally(ground.metrics, ground.clock);
  const live = liveOf(ground);
  const sources = sourcesOf(ground);
  const deliveries = deliveriesOf(ground);
  consumers.register({ name: 'deliveries', position: deliveries.position });
  return {
    sources,
    deliveries,
    sinks: sinksOf(ground, consumers),
    retention: retentionOf(ground),
    live,
    ingestLimits: ingestLimitsOf(ground),
    tally,
    allCounts: allCountsOf(ground, tally, live),
  };
}

function sourcesOf({ store, clock, secret, log }: Ground): SourcesModule {
  return createSources({
    db: store.db,
    hints: store.hints,
    clock,
    secret,
    onUnreadable: (sourceId) =>
      log.error(
        { sourceId },
        'a secret of this event source cannot be decrypted, since the secret of the installation was another one; give it a new secret',
      ),
  });
}

function deliveriesOf({ settings, store, clock, secret, metrics, log, opened }: Ground) {
  return opened.use(
    createWebhooks({
      db: store.db,
      writeTogether: store.writeTogether,
      store: store.events,
      leases: store.leases,
      sender: createWebhookSender({
        allowed: settings.deliveryAllow,
        userAgent: `gatehouse/${VERSION}`,
      }),
      secret,
      clock,
      random: Math.random,
      metrics,
      onEvent: (event) => logDelivery(log, event),
    }),
  );
}

function sinksOf({ settings, metrics, log, opened }: Ground, consumers: Consumers): BrokersModule {
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

function retentionOf({ settings, store, clock, metrics, log, opened }: Ground) {
  return opened.use(
    createRetention({
      db: store.db,
      store: store.events,
      leases: store.leases,
      clock,
      defaults: { maxAgeDays: settings.eventsMaxAgeDays, maxBytes: settings.eventsMaxBytes },
      count: countRemoved(metrics),
      onError: (err) => log.error({ err }, 'old events could not be removed; it is tried again'),
    }),
  );
}

function liveOf({ settings, store, metrics, log }: Ground): Live {
  const live = createLive({
    store: store.events,
    limits: { all: settings.eventsListeners, inSpace: settings.eventsListenersSpace },
    onDropped: countDropped(metrics),
    onFailure: (err) =>
      log.error({ err }, 'a stream of events could not be fed; it is tried again'),
  });
  showListeners(metrics, live.count);
  return live;
}

function ingestLimitsOf({ settings, store, clock, log, opened }: Ground): IngestLimits {
  return opened.use(
    createIngestLimits({
      rates: ingestRatesOf(settings),
      clock,
      shared: store.shared.buckets,
      onError: (err) =>
        log.warn({ err }, 'limits of events could not be shared with other replicas'),
    }),
  );
}

function allCountsOf({ store, clock, log, opened }: Ground, tally: Tally, live: Live) {
  const shared = store.shared.eventCounts;
  if (shared === null) return null;
  return opened.use(
    shareCounts({
      shared,
      tally,
      live,
      clock,
      onError: (err) =>
        log.warn({ err }, 'statistics could not be shared with other replicas; it is tried again'),
    }),
  );
}
