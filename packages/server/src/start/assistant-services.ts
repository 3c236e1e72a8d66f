import {
  AnswerFailure,
  type AssistantModule,
  countTurns,
  createAnswerer,
  createAssistant,
  createModelDirectory,
  type ModelDirectory,
  type Prices,
  TOOL_LIMITS,
} from '../assistant/index.ts';
import { createEmbedder, type Embedder } from '../knowledge/embeddings/index.ts';
import {
  countDocumentEvents,
  createKnowledge,
  type KnowledgeModule,
  showDocumentEventsLag,
  showProjectionsLag,
} from '../knowledge/index.ts';
import { createExtractor } from '../knowledge/parsers/index.ts';
import type { Links } from '../links/index.ts';
import { createWebhookSender } from '../outbound/webhooks/sending/index.ts';
import { VERSION } from '../platform/installation/index.ts';
import type { Log } from '../platform/logs/index.ts';
import type { Settings } from '../platform/settings/index.ts';
import { createBudgetRepository } from '../platform/usage/index.ts';
import type { Consumers } from '../streams/consumers/index.ts';
import type { Infrastructure } from './infrastructure.ts';

/** Creates the services for documents: indexing, search and synchronisation from events. */
export function createKnowledgeServices(
  { settings, store, metrics, clock, log, opened, usage, lookups }: Infrastructure,
  consumers: Consumers,
): KnowledgeModule {
  const knowledge = opened.use(
    createKnowledge({
      engine: store.knowledge,
      writeAtomically: store.writeAtomically,
      events: store.events,
      consumers,
      leases: store.leases,
      countEvent: countDocumentEvents(metrics),
      onIndexed: (spaceId) => usage.count(spaceId, { documents: 1 }),
      maxRecords: settings.recordsProjection,
      extractor: createExtractor(),
      embedder: embedderOf(settings),
      site: {
        allowed: settings.deliveryAllow,
        userAgent: `gatehouse-crawler/${VERSION}`,
        lookups,
      },
      clock,
      onError: (err) =>
        log.error({ err }, 'background work on documents failed; it will be retried'),
      onEmbeddingFailure: (err, during) =>
        log.warn(
          { err },
          during === 'search'
            ? 'embedding failed; searches use keyword ranking until it recovers'
            : 'embedding of documents failed; it will be retried',
        ),
    }),
  );
  showDocumentEventsLag(metrics, knowledge.eventLags);
  showProjectionsLag(metrics, knowledge.projectionLag);
  return knowledge;
}

export function createAssistantServices(
  { settings, store, metrics, clock, log, usage, secret, lookups }: Infrastructure,
  knowledge: KnowledgeModule,
  links: Links,
): AssistantModule {
  const { rateLimitChat: person, rateLimitChatLink } = settings;
  const models = modelsOf(settings);
  return createAssistant({
    db: store.db,
    writeAtomically: store.writeAtomically,
    events: store.events,
    knowledge,
    attachmentLimits: {
      perConversation: settings.attachmentsConversation,
      perLink: settings.attachmentsLink,
      bytes: settings.attachmentBytes,
      perMinute: settings.rateLimitAttachments,
    },
    links,
    answerer: createAnswerer(models, (model, { code, detail }) =>
      log.warn({ model, code, detail }, 'a model failed; another model answers'),
    ),
    toolSender: createWebhookSender({
      allowed: settings.deliveryAllow,
      userAgent: `gatehouse/${VERSION}`,
      limits: TOOL_LIMITS,
      lookups,
    }),
    secret,
    onToolFailure: (err) => log.error({ err }, 'a tool call failed'),
    clock,
    // Several users may share a link.
    turnsPerMinute: { person, link: rateLimitChatLink ?? 3 * person },
    rates: store.shared.rates,
    semaphores: store.shared.semaphores,
    hints: store.hints,
    budgets: createBudgetRepository(store.db),
    count: countTurns(metrics, usage),
    pricesOf: (model) => models.find(model)?.prices ?? null,
    onFailure: (error, requestId) => logFailedAnswer(log, error, requestId),
  });
}

/** Returns `null` if no embedding model is configured. If a model is configured, the settings also contain the model URL. */
function embedderOf({ modelUrl, modelKey, embeddingModel }: Settings): Embedder | null {
  if (modelUrl === null || embeddingModel === null) return null;
  return createEmbedder({ url: modelUrl, key: modelKey?.reveal() ?? null, model: embeddingModel });
}

function modelsOf(settings: Settings): ModelDirectory {
  const { modelUrl: url, modelName: name, modelFallback: fallback, models } = settings;
  const key = settings.modelKey?.reveal() ?? null;
  return createModelDirectory({
    api: url === null ? null : { url, key },
    prices: pricesOf(settings),
    named: new Map(models?.reveal().map((model) => [model.name, model])),
    name,
    fallback,
  });
}

/** Returns `null` if no prices are configured. The settings contain either both prices or neither. */
function pricesOf({ modelPriceInput: input, modelPriceOutput: output }: Settings): Prices | null {
  return input === null || output === null ? null : { input, output };
}

/** Logs an expected failure of the model without a stack trace. */
function logFailedAnswer(log: Log, err: unknown, requestId: string): void {
  if (err instanceof AnswerFailure) {
    const { code, detail } = err;
    log.warn({ requestId, code, detail }, 'an answer failed');
  } else log.error({ requestId, err }, 'an answer failed');
}
