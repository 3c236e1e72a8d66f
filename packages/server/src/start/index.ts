import { setTimeout as sleep } from 'node:timers/promises';
import { openApiDocument } from '@gatehouse/contract';
import { buildApp } from '../app.ts';
import { newestConversationIn } from '../assistant/index.ts';
import { createIdentity, createSpaces, type MadeUpAdministrator } from '../identity/index.ts';
import type { Clock } from '../lib/scheduling/index.ts';
import { createLinks, createSigner, createWidgetSessions } from '../links/index.ts';
import { WidgetNotBuilt } from '../links/page/index.ts';
import { UnusableCredentials } from '../outbound/brokers/index.ts';
import {
  EXIT,
  OperatorFailure,
  operatorFailureOf,
  VERSION,
} from '../platform/installation/index.ts';
import type { Log } from '../platform/logs/index.ts';
import { publicBaseUrl, type Settings } from '../platform/settings/index.ts';
import { createConsumers } from '../streams/consumers/index.ts';
import { createAssistantServices, createKnowledgeServices } from './assistant-services.ts';
import { createEventServices } from './event-services.ts';
import { openInfrastructure } from './infrastructure.ts';

export interface Service {
  /** The URL that clients use, without a trailing slash. */
  readonly url: string;
  /** The port listened on. */
  readonly port: number;
  /**
   * Reports at `/readyz` that the service is not ready and closes each connection after its next response. Resolves after
   * `GATEHOUSE_DRAIN_SECONDS`, or when the signal aborts.
   */
  drain(cutShort: AbortSignal): Promise<void>;
  /** Accepts no new requests, waits for those in flight and closes the store. */
  stop(): Promise<void>;
}

/** Receives the administrator that the first start generated; the password is stored nowhere else. */
export type Announce = (administrator: MadeUpAdministrator) => void;

/** Seconds to drain if there may be several replicas: a load balancer polls each about once per second. */
const DRAIN_SECONDS_OF_REPLICAS = 5;
/** Seconds before the end of `GATEHOUSE_STOP_SECONDS` at which answers are cut off, so that they can still be stored. */
const ANSWERS_END_BEFORE_SECONDS = 5;

/**
 * Builds the services and listens. Throws `OperatorFailure` if the operator can fix the cause.
 *
 * @param clock returns the current time for links, sessions, limits and stored data.
 */
export async function start(
  settings: Settings,
  log: Log,
  announce: Announce,
  clock: Clock = Date.now,
): Promise<Service> {
  try {
    return await build(settings, log, announce, clock);
  } catch (error) {
    throw startFailureOf(error) ?? error;
  }
}

async function build(
  settings: Settings,
  log: Log,
  announce: Announce,
  clock: Clock,
): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const infrastructure = await openInfrastructure({ settings, log, clock, opened });
  const { store, metrics, secret, signingKeys } = infrastructure;
  const { db } = store;
  let port = settings.port;
  let draining = false;
  const baseUrl = () => publicBaseUrl(settings, port);

  const sessions = createWidgetSessions({
    signer: opened.use(createSigner()),
    signingKeys,
    db,
    clock,
    issuer: baseUrl,
    requiredIssuer: settings.baseUrl,
  });
  const identity = createIdentity({
    db,
    clock,
    isAlone: store.isAlone,
    secret,
    log,
    verifyWidgetSession: sessions.isLive,
  });
  const consumers = createConsumers({ db, store: store.events, leases: store.leases, clock });
  const knowledge = createKnowledgeServices(infrastructure, consumers);
  const events = createEventServices(infrastructure, consumers);
  const spaces = createSpaces({
    db,
    clock,
    onRetentionChanged: events.retention.recheck,
    onDeleted: (spaceId) => {
      identity.forget();
      events.brokers.removeSpace(spaceId);
      events.sources.registry.forget();
      events.webhooks.removeSpace(spaceId);
      store.events.removeSpace(spaceId);
      knowledge.removeSpace(spaceId);
    },
  });
  const links = createLinks({
    db,
    clock,
    access: identity.access,
    sessions,
    newestConversation: newestConversationIn(db),
    onError: (err) => log.error({ err }, 'counting an exchange failed'),
  });
  const assistant = createAssistantServices(infrastructure, knowledge, links);
  const firstAdministrator = await identity.users.ensureAdministrator({
    email: settings.adminEmail,
    password: settings.adminPassword?.reveal() ?? null,
  });
  if (firstAdministrator !== null) announce(firstAdministrator);
  const app = await buildApp({
    log,
    clock,
    metrics,
    ...events,
    identity,
    spaces,
    links,
    sessions,
    knowledge,
    assistant,
    events: store.events,
    consumers,
    heldBytes: settings.connectionsHeldBytes,
    check: store.check,
    isDraining: () => draining,
    answersEndWithinMs: (settings.stopSeconds - ANSWERS_END_BEFORE_SECONDS) * 1000,
    baseUrl,
    openApi: () => openApiDocument({ baseUrl: baseUrl(), version: VERSION }),
    rates: store.shared.rates,
    trustedProxies: settings.trustedProxies,
    signInsPerMinute: settings.rateLimitSignIn,
    exchangesPerMinute: settings.rateLimitExchange,
  });
  opened.defer(() => app.close());
  await Promise.all([
    knowledge.start(),
    events.webhooks.start(),
    events.brokers.start(),
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
      const { drainSeconds, databaseUrl } = settings;
      const seconds = drainSeconds ?? (databaseUrl === null ? 0 : DRAIN_SECONDS_OF_REPLICAS);
      await sleep(seconds * 1000, undefined, { signal }).catch(() => {});
    },
    stop: async () => {
      draining = true;
      await running.disposeAsync();
    },
  };
}

/** Returns the failure for the operator, or `null` if the operator cannot fix the error. */
function startFailureOf(error: unknown): OperatorFailure | null {
  if (error instanceof WidgetNotBuilt || error instanceof UnusableCredentials)
    return new OperatorFailure(EXIT.misconfigured, [error.message]);
  const { code, syscall, port } = error as { code?: string; syscall?: string; port?: number };
  if (syscall === 'listen')
    return new OperatorFailure(EXIT.tryLater, [
      `cannot listen on port ${port} (${code}); is another process using it?`,
    ]);
  return operatorFailureOf(error);
}
