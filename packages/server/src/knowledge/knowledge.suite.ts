import type { Store } from '../storage/ports/store.ts';
import { createConsumers } from '../streams/consumers/index.ts';
import { createKnowledge, type KnowledgeModule } from './create-knowledge.ts';
import type { ExtractionSource } from './parsers/extractor.ts';
import { createExtractor } from './parsers/index.ts';

export interface KnowledgeModuleOptions {
  /** Called before each extraction, which waits for the result. */
  readonly onExtract: (request: ExtractionSource) => unknown;
  readonly onError: (error: unknown) => void;
}

/** Creates the module over a store that the test opened, without a model and not started. */
export function knowledgeOver(
  store: Store,
  { onExtract, onError }: KnowledgeModuleOptions,
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
        await onExtract(request);
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
