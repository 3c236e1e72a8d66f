import {
  type AssistantModule,
  countTurns,
  createAnswerer,
  createAssistant,
} from '../assistant/index.ts';
import {
  countDocumentEvents,
  createKnowledge,
  type KnowledgeModule,
  showDocumentEventsLag,
} from '../knowledge/index.ts';
import { createExtractor } from '../knowledge/parsers/index.ts';
import type { Links } from '../links/index.ts';
import type { Consumers } from '../streams/consumers/index.ts';
import { embedderOf, pricesOf, turnRatesOf } from './from-settings.ts';
import type { Ground } from './ground.ts';
import { logFailedAnswer } from './log-lines.ts';

/** Documents, their search, and how they are kept in step with events. */
export function createKnowledgeModule(ground: Ground, consumers: Consumers): KnowledgeModule {
  const { settings, store, metrics, clock, log, opened } = ground;
  const knowledge = opened.use(
    createKnowledge({
      engine: store.knowledge,
      writeTogether: store.writeTogether,
      events: store.events,
      consumers,
      leases: store.leases,
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
  return knowledge;
}

/** What the assistant answers, to whom and how often. */
export function createAssistantModule(
  ground: Ground,
  knowledge: KnowledgeModule,
  links: Links,
): AssistantModule {
  const { settings, store, metrics, clock, log } = ground;
  return createAssistant({
    db: store.db,
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
    rates: store.shared.rates,
    semaphores: store.shared.semaphores,
    count: countTurns(metrics),
    prices: pricesOf(settings),
    onFailure: (error, requestId) => logFailedAnswer(log, error, requestId),
  });
}
