import { setTimeout as sleep } from 'node:timers/promises';
import { openApiDocument } from '@gatehouse/contract';
import { createAccess, type MadeUpAdministrator } from './access/index.ts';
import { createAnswerer } from './adapters/answerer.ts';
import { createExtractor } from './adapters/extraction/index.ts';
import { createEmbedder } from './adapters/models/embedding/index.ts';
import { createSigner } from './adapters/signer/index.ts';
import { createSinks as createBrokerSinks, UnusableCredentials } from './adapters/sinks/index.ts';
import { openStore } from './adapters/store.ts';
import { createWebhookSender } from './adapters/webhooks/index.ts';
import { buildApp } from './app.ts';
import {
  countTurns,
  createChat,
  newestConversationIn,
  type Prices,
  type TurnRates,
} from './chat/index.ts';
import { publicBaseUrl, type Settings } from './config/index.ts';
import { createDeliveries, type DeliveryEvent } from './deliveries/index.ts';
import {
  countDropped,
  createIngestLimits,
  createLive,
  createTally,
  type IngestRates,
  shareCounts,
  showListeners,
} from './events/index.ts';
import { createMetrics } from './http/index.ts';
import { countDocumentEvents, createKnowledge, showDocumentEventsLag } from './knowledge/index.ts';
import { createLinks, createWidgetSessions } from './links/index.ts';
import type { Log } from './log.ts';
import { openInstallation, openSecretOf } from './open-installation.ts';
import { EXIT, OperatorFailure, operatorFailureOf } from './operator-failure.ts';
import { AnswerFailure } from './ports/answerer.ts';
import type { Clock } from './ports/clock.ts';
import type { Embedder } from './ports/embedder.ts';
import { createReaders } from './readers/index.ts';
import { countRemoved, createRetention } from './retention/index.ts';
import { createSinks } from './sinks/index.ts';
import { createSources } from './sources/index.ts';
import { createSpaces } from './spaces/index.ts';
import { VERSION } from './version.ts';
import { WidgetNotBuilt } from './widget/index.ts';

export interface Service {
  /** The address that clients use, without a slash at its end. */
  readonly url: string;
  /** The port listened on. */
  readonly port: number;
  /**
   * Says that it is not ready, and serves on for as long as the settings say, each answer the last on its
   * connection. The signal ends that time.
   */
  drain(hurry: AbortSignal): Promise<void>;
  /** Takes no new request, finishes those under way, and closes the store. */
  stop(): Promise<void>;
}

/** With several replicas a load balancer stands before them, which asks each every second or so how it is. */
const DRAIN_SECONDS_OF_REPLICAS = 5;
/** What was said of an answer is kept in this time, and its reader hears how it ended. */
const ANSWERS_END_BEFORE_SECONDS = 5;

/** Hears of the administrator that the first start made up, as soon as it is made: nothing else knows the password. */
export type Announce = (administrator: MadeUpAdministrator) => void;

/**
 * Puts the service together and listens. Throws `OperatorFailure` for what the operator can mend.
 *
 * @param clock gives the time that links, sessions, limits and all that is kept go by.
 */
export async function start(
  settings: Settings,
  log: Log,
  announce: Announce,
  clock: Clock = Date.now,
): Promise<Service> {
  try {
    return await putTogether(settings, log, announce, clock);
  } catch (error) {
    throw toFailure(error) ?? error;
  }
}

async function putTogether(
  settings: Settings,
  log: Log,
  announce: Announce,
  clock: Clock,
): Promise<Service> {
  const opening = openSecretOf(settings);
  await using opened = new AsyncDisposableStack();
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
  const { db, leases, shared } = store;
  const { secret, signingKeys } = await openInstallation(opening, {
    settings,
    db,
    clock,
    tell: (path, words) => log.info({ path }, words),
  });
  let port = settings.port;
  let draining = false;
  const baseUrl = () => publicBaseUrl(settings, port);

  const metrics = createMetrics();
  const sessions = createWidgetSessions({
    signer: opened.use(createSigner()),
    signingKeys,
    db,
    clock,
    issuer: baseUrl,
    requiredIssuer: settings.baseUrl,
  });
  metrics.gauges({
    name: 'gatehouse_role_held',
    help: 'Work in the background that this process does (1), or leaves to another (0). Of all replicas one does each.',
    label: 'role',
    read: async () => new Map([...leases.roles()].map(([role, held]) => [role, held ? 1 : 0])),
  });
  const access = createAccess({
    db,
    clock,
    isAlone: store.isAlone,
    secret,
    log,
    verifyWidgetSession: sessions.isLive,
  });
  const readers = createReaders({ db, store: store.events, leases, clock });
  const knowledge = opened.use(
    createKnowledge({
      engine: store.knowledge,
      writeTogether: store.writeTogether,
      events: store.events,
      readers,
      leases,
      countEvent: countDocumentEvents(metrics),
      extractor: createExtractor(),
      embedder: embedderOf(settings),
      clock,
      onError: (err) => log.error({ err }, 'documents could not be worked on; it is tried again'),
      onEmbeddingFailure: (err, during) =>
        log.warn(
          { err },
          during === 'search'
            ? 'searches go by words alone for a while'
            : 'vectors of documents could not be made; it is tried again',
        ),
    }),
  );
  showDocumentEventsLag(metrics, knowledge.eventLags);
  const sources = createSources({
    db,
    hints: store.hints,
    clock,
    secret,
    onUnreadable: (sourceId) =>
      log.error(
        { sourceId },
        'a secret of this event source cannot be decrypted, since the secret of the installation was another one; give it a new secret',
      ),
  });
  const deliveries = opened.use(
    createDeliveries({
      db,
      writeTogether: store.writeTogether,
      store: store.events,
      leases,
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
  readers.register({ name: 'deliveries', position: deliveries.position });
  const sinks = opened.use(
    createSinks({
      sinks: createBrokerSinks(settings),
      readers,
      startsAt: settings.sinksStart,
      tooLarge: settings.sinksTooLarge,
      metrics,
      log,
    }),
  );
  const retention = opened.use(
    createRetention({
      db,
      store: store.events,
      leases,
      clock,
      defaults: { maxAgeDays: settings.eventsMaxAgeDays, maxBytes: settings.eventsMaxBytes },
      count: countRemoved(metrics),
      onError: (err) => log.error({ err }, 'old events could not be removed; it is tried again'),
    }),
  );
  const spaces = createSpaces({
    db,
    clock,
    onRetentionChanged: retention.look,
    onDeleted: (spaceId) => {
      access.forget();
      sinks.removeSpace(spaceId);
      sources.registry.forget();
      deliveries.removeSpace(spaceId);
      store.events.removeSpace(spaceId);
      knowledge.removeSpace(spaceId);
    },
  });
  const links = createLinks({
    db,
    clock,
    access: access.access,
    sessions,
    newestConversation: newestConversationIn(db),
    onError: (err) => log.error({ err }, 'an exchange could not be counted'),
  });
  const chat = createChat({
    db,
    writeTogether: store.writeTogether,
    knowledge,
    links,
    answerer: createAnswerer({
      url: settings.modelUrl,
      key: settings.modelKey?.reveal() ?? null,
      name: settings.modelName,
    }),
    clock,
    turnsPerMinute: turnRatesOf(settings),
    rates: shared.rates,
    places: shared.places,
    count: countTurns(metrics),
    prices: pricesOf(settings),
    onFailure: (error, requestId) => logFailedAnswer(log, error, requestId),
  });
  const live = createLive({
    store: store.events,
    limits: { all: settings.eventsListeners, inSpace: settings.eventsListenersSpace },
    onDropped: countDropped(metrics),
    onFailure: (err) =>
      log.error({ err }, 'a stream of events could not be fed; it is tried again'),
  });
  showListeners(metrics, live.count);
  const ingestLimits = opened.use(
    createIngestLimits({
      rates: ingestRatesOf(settings),
      clock,
      shared: shared.buckets,
      onError: (err) =>
        log.warn({ err }, 'limits of events could not be shared with other replicas'),
    }),
  );
  const tally = createTally(metrics, clock);
  const allCounts =
    shared.eventCounts === null
      ? null
      : opened.use(
          shareCounts({
            shared: shared.eventCounts,
            tally,
            live,
            clock,
            onError: (err) =>
              log.warn(
                { err },
                'statistics could not be shared with other replicas; it is tried again',
              ),
          }),
        );
  const firstAdministrator = await access.users.ensureAdministrator({
    email: settings.adminEmail,
    password: settings.adminPassword?.reveal() ?? null,
  });
  if (firstAdministrator !== null) announce(firstAdministrator);
  const app = await buildApp({
    log,
    clock,
    metrics,
    access,
    spaces,
    sources,
    deliveries,
    links,
    sessions,
    knowledge,
    chat,
    events: store.events,
    tally,
    allCounts,
    readers,
    live,
    ingestLimits,
    heldBytes: settings.connectionsHeldBytes,
    check: store.check,
    isDraining: () => draining,
    answersEndWithinMs: (settings.stopSeconds - ANSWERS_END_BEFORE_SECONDS) * 1000,
    baseUrl,
    openApi: () => openApiDocument({ baseUrl: baseUrl(), version: VERSION }),
    rates: shared.rates,
    trustedProxies: settings.trustedProxies,
    signInsPerMinute: settings.rateLimitSignIn,
    exchangesPerMinute: settings.rateLimitExchange,
  });
  opened.defer(() => app.close());
  await Promise.all([knowledge.start(), deliveries.start(), sinks.start(), retention.start()]);
  await app.listen({ host: settings.host, port: settings.port });
  const address = app.server.address();
  if (typeof address === 'object' && address !== null) port = address.port;

  const running = opened.move();
  return {
    url: baseUrl(),
    port,
    drain: async (signal) => {
      draining = true;
      const forMs = drainSecondsOf(settings) * 1000;
      await sleep(forMs, undefined, { signal }).catch(() => {});
    },
    stop: async () => {
      draining = true;
      await running.disposeAsync();
    },
  };
}

function drainSecondsOf({ drainSeconds, databaseUrl }: Settings): number {
  return drainSeconds ?? (databaseUrl === null ? 0 : DRAIN_SECONDS_OF_REPLICAS);
}

/** A link may have several people: those who name no limit of it let it have three times that of one. */
function turnRatesOf({ rateLimitChat: person, rateLimitChatLink }: Settings): TurnRates {
  return { person, link: rateLimitChatLink ?? 3 * person };
}

function ingestRatesOf(settings: Settings): IngestRates {
  return {
    eventsOfKey: settings.rateLimitEventsKey,
    bytesOfKey: settings.rateLimitEventBytesKey,
    eventsOfSpace: settings.rateLimitEventsSpace,
    bytesOfSpace: settings.rateLimitEventBytesSpace,
  };
}

/** Both settings or neither: one price alone does not pass the settings. */
function pricesOf({ modelPriceInput: input, modelPriceOutput: output }: Settings): Prices | null {
  return input === null || output === null ? null : { input, output };
}

/** Both settings or neither: an embedding model without a URL does not pass the settings. */
function embedderOf({ modelUrl, modelKey, embeddingModel }: Settings): Embedder | null {
  if (modelUrl === null || embeddingModel === null) return null;
  return createEmbedder({ url: modelUrl, key: modelKey?.reveal() ?? null, model: embeddingModel });
}

function toFailure(error: unknown): OperatorFailure | null {
  if (error instanceof WidgetNotBuilt || error instanceof UnusableCredentials)
    return new OperatorFailure(EXIT.misconfigured, [error.message]);
  const { code, syscall, port } = error as { code?: string; syscall?: string; port?: number };
  if (syscall === 'listen')
    return new OperatorFailure(EXIT.tryLater, [
      `cannot listen on port ${port} (${code}); is another process using it?`,
    ]);
  return operatorFailureOf(error);
}

/** A failure that the model is to blame for says what it may of it; any other shows where it was thrown. */
function logFailedAnswer(log: Log, err: unknown, requestId: string): void {
  if (err instanceof AnswerFailure) {
    const { code, detail } = err;
    log.warn({ requestId, code, detail }, 'an answer broke off');
  } else log.error({ requestId, err }, 'an answer broke off');
}

const SAID_OF_DELIVERIES = {
  ended: 'a subscription ended: its target answered 410',
  parked: 'deliveries of a subscription were parked after three days',
  'unreadable-secret':
    'the secret of this subscription cannot be decrypted, since the secret of the installation was another one; give it a new secret',
  failure: 'deliveries of a subscription could not go on; it is tried again',
} as const;

/** What an operator should know of subscriptions; never where they send to, which may hold a secret. */
function logDelivery(log: Log, event: DeliveryEvent): void {
  const words = SAID_OF_DELIVERIES[event.kind];
  if (event.kind === 'failure') log.error({ ...event.subscription, err: event.error }, words);
  else if (event.kind === 'unreadable-secret') log.error({ ...event.subscription }, words);
  else log.warn({ ...event.subscription }, words);
}
