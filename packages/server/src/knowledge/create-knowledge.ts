import type { FastifyInstance } from 'fastify';
import type { Access } from '../identity/index.ts';
import type { Clock } from '../lib/scheduling/index.ts';
import type { CallerSemaphores } from '../lib/threads/index.ts';
import type { Links, SessionCorsDeps, WidgetSessions } from '../links/index.ts';
import type {
  EventStore,
  KnowledgeEngine,
  Leases,
  WriteAtomically,
} from '../storage/ports/index.ts';
import type { Consumer, Consumers } from '../streams/consumers/index.ts';
import { registerCorrectedAnswerRoutes } from './answers/corrected-answer.routes.ts';
import { registerCrawlRoutes } from './crawls/crawl.routes.ts';
import { type CrawlModule, createCrawlModule } from './crawls/create-crawls.ts';
import type { SiteClientOptions } from './crawls/site/site-client.ts';
import { registerDocumentRoutes } from './documents/document.routes.ts';
import { createDocuments, type Documents } from './documents/document.service.ts';
import type { Embedder } from './embeddings/embedder.ts';
import { createQueryVectors, EmbeddingJob } from './embeddings/embedding.service.ts';
import { Indexer } from './indexing/indexer.ts';
import type { Extractor } from './parsers/extractor.ts';
import { registerAccessPreviewRoutes } from './preview/access-preview.routes.ts';
import { createAccessPreviews } from './preview/access-preview.service.ts';
import { createDocumentLinks } from './preview/document-links.service.ts';
import { createMetadataFields } from './preview/metadata-fields.service.ts';
import { createPreviewRepository, type PreviewRepository } from './preview/preview.repository.ts';
import { createProjectionModule, type ProjectionModule } from './projections/create-projections.ts';
import { registerProjectionRoutes } from './projections/projection.routes.ts';
import { loadLargestSpaces } from './search/load-spaces.ts';
import type { KnowledgeAccess } from './search/scope.ts';
import { registerSearchRoutes } from './search/search.routes.ts';
import { createSearch, type SearchPassages } from './search/search.service.ts';
import { createApplyEvent, type Outcome } from './synchronisation/apply-event.service.ts';
import { createDocumentEventConsumer } from './synchronisation/document-event.consumer.ts';
import { createDocumentEventRepository } from './synchronisation/document-event.repository.ts';
import { registerDocumentEventRoutes } from './synchronisation/document-event.routes.ts';
import {
  createDocumentEvents,
  type DocumentEvents,
} from './synchronisation/document-event.service.ts';
import { createSynchronisedDocuments } from './synchronisation/synchronised-document.repository.ts';
import { createReadUpload, type ReadUpload } from './uploads/read-upload.ts';
import { createStagedOriginals } from './uploads/staged-original.repository.ts';
import { registerVersionRoutes } from './versions/version.routes.ts';
import { createDocumentVersions, type DocumentVersions } from './versions/versions.service.ts';

export interface KnowledgeDeps {
  readonly engine: KnowledgeEngine;
  readonly writeAtomically: WriteAtomically;
  readonly events: EventStore;
  readonly consumers: Consumers;
  /** Leases that ensure that at most one process indexes documents and at most one process embeds documents. */
  readonly leases: Leases;
  readonly countEvent: (outcome: Outcome) => void;
  /** Called when a document of the space can be found. */
  readonly onIndexed: (spaceId: string) => void;
  readonly extractor: Extractor;
  /** `null`: searches rank by keywords only. The module closes the embedder. */
  readonly embedder: Embedder | null;
  /** Settings of the client that reads sites. */
  readonly site: SiteClientOptions;
  readonly clock: Clock;
  /** Maximum number of records per projection. */
  readonly maxRecords: number;
  /** Called when background work fails. The module retries the work. */
  readonly onError: (error: unknown) => void;
  /** Called when the embedding model fails. A failed search then uses keywords only, and failed documents are retried. */
  readonly onEmbeddingFailure: (error: unknown, during: 'search' | 'documents') => void;
}

export interface KnowledgeModule extends AsyncDisposable {
  readonly documents: Documents;
  readonly versions: DocumentVersions;
  readonly search: SearchPassages;
  readonly documentEvents: DocumentEvents;
  readonly crawls: CrawlModule['crawls'];
  readonly projections: ProjectionModule['projections'];
  readonly eraseRecords: ProjectionModule['eraseRecords'];
  readonly projectionLag: ProjectionModule['lag'];
  readonly previewReads: PreviewRepository;
  /** Receives a file and extracts its text, without storing a document. */
  readonly readUpload: ReadUpload;
  /** Throws if a search or read of this owner would be rejected immediately. */
  readonly admit: KnowledgeEngine['admit'];
  /** Returns the number of unprocessed events per space. */
  readonly eventLags: Consumer['lags'];
  /** Starts the jobs and the consumer. They resume the unfinished work of earlier processes. */
  start(): Promise<void>;
  /** Removes the documents of a deleted space in the background. */
  removeSpace(spaceId: string): void;
}

export function createKnowledge(deps: KnowledgeDeps): KnowledgeModule {
  const { engine, clock } = deps;
  const { embedding, vectorOf } = createEmbedding(deps);
  const indexing = deps.leases.job('indexing', async (term) => {
    const onReady = (spaceId: string) => {
      deps.onIndexed(spaceId);
      embedding?.notify('');
    };
    const work = new Indexer({ ...deps, onReady }, term);
    work.onHint('');
    return work;
  });
  const onWork = () => indexing.notify('');
  const records = createProjectionModule({ ...deps, onRemoved: onWork });
  const crawling = createCrawlModule(deps);
  const events = createDocumentEventRepository(engine.db);
  const documents = createSynchronisedDocuments(deps);
  const apply = createApplyEvent({ documents, events, clock, onWork, onError: deps.onError });
  const eventConsumer = createDocumentEventConsumer({
    consumers: deps.consumers,
    apply,
    count: deps.countEvent,
    onFailure: deps.onError,
  });
  const stopped = new AbortController();
  let loading: Promise<unknown> = Promise.resolve();
  return {
    documents: createDocuments({ engine, clock, onWork }),
    versions: createDocumentVersions({ engine, clock, onWork }),
    search: createSearch({ engine, vectorOf }),
    previewReads: createPreviewRepository(engine),
    readUpload: createReadUpload({
      engine,
      extractor: deps.extractor,
      staged: createStagedOriginals({ engine, clock, onWork }),
    }),
    admit: engine.admit,
    documentEvents: createDocumentEvents({ events, store: deps.events, apply }),
    crawls: crawling.crawls,
    projections: records.projections,
    eraseRecords: records.eraseRecords,
    projectionLag: records.lag,
    eventLags: eventConsumer.lags,
    async start() {
      await embedding?.start();
      await indexing.start();
      await eventConsumer.start();
      await records.start();
      await crawling.start();
      // A space that could not be loaded is loaded by its first search.
      loading = loadLargestSpaces({ engine, signal: stopped.signal }).catch((error) => {
        if (!stopped.signal.aborted) deps.onError(error);
      });
    },
    removeSpace: (spaceId) => indexing.notify(spaceId),
    async [Symbol.asyncDispose]() {
      stopped.abort();
      const ended = [
        loading,
        crawling[Symbol.asyncDispose](),
        eventConsumer.close(),
        records[Symbol.asyncDispose](),
        indexing[Symbol.asyncDispose](),
        embedding?.[Symbol.asyncDispose](),
      ];
      // Rejects work in flight, so that the jobs can stop.
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
      const work = new EmbeddingJob({ engine, embedder, onFailure }, term);
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
  extends Pick<
      KnowledgeModule,
      | 'documents'
      | 'versions'
      | 'crawls'
      | 'search'
      | 'documentEvents'
      | 'projections'
      | 'previewReads'
      | 'admit'
    >,
    Pick<SessionCorsDeps, 'baseUrl' | 'origins'> {
  readonly access: Pick<Access, 'caller' | 'user' | 'space'>;
  readonly sessions: Pick<WidgetSessions, 'verify' | 'spaceOf'>;
  readonly links: Pick<Links, 'filtersOf' | 'preview' | 'newestActive'>;
  readonly knowledgeAccess: KnowledgeAccess;
  /** Semaphores of searches with large filters. */
  readonly semaphores: CallerSemaphores;
}

export function registerKnowledgeRoutes(app: FastifyInstance, deps: KnowledgeRoutesDeps): void {
  registerDocumentRoutes(app, deps);
  registerVersionRoutes(app, deps);
  registerCorrectedAnswerRoutes(app, deps);
  registerSearchRoutes(app, deps);
  registerDocumentEventRoutes(app, deps);
  registerProjectionRoutes(app, deps);
  registerCrawlRoutes(app, deps);
  registerAccessPreviewRoutes(app, {
    access: deps.access,
    previews: createAccessPreviews({ ...deps, repository: deps.previewReads }),
    metadataFields: createMetadataFields({ ...deps, repository: deps.previewReads }),
    documentLinks: createDocumentLinks({ ...deps, repository: deps.previewReads }),
  });
}
