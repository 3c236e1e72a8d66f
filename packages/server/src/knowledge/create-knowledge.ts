import type { FastifyInstance } from 'fastify';
import type { Access } from '../identity/index.ts';
import type { Clock } from '../lib/scheduling/index.ts';
import type { Links, SessionCorsDeps, WidgetSessions } from '../links/index.ts';
import type { EventStore, KnowledgeEngine, Leases, WriteTogether } from '../storage/ports/index.ts';
import type { Consumer, Consumers } from '../streams/consumers/index.ts';
import { registerDocumentRoutes } from './documents/document.routes.ts';
import { createDocuments, type Documents } from './documents/document.service.ts';
import type { Embedder } from './embeddings/embedder.ts';
import { Embedding } from './embeddings/embedding.service.ts';
import { createQueryVectors } from './embeddings/query-vector.service.ts';
import { Indexer } from './indexing/indexer.ts';
import type { Extractor } from './parsers/extractor.ts';
import { registerSearchRoutes } from './search/search.routes.ts';
import { createSearch, type SearchPassages } from './search/search.service.ts';
import { createViewers } from './search/viewer.service.ts';
import { createApplyEvent, type Outcome } from './synchronisation/apply-event.service.ts';
import { createDocumentEventRepository } from './synchronisation/document-event.repository.ts';
import { registerDocumentEventRoutes } from './synchronisation/document-event.routes.ts';
import {
  createDocumentEvents,
  type DocumentEvents,
} from './synchronisation/document-event.service.ts';
import { createDocumentSync } from './synchronisation/document-sync.service.ts';
import { createFollowedDocuments } from './synchronisation/followed-document.repository.ts';

export interface KnowledgeDeps {
  readonly engine: KnowledgeEngine;
  readonly writeTogether: WriteTogether;
  /** Where events about documents come from. */
  readonly events: EventStore;
  readonly consumers: Consumers;
  /** Documents are read, and vectors made, by one process at a time. */
  readonly leases: Leases;
  /** Hears what became of each event about a document. */
  readonly countEvent: (outcome: Outcome) => void;
  readonly extractor: Extractor;
  /** Null: search is by words alone. It is closed with the opened. */
  readonly embedder: Embedder | null;
  readonly clock: Clock;
  /** Background work failed; it is tried again. */
  readonly onError: (error: unknown) => void;
  /** The embedding model failed a search, which went on without it, or the vectors of documents, which are tried again. */
  readonly onEmbeddingFailure: (error: unknown, during: 'search' | 'documents') => void;
}

/** Knowledge as the other modules and the routes use it. */
export interface KnowledgeModule extends AsyncDisposable {
  readonly documents: Documents;
  readonly search: SearchPassages;
  readonly documentEvents: DocumentEvents;
  /** How many events each space has that were not looked at yet for what they say of documents. */
  readonly eventLags: Consumer['lags'];
  /** Goes on with what a former process left unread or unremoved. */
  start(): Promise<void>;
  /** The space is gone: so are its documents, by and by. */
  removeSpace(spaceId: string): void;
}

export function createKnowledge(deps: KnowledgeDeps): KnowledgeModule {
  const { engine, clock } = deps;
  const { embedding, vectorOf } = createEmbedding(deps);
  const reading = deps.leases.job('reading', async (term) => {
    const work = new Indexer({ ...deps, onReady: () => embedding?.notify('') }, term);
    work.onHint('');
    return work;
  });
  const onWork = () => reading.notify('');
  const events = createDocumentEventRepository(engine.db);
  const documents = createFollowedDocuments(deps);
  const apply = createApplyEvent({ documents, events, clock, onWork, onError: deps.onError });
  const sync = createDocumentSync({
    consumers: deps.consumers,
    apply,
    count: deps.countEvent,
    onFailure: deps.onError,
  });
  return {
    documents: createDocuments({ engine, clock, onWork }),
    search: createSearch({ engine, vectorOf }),
    documentEvents: createDocumentEvents({ events, store: deps.events, apply }),
    eventLags: sync.lags,
    async start() {
      await embedding?.start();
      await reading.start();
      await sync.start();
    },
    removeSpace: (spaceId) => reading.notify(spaceId),
    async [Symbol.asyncDispose]() {
      const ended = [
        sync.close(),
        reading[Symbol.asyncDispose](),
        embedding?.[Symbol.asyncDispose](),
      ];
      // What is under way there is broken off.
      await Promise.all([deps.extractor.close(), deps.embedder?.close()]);
      await Promise.all(ended);
    },
  };
}

function createEmbedding({ engine, leases, embedder, onEmbeddingFailure }: KnowledgeDeps) {
  if (embedder === null) return { embedding: null, vectorOf: null };
  return {
    embedding: leases.job('embedding', async (term) => {
      const onFailure = (error: unknown) => onEmbeddingFailure(error, 'documents');
      const work = new Embedding({ engine, embedder, onFailure }, term);
      work.onHint();
      return work;
    }),
    vectorOf: createQueryVectors({
      embedder,
      onFailure: (error) => onEmbeddingFailure(error, 'search'),
    }),
  };
}

export interface KnowledgeRoutesDeps
  extends Pick<KnowledgeModule, 'documents' | 'search' | 'documentEvents'>,
    Pick<SessionCorsDeps, 'baseUrl'> {
  readonly access: Pick<Access, 'caller' | 'space'>;
  readonly sessions: Pick<WidgetSessions, 'verify' | 'spaceOf'>;
  readonly links: Pick<Links, 'filtersOf'>;
}

export function registerKnowledgeRoutes(app: FastifyInstance, deps: KnowledgeRoutesDeps): void {
  const viewers = createViewers(deps);
  registerDocumentRoutes(app, { ...deps, viewers });
  registerSearchRoutes(app, { ...deps, viewers });
  registerDocumentEventRoutes(app, deps);
}
