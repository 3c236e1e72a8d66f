import { MAX_DOCUMENT_BYTES } from '@gatehouse/contract';
import { failure, formatBytes } from './extraction-error.ts';
import type { Extraction, ExtractionSource, Extractor } from './extractor.ts';
import { THREAD_LIMITS } from './limits.ts';
import { ExtractionThread, type ThreadLimits } from './thread.ts';

export interface ExtractorOptions extends ThreadLimits {
  /** Time without a document after which the thread ends, in milliseconds. */
  readonly idleMs: number;
}

interface Waiting {
  readonly source: ExtractionSource;
  readonly resolve: (extraction: Extraction) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Creates an extractor that parses one document at a time in a thread. The thread starts with the first document,
 * ends after an idle period, and is replaced after a document that exceeded a limit. It keeps the process alive only
 * while it parses.
 *
 * @param options default: 30 s and 512 MiB per document, 60 s of idling.
 */
export function createExtractor(
  options: Partial<ExtractorOptions> = {},
): Extractor & AsyncDisposable {
  const limits = { ...THREAD_LIMITS, ...options };
  const waiting: Waiting[] = [];
  let thread: ExtractionThread | null = null;
  let running: Promise<void> | null = null;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  async function run(): Promise<void> {
    clearTimeout(idle);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        if (thread === null || thread.ended) thread = new ExtractionThread(limits);
        next.resolve(await thread.extract(next.source));
      } catch (error) {
        next.reject(closed ? closedError() : (error as Error));
      }
    }
    running = null;
    if (!closed) idle = setTimeout(endThread, limits.idleMs).unref();
  }

  async function endThread(): Promise<void> {
    const ending = thread;
    thread = null;
    await ending?.end();
  }

  async function close(): Promise<void> {
    closed = true;
    clearTimeout(idle);
    for (const { reject } of waiting.splice(0)) reject(closedError());
    await endThread();
    await running;
  }

  return {
    async extract(source) {
      if (closed) throw closedError();
      const { length } = source.bytes;
      if (length === 0) return failure('empty', 'The file is empty.');
      if (length > MAX_DOCUMENT_BYTES) return tooLarge();
      return new Promise((resolve, reject) => {
        waiting.push({ source, resolve, reject });
        running ??= run();
      });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function tooLarge(): Extraction {
  const most = formatBytes(MAX_DOCUMENT_BYTES);
  return failure('too-large', `A document may have ${most}; split it.`);
}

function closedError(): Error {
  return new Error('the extractor is closed');
}

export type { Passage } from './extractor.ts';
