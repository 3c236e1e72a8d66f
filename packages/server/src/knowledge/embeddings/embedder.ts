import { Worker } from 'node:worker_threads';
import { inSpan } from '../../platform/traces/index.ts';

/**
 * Converts texts to vectors. Texts with similar meanings have vectors that are close to each other.
 *
 * @example
 * const [vector] = await embedder.embed(['How do I return an order?'], 2000);
 */
export interface Embedder {
  /** Name of the model. It is stored with each vector, because vectors of different models are not comparable. */
  readonly model: string;
  /**
   * Returns one vector per text, in the order of the texts. The vectors have the same number of dimensions and contain only
   * finite numbers. No vector is zero.
   *
   * @throws EmbeddingFailed for any failure of the model, and after `timeoutMs` milliseconds.
   */
  embed(texts: readonly string[], timeoutMs: number): Promise<readonly Float32Array[]>;
  /** Stops the thread and rejects pending calls. */
  close(): Promise<void>;
}

/** The model returned no valid vectors. The error contains neither texts nor keys, so it has no `cause`. */
export class EmbeddingFailed extends Error {
  override readonly name = 'EmbeddingFailed';
  /** `true` if the model rejected these texts, and may accept others. */
  readonly rejectsTexts: boolean;

  constructor(message: string, rejectsTexts = false) {
    super(message);
    this.rejectsTexts = rejectsTexts;
  }
}

/** An OpenAI-compatible API. */
export interface EmbeddingApi {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly key: string | null;
  readonly model: string;
}

export interface EmbeddingRequest {
  readonly id: number;
  readonly texts: readonly string[];
  readonly timeoutMs: number;
}

export type EmbeddingReply =
  | { readonly id: number; readonly vectors: readonly Float32Array[] }
  /** `failure` completes a sentence that starts with "the embedding model". */
  | { readonly id: number; readonly failure: string; readonly rejectsTexts?: boolean };

type Pending = PromiseWithResolvers<readonly Float32Array[]>;

/** Milliseconds to wait after the thread's own timeout before the thread counts as hanging. */
const GRACE_MS = 1000;

/**
 * Creates an embedder that calls an OpenAI-compatible API (`POST {url}/embeddings`) in a thread. The thread starts with the
 * first call. Each call is one request without retries.
 */
export function createEmbedder(api: EmbeddingApi): Embedder {
  const pending = new Map<number, Pending>();
  let worker: Worker | null = null;
  let lastId = 0;
  let closed = false;

  function rejectAll(reason: string): void {
    for (const { reject } of pending.values()) reject(failed(reason));
    pending.clear();
  }

  function startThread(): Worker {
    const started = new Worker(new URL('./embedding-thread.ts', import.meta.url), {
      name: 'models',
      workerData: api,
    });
    const ended = () => {
      if (worker !== started) return;
      worker = null;
      rejectAll('failed because its thread ended');
    };
    started.on('message', (reply: EmbeddingReply) => settle(reply));
    started.on('error', ended);
    started.on('exit', ended);
    return started;
  }

  function settle(reply: EmbeddingReply): void {
    const call = pending.get(reply.id);
    pending.delete(reply.id);
    if ('vectors' in reply) call?.resolve(reply.vectors);
    else call?.reject(failed(reply.failure, reply.rejectsTexts));
  }

  async function embed(texts: readonly string[], timeoutMs: number) {
    if (closed) throw failed('is closed');
    worker ??= startThread();
    const id = ++lastId;
    const call = Promise.withResolvers<readonly Float32Array[]>();
    pending.set(id, call);
    const failure = `did not respond within ${timeoutMs} ms`;
    const limit = setTimeout(() => settle({ id, failure }), timeoutMs + GRACE_MS);
    worker.postMessage({ id, texts, timeoutMs } satisfies EmbeddingRequest);
    return call.promise.finally(() => clearTimeout(limit));
  }

  return {
    model: api.model,
    embed: (texts, timeoutMs) => {
      const attributes = {
        'gen_ai.operation.name': 'embeddings',
        'gen_ai.request.model': api.model,
        'gatehouse.texts': texts.length,
      };
      const options = { kind: 'client', attributes } as const;
      return inSpan(`embeddings ${api.model}`, options, () => embed(texts, timeoutMs));
    },
    async close() {
      closed = true;
      rejectAll('is closed');
      await worker?.terminate();
    },
  };
}

function failed(reason: string, rejectsTexts?: boolean): EmbeddingFailed {
  return new EmbeddingFailed(`the embedding model ${reason}`, rejectsTexts);
}
