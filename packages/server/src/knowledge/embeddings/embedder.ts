import { Worker } from 'node:worker_threads';

/** Turns texts into vectors. Vectors of texts with similar meanings are near each other. */
export interface Embedder {
  /** Name of the model, which is stored with each vector: vectors of two models are not comparable. */
  readonly model: string;
  /**
   * Returns one vector per text, in the same order. All have the model's number of dimensions and consist of finite
   * numbers, of which at least one is not 0.
   *
   * Rejects with `EmbeddingFailed` for any failure of the model, and after `timeoutMs`.
   */
  embed(texts: readonly string[], timeoutMs: number): Promise<readonly Float32Array[]>;
  /** Stops the thread and rejects pending calls. */
  close(): Promise<void>;
}

/** The model returned no vectors. The message contains neither texts nor keys, and there is no `cause` that could. */
export class EmbeddingFailed extends Error {
  override readonly name = 'EmbeddingFailed';
}

/** A model behind an API that is compatible with OpenAI's. */
export interface ModelApi {
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
  /** Continues "the embedding model". */
  | { readonly id: number; readonly failure: string };

type Pending = PromiseWithResolvers<readonly Float32Array[]>;

/** Time beyond the thread's own timeout, in case the thread hangs. */
const GRACE_MS = 1000;

/**
 * Creates an embedder that calls an API compatible with OpenAI's (`POST {url}/embeddings`) in a thread, which starts
 * with the first text. Each call is one request without retries.
 */
export function createEmbedder(api: ModelApi): Embedder {
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
      rejectAll('has no thread any more');
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
    else call?.reject(failed(reply.failure));
  }

  return {
    model: api.model,
    async embed(texts, timeoutMs) {
      if (closed) throw failed('is not used any more');
      worker ??= startThread();
      const id = ++lastId;
      const call = Promise.withResolvers<readonly Float32Array[]>();
      pending.set(id, call);
      const failure = `did not answer within ${timeoutMs} ms`;
      const limit = setTimeout(() => settle({ id, failure }), timeoutMs + GRACE_MS);
      worker.postMessage({ id, texts, timeoutMs } satisfies EmbeddingRequest);
      return call.promise.finally(() => clearTimeout(limit));
    },
    async close() {
      closed = true;
      rejectAll('is not used any more');
      await worker?.terminate();
    },
  };
}

function failed(reason: string): EmbeddingFailed {
  return new EmbeddingFailed(`the embedding model ${reason}`);
}
