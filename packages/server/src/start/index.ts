import { isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openApiDocument } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../app.ts';
import { createErasures } from '../assistant/erasure/index.ts';
import { newestConversationIn } from '../assistant/index.ts';
import { NotBuilt } from '../http/built-files/index.ts';
import { checkSingleSignOn, createInstallationStatus, createSpaces } from '../identity/index.ts';
import type { Clock } from '../lib/scheduling/index.ts';
import { createLinks } from '../links/index.ts';
import { UnusableCredentials } from '../outbound/brokers/index.ts';
import { actingFrom, OPERATOR } from '../platform/audit/index.ts';
import {
  EXIT,
  findLastBackup,
  OperatorFailure,
  operatorFailureOf,
  recordSettings,
  VERSION,
} from '../platform/installation/index.ts';
import type { Log } from '../platform/logs/index.ts';
import { effectiveSettings, publicBaseUrl, type Settings } from '../platform/settings/index.ts';
import { createConsumers } from '../streams/consumers/index.ts';
import { type Announce, announceSetup } from './announce-setup.ts';
import { createAssistantServices, createKnowledgeServices } from './assistant-services.ts';
import { createBackgroundJobs } from './background-jobs.ts';
import { confusesEscapedKeys } from './escaped-keys.ts';
import { createEventServices } from './event-services.ts';
import { reportMissingFileDescriptors } from './file-descriptors.ts';
import { createIdempotencyService, createIdentityServices } from './identity-services.ts';
import { openInfrastructure } from './infrastructure.ts';
import { createObjectsYoung } from './young-generation.ts';

export interface Service {
  /** The URL that clients use, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /**
   * Makes `/readyz` return 503 and closes each connection after its next response. Resolves after `GATEHOUSE_DRAIN_SECONDS`, or
   * when the signal aborts.
   */
  drain(cutShort: AbortSignal): Promise<void>;
  /** Stops accepting requests, waits for the requests in flight and closes the store. */
  stop(): Promise<void>;
}

export type { Announce };

/** Default drain time in seconds with PostgreSQL. A load balancer polls each replica about once per second. */
const DRAIN_SECONDS_OF_REPLICAS = 5;
/**
 * Answers are cut off this many seconds before the end of `GATEHOUSE_STOP_SECONDS`. The remaining time suffices to store the
 * answers.
 */
const ANSWERS_END_BEFORE_SECONDS = 5;

/**
 * Builds the services and listens. Throws `OperatorFailure` if the operator can fix the cause.
 *
 * @param announce null if standard output is not a terminal.
 * @param clock returns the current time in Unix milliseconds. Default: see `Store.clock`.
 */
export async function start(
  settings: Settings,
  log: Log,
  announce: Announce | null,
  clock?: Clock,
): Promise<Service> {
  try {
    const service = await build(settings, log, announce, clock);
    warnOfFaultyNode(log);
    createObjectsYoung();
    return service;
  } catch (error) {
    throw startFailureOf(error, settings) ?? error;
  }
}

function warnOfFaultyNode(log: Log): void {
  if (!confusesEscapedKeys()) return;
  log.warn(
    { node: process.version },
    'the JSON parser of this version of Node can replace keys of one request by keys of another one; install Node 26.12.1 or newer',
  );
}

async function build(
  settings: Settings,
  log: Log,
  announce: Announce | null,
  clockOfTest: Clock | undefined,
): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  opened.use(reportMissingFileDescriptors(log));
  const infrastructure = await openInfrastructure({ settings, log, opened }, clockOfTest);
  const { store, clock, readLimits, metrics, secret } = infrastructure;
  const { db } = store;
  let port = settings.port;
  let draining = false;
  const baseUrl = () => publicBaseUrl(settings, port);

  const { identity, sessions, singleSignOn } = createIdentityServices(infrastructure, baseUrl);
  const idempotency = createIdempotencyService(infrastructure);
  const jobs = createBackgroundJobs(infrastructure);
  const consumers = createConsumers({ db, store: store.events, leases: store.leases, clock });
  const knowledge = createKnowledgeServices(infrastructure, consumers);
  const events = createEventServices(infrastructure, consumers);
  const spaces = createSpaces({
    db,
    semaphores: store.shared.semaphores,
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
    writeAtomically: store.writeAtomically,
    isAlone: store.isExclusive,
    clock,
    access: identity.access,
    sessions,
    newestConversation: newestConversationIn(db),
    attachments: settings.attachmentsConversation > 0,
    onError: (err) => log.error({ err }, 'counting an exchange failed'),
  });
  const assistant = createAssistantServices(infrastructure, knowledge, links);
  const erasures = opened.use(
    createErasures({
      db,
      events: store.events,
      leases: store.leases,
      clock,
      secret,
      removalOfResponses: idempotency.removalOf,
      eraseDeliveries: events.webhooks.eraseSubject,
      eraseRecords: knowledge.eraseRecords,
      onError: (err) => log.error({ err }, 'an erasure could not be finished'),
    }),
  );
  const { adminEmail, adminPassword } = settings;
  if (adminEmail !== null && adminPassword !== null)
    await identity.users.ensureAdministrator({
      email: adminEmail,
      password: adminPassword.reveal(),
    });
  if (singleSignOn !== null) await checkSingleSignOn({ db, log, settings: singleSignOn });
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
    erasures,
    events: store.events,
    consumers,
    heldBytes: settings.connectionsHeldBytes,
    check: store.check,
    isDraining: () => draining,
    answersEndWithinMs: (settings.stopSeconds - ANSWERS_END_BEFORE_SECONDS) * 1000,
    baseUrl,
    version: VERSION,
    installation: createInstallationStatus({
      version: VERSION,
      describeStore: store.describe,
      // The disk of a database server is not visible.
      directory: store.isExclusive ? settings.dataDir : null,
      findLastBackup: () => findLastBackup(db),
      settings: effectiveSettings(settings.given.reveal()),
    }),
    openApi: () => openApiDocument({ baseUrl: baseUrl(), version: VERSION }),
    rates: store.shared.rates,
    idempotency,
    trustedProxies: settings.trustedProxies,
    signInsPerMinute: settings.rateLimitSignIn,
    exchangesPerMinute: settings.rateLimitExchange,
    linkReadsPerMinute: settings.rateLimitReadsLink,
    readLimits,
  });
  opened.defer(() => app.close());
  await Promise.all([
    knowledge.start(),
    idempotency.start(),
    jobs.start(),
    erasures.start(),
    events.webhooks.start(),
    events.brokers.start(),
    events.retention.start(),
  ]);
  // After the job `audit-events` was started, so that this entry is sent too.
  await actingFrom(OPERATOR, () => recordSettings(db, secret, settings));
  port = await listen(app, settings);

  if (adminEmail === null && settings.passwordSignIn === 'on')
    await announceSetup({ ...identity, log, baseUrl }, announce);
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

async function listen(app: FastifyInstance, settings: Settings): Promise<number> {
  const { host, port } = settings;
  await app.listen({ host, port }).catch((error: unknown) => {
    throw cannotListen(settings, error) ?? error;
  });
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/** Returns the failure for the operator, or `null` if the operator cannot fix the error. */
function startFailureOf(error: unknown, { dataDir }: Settings): OperatorFailure | null {
  if (error instanceof NotBuilt || error instanceof UnusableCredentials)
    return new OperatorFailure(EXIT.misconfigured, [error.message]);
  return operatorFailureOf(error, { data: dataDir });
}

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another process uses this port; stop it, or set GATEHOUSE_PORT to a different port (GATEHOUSE_HOST sets the address)',
  EACCES:
    'this user may not open the port; set GATEHOUSE_PORT to 1024 or more (GATEHOUSE_HOST sets the address)',
  EADDRNOTAVAIL:
    'this machine does not have the address; set GATEHOUSE_HOST to an address of this machine (GATEHOUSE_PORT sets the port)',
};
const UNKNOWN_HOST =
  'the host name has no address; set GATEHOUSE_HOST to an address of this machine';

/** If `listen` caused the error, returns a message that names the settings to change. Otherwise returns `null`. */
function cannotListen({ host, port }: Settings, error: unknown): OperatorFailure | null {
  const { code = '', syscall } = error as { code?: string; syscall?: string };
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return null;
  const advice =
    syscall === 'getaddrinfo'
      ? UNKNOWN_HOST
      : (LISTEN_PROBLEMS[code] ?? 'check GATEHOUSE_HOST and GATEHOUSE_PORT');
  return new OperatorFailure(EXIT.tryLater, [
    `cannot listen on ${isIPv6(host) ? `[${host}]` : host}:${port} (${code}): ${advice}`,
  ]);
}
