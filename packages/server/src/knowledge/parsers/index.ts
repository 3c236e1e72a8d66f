import { MAX_DOCUMENT_BYTES } from '@gatehouse/contract';
import type { Extraction, ExtractionSource, Extractor } from './extractor.ts';
import { THREAD_LIMITS } from './limits.ts';
import { failure, shownBytes } from './refusal.ts';
import { ExtractionThread, type ThreadLimits } from './thread.ts';

export interface ExtractorOptions extends ThreadLimits {
  /** Milliseconds without a document after which the thread ends. */
  readonly idleMs: number;
}

interface Waiting {
  readonly source: ExtractionSource;
  readonly resolve: (extraction: Extraction) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Reads documents in a thread of its own, one at a time. The thread starts with the first document,
 * ends when there was none for a while, and is replaced after one that exceeded a limit. While a
 * document is read the process stays alive; between documents it does not.
 *
 * @param options 30 s and 512 MiB for a document, and 60 s of idling, unless told otherwise.
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
        next.resolve(await thread.read(next.source));
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
  const most = shownBytes(MAX_DOCUMENT_BYTES);
  return failure('too-large', `A document may have ${most}; split it.`);
}

function closedError(): Error {
  return new Error('the extractor is closed');
}

export type { Passage } from './extractor.ts';
