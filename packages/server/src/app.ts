import type { OpenApiDocument } from '@gatehouse/contract';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { type Erasures, registerErasureRoutes } from './assistant/erasure/index.ts';
import {
  type AssistantModule,
  registerAssistantRoutes,
  registerMcpRoutes,
} from './assistant/index.ts';
import type { Idempotency } from './http/idempotency/index.ts';
import {
  closeConnectionsWhile,
  createHttp,
  registerHealth,
  registerMetrics,
  registerOpenApi,
} from './http/index.ts';
import { registerConsole } from './http/operations/console/index.ts';
import { registerDocumentation } from './http/operations/documentation/index.ts';
import { registerHome } from './http/operations/home/index.ts';
import { registerReference } from './http/operations/reference/index.ts';
import {
  type IdentityModule,
  registerIdentityRoutes,
  registerInstallationRoutes,
  registerSpaceRoutes,
  type ShowInstallation,
  type SpacesModule,
} from './identity/index.ts';
import {
  type IngestLimits,
  type RejectionLog,
  type RejectionRepository,
  registerIngestRoutes,
} from './ingest/index.ts';
import { registerSourceRoutes, type SourcesModule } from './ingest/sources/index.ts';
import {
  createKnowledgeAccess,
  type KnowledgeModule,
  registerKnowledgeRoutes,
} from './knowledge/index.ts';
import type { Clock } from './lib/scheduling/index.ts';
import { CallerSemaphores, type ReadLimits } from './lib/threads/index.ts';
import {
  createLinkReadLimit,
  type Links,
  registerLinkRoutes,
  type WidgetSessions,
} from './links/index.ts';
import { registerWidgetRoutes } from './links/page/index.ts';
import { registerWebhooksRoutes, type WebhooksModule } from './outbound/webhooks/index.ts';
import type { Metrics } from './platform/metrics/index.ts';
import type { EventStore, RateCounts } from './storage/ports/index.ts';
import type { Consumers } from './streams/consumers/index.ts';
import { registerFeedRoutes } from './streams/feed/index.ts';
import { type Live, registerLiveRoutes } from './streams/live/index.ts';
import { type AllCounts, registerStatsRoutes, type Tally } from './streams/statistics/index.ts';

/** The services and settings of the application. `start/` creates them. */
export interface AppParts {
  readonly log: FastifyBaseLogger;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly identity: IdentityModule;
  readonly spaces: SpacesModule;
  readonly sources: SourcesModule;
  readonly webhooks: WebhooksModule;
  readonly links: Links;
  readonly sessions: WidgetSessions;
  readonly knowledge: KnowledgeModule;
  readonly assistant: AssistantModule;
  readonly erasures: Erasures;
  readonly events: EventStore;
  readonly consumers: Consumers;
  readonly tally: Tally;
  readonly rejections: RejectionLog;
  readonly rejected: RejectionRepository;
  /** Retention of rejected events in days. */
  readonly rejectedDays: number;
  readonly allCounts: AllCounts | null;
  readonly live: Live;
  readonly ingestLimits: IngestLimits;
  /** Readiness check. Throws or rejects if the service cannot serve requests. */
  readonly check: () => void | Promise<void>;
  readonly isDraining: () => boolean;
  /** Maximum time in milliseconds for chat answers to finish when the service stops. */
  readonly answersEndWithinMs: number;
  readonly baseUrl: () => string;
  readonly version: string;
  readonly installation: ShowInstallation;
  readonly openApi: () => OpenApiDocument;
  readonly rates: RateCounts;
  readonly idempotency: Idempotency;
  readonly trustedProxies: readonly string[];
  /** Maximum bytes of incomplete requests and unread responses over all connections. */
  readonly heldBytes: number;
  readonly signInsPerMinute: number;
  readonly exchangesPerMinute: number;
  /** Maximum searches and reads per link. 0: no limit. */
  readonly linkReadsPerMinute: number;
  readonly readLimits: ReadLimits;
}

/** Builds the HTTP application. It does not listen yet. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { identity, spaces, links, sessions, clock, baseUrl } = parts;
  const { access } = identity;
  const readLimit = createLinkReadLimit(parts.rates, parts.linkReadsPerMinute);
  const app = await createHttp({
    log: parts.log,
    trustedProxies: parts.trustedProxies,
    rates: parts.rates,
    clientLimits: { heldBytes: parts.heldBytes },
    idempotency: parts.idempotency,
  });
  closeConnectionsWhile(app, parts.isDraining);
  registerMetrics(app, parts);
  registerHealth(app, parts);
  registerHome(app);
  registerConsole(app, parts);
  registerDocumentation(app);
  registerOpenApi(app, parts);
  registerReference(app);
  registerIdentityRoutes(app, {
    ...identity,
    clock,
    baseUrl,
    signInsPerMinute: parts.signInsPerMinute,
  });
  registerInstallationRoutes(app, { access, installation: parts.installation });
  registerSpaceRoutes(app, { ...spaces, access });
  registerSourceRoutes(app, { ...parts.sources, access });
  registerWebhooksRoutes(app, { ...parts.webhooks, access });
  registerLinkRoutes(app, {
    links,
    sessions,
    access,
    clock,
    origins: spaces.spaces,
    baseUrl,
    exchangesPerMinute: parts.exchangesPerMinute,
  });
  registerWidgetRoutes(app, { stateOfToken: links.stateOfToken, origins: spaces.spaces });
  const knowledgeAccess = createKnowledgeAccess({
    ...parts.knowledge,
    access,
    sessions,
    links,
    readLimit,
  });
  registerKnowledgeRoutes(app, {
    ...parts.knowledge,
    access,
    sessions,
    links,
    knowledgeAccess,
    semaphores: new CallerSemaphores(parts.readLimits),
    origins: spaces.spaces,
    baseUrl,
  });
  registerAssistantRoutes(app, {
    ...parts.assistant,
    access,
    sessions,
    readLimit,
    origins: spaces.spaces,
    baseUrl,
    answersEndWithinMs: parts.answersEndWithinMs,
  });
  registerMcpRoutes(app, {
    ...parts.knowledge,
    callTools: parts.assistant.callTools,
    links,
    knowledgeAccess,
    baseUrl,
    version: parts.version,
  });
  registerErasureRoutes(app, { access, erasures: parts.erasures });
  const { tally, live } = parts;
  const events = { access, store: parts.events, clock, tally };
  registerIngestRoutes(app, {
    ...events,
    registry: parts.sources.registry,
    limits: parts.ingestLimits,
    rejections: parts.rejections,
    rejected: parts.rejected,
    rejectedDays: parts.rejectedDays,
    origins: spaces.spaces,
  });
  registerFeedRoutes(app, events);
  registerLiveRoutes(app, { access, live });
  registerStatsRoutes(app, {
    ...events,
    live,
    consumers: parts.consumers,
    allCounts: parts.allCounts,
  });
  return app;
}
