import assert from 'node:assert/strict';
import { after } from 'node:test';
import { parserOfTestRun } from '../../tests/support/services/program.ts';
import { FairLookups } from '../lib/network/index.ts';
import { openNewStore } from '../storage/open-store.suite.ts';
import type { Store } from '../storage/ports/store.ts';
import { createConsumers } from '../streams/consumers/index.ts';
import { createKnowledge, type KnowledgeModule } from './create-knowledge.ts';
import type { ExtractionSource } from './parsers/extractor.ts';
import { createExtractor } from './parsers/index.ts';

export interface KnowledgeModuleOptions {
  /** Called before each extraction. The extraction waits for the returned promise. */
  readonly onExtract: (source: ExtractionSource) => unknown;
  /** Number of parser processes. Default 2. */
  readonly processes?: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Starts the module on a new store. After the tests of the file, closes both, and fails if the module reported an error.
 *
 * @param onExtract see `KnowledgeModuleOptions`.
 */
export async function startKnowledge(onExtract: () => unknown = () => {}) {
  const store = await openNewStore();
  const errors: unknown[] = [];
  const knowledge = knowledgeOver(store, { onExtract, onError: (error) => errors.push(error) });
  await knowledge.start();
  after(async () => {
    await knowledge[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    assert.deepEqual(errors, []);
  });
  return { ...knowledge, store };
}

/** Creates the module on an open store, without an embedding model. The caller starts the module. */
export function knowledgeOver(
  store: Store,
  { onExtract, onError, processes = 2 }: KnowledgeModuleOptions,
): KnowledgeModule {
  const extractor = createExtractor({ processes, ...parserOfTestRun() });
  return createKnowledge({
    engine: store.knowledge,
    writeAtomically: store.writeAtomically,
    events: store.events,
    leases: store.leases,
    consumers: createConsumers({ ...store, store: store.events, clock: Date.now }),
    onIndexed: () => {},
    countEvent: () => {},
    extractor: {
      parallel: extractor.parallel,
      async extract(source, sink) {
        await onExtract(source);
        return extractor.extract(source, sink);
      },
      close: () => extractor.close(),
    },
    embedder: null,
    site: { allowed: [], userAgent: 'test', lookups: new FairLookups() },
    maxRecords: 1000,
    clock: Date.now,
    onError,
    onEmbeddingFailure: onError,
  });
}
