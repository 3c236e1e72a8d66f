import { setTimeout as sleep } from 'node:timers/promises';
import { openApiDocument } from '@gatehouse/contract';
import { buildApp } from '../app.ts';
import { newestConversationIn } from '../assistant/index.ts';
import { createIdentity, createSpaces, type MadeUpAdministrator } from '../identity/index.ts';
import type { Clock } from '../lib/scheduling/index.ts';
import { createLinks, createSigner, createWidgetSessions } from '../links/index.ts';
import { VERSION } from '../platform/installation/index.ts';
import type { Log } from '../platform/logs/index.ts';
import { publicBaseUrl, type Settings } from '../platform/settings/index.ts';
import { createConsumers } from '../streams/consumers/index.ts';
import { createAssistantModule, createKnowledgeModule } from './assistant-modules.ts';
import { createEventModules } from './event-modules.ts';
import { startFailureOf } from './failure.ts';
import { answersEndWithinMsOf, drainSecondsOf } from './from-settings.ts';
import { openGround } from './ground.ts';

export interface Service {
  /** The address that clients use, without a slash at its end. */
  readonly url: string;
  /** The port listened on. */
  readonly port: number;
  /**
   * Says that it is not ready, and serves on for as long as the settings say, each answer the last on its
   * connection. The signal ends that time.
   */
  drain(cutShort: AbortSignal): Promise<void>;
  /** Takes no new request, finishes those under way, and closes the store. */
  stop(): Promise<void>;
}

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
    throw startFailureOf(error) ?? error;
  }
}

async function putTogether(
  settings: Settings,
  log: Log,
  announce: Announce,
  clock: Clock,
): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const ground = await openGround({ settings, log, clock, opened });
  const { store, metrics } = ground;
  const { db, shared } = store;
  let port = settings.port;
  let draining = false;
  const baseUrl = () => publicBaseUrl(settings, port);

  const sessions = createWidgetSessions({
    signer: opened.use(createSigner()),
    signingKeys: ground.signingKeys,
    db,
    clock,
    issuer: baseUrl,
    requiredIssuer: settings.baseUrl,
  });
  const access = createIdentity({
    db,
    clock,
    isAlone: store.isAlone,
    secret: ground.secret,
    log,
    verifyWidgetSession: sessions.isLive,
  });
  const consumers = createConsumers({ db, store: store.events, leases: store.leases, clock });
  const knowledge = createKnowledgeModule(ground, consumers);
  const events = createEventModules(ground, consumers);
  const spaces = createSpaces({
    db,
    clock,
    onRetentionChanged: events.retention.look,
    onDeleted: (spaceId) => {
      access.forget();
      events.sinks.removeSpace(spaceId);
      events.sources.registry.forget();
      events.deliveries.removeSpace(spaceId);
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
  const chat = createAssistantModule(ground, knowledge, links);
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
    sources: events.sources,
    deliveries: events.deliveries,
    links,
    sessions,
    knowledge,
    chat,
    events: store.events,
    tally: events.tally,
    allCounts: events.allCounts,
    consumers,
    live: events.live,
    ingestLimits: events.ingestLimits,
    heldBytes: settings.connectionsHeldBytes,
    check: store.check,
    isDraining: () => draining,
    answersEndWithinMs: answersEndWithinMsOf(settings),
    baseUrl,
    openApi: () => openApiDocument({ baseUrl: baseUrl(), version: VERSION }),
    rates: shared.rates,
    trustedProxies: settings.trustedProxies,
    signInsPerMinute: settings.rateLimitSignIn,
    exchangesPerMinute: settings.rateLimitExchange,
  });
  opened.defer(() => app.close());
  await Promise.all([
    knowledge.start(),
    events.deliveries.start(),
    events.sinks.start(),
    events.retention.start(),
  ]);
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
