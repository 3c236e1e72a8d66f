import { type ChatRoom, countTurns, createAnswerer, createChat } from '../assistant/index.ts';
import {
  countDocumentEvents,
  createKnowledge,
  type KnowledgeRoom,
  showDocumentEventsLag,
} from '../knowledge/index.ts';
import { createExtractor } from '../knowledge/parsers/index.ts';
import type { Links } from '../links/index.ts';
import type { Readers } from '../streams/consumers/index.ts';
import { embedderOf, pricesOf, turnRatesOf } from './from-settings.ts';
import type { Ground } from './ground.ts';
import { logFailedAnswer } from './log-lines.ts';

/** Documents, their search, and how they are kept in step with events. */
export function createKnowledgeRoom(ground: Ground, readers: Readers): KnowledgeRoom {
  const { settings, store, metrics, clock, log, opened } = ground;
  const knowledge = opened.use(
    createKnowledge({
      engine: store.knowledge,
      writeTogether: store.writeTogether,
      events: store.events,
      readers,
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
export function createChatRoom(ground: Ground, knowledge: KnowledgeRoom, links: Links): ChatRoom {
  const { settings, store, metrics, clock, log } = ground;
  return createChat({
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
    places: store.shared.places,
    count: countTurns(metrics),
    prices: pricesOf(settings),
    onFailure: (error, requestId) => logFailedAnswer(log, error, requestId),
  });
}
