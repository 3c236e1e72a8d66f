import type { Store } from '../storage/ports/store.ts';
import { createConsumers } from '../streams/consumers/index.ts';
import { createKnowledge, type KnowledgeModule } from './create-knowledge.ts';
import type { ExtractionSource } from './parsers/extractor.ts';
import { createExtractor } from './parsers/index.ts';

export interface KnowledgeModuleOptions {
  /** Hears of each reading of a document, which waits for what it returns. */
  readonly onRead: (request: ExtractionSource) => unknown;
  readonly onError: (error: unknown) => void;
}

/** The opened over a store that the test opened, as the service has it without a model. Not started. */
export function knowledgeOver(
  store: Store,
  { onRead, onError }: KnowledgeModuleOptions,
): KnowledgeModule {
  const extractor = createExtractor();
  return createKnowledge({
    engine: store.knowledge,
    writeTogether: store.writeTogether,
    events: store.events,
    leases: store.leases,
    consumers: createConsumers({ ...store, store: store.events, clock: Date.now }),
    countEvent: () => {},
    extractor: {
      async extract(request) {
        await onRead(request);
        return extractor.extract(request);
      },
      close: () => extractor.close(),
    },
    embedder: null,
    clock: Date.now,
    onError,
    onEmbeddingFailure: onError,
  });
}
