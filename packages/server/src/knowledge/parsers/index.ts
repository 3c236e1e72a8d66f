import { MAX_DOCUMENT_BYTES } from '@gatehouse/contract';
import { failure, formatBytes } from './extraction-error.ts';
import { ExtractionPool, type PoolOptions } from './extraction-pool.ts';
import type { ExtractionFailure, Extractor } from './extractor.ts';
import { PROCESS_LIMITS } from './limits.ts';

export type { PoolOptions as ExtractorOptions };

/**
 * Creates an extractor that parses documents in separate processes. A process starts with the first document, ends when idle,
 * and is replaced after a document exceeds a limit. Processes keep the service alive only during an extraction.
 *
 * @param options Default: 2 processes, 30 s per document and 192 MiB per process, 60 s idle time.
 * @example
 * await using extractor = createExtractor();
 * const read = () => streamParts(db, document, size);
 * const { ok } = await extractor.extract({ spaceId, mimeType: 'application/pdf', size, read }, sink);
 */
export function createExtractor(options: Partial<PoolOptions> = {}): Extractor & AsyncDisposable {
  const limits = { ...PROCESS_LIMITS, ...options };
  const pool = new ExtractionPool(limits);
  const close = () => pool.close();
  return {
    parallel: limits.processes,
    async extract(source, sink) {
      if (source.size === 0) return failure('empty', 'The file is empty.');
      if (source.size > MAX_DOCUMENT_BYTES) return tooLarge();
      return pool.extract(source, sink);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function tooLarge(): ExtractionFailure {
  const limit = formatBytes(MAX_DOCUMENT_BYTES);
  return failure('too-large', `A document may have at most ${limit}; split the document.`);
}
