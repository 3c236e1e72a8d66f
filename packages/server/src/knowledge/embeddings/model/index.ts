import { Worker } from 'node:worker_threads';
import { type Embedder, EmbeddingFailed } from '../embedder.ts';
import type { EmbeddingOrder, EmbeddingReply, ModelApi } from './messages.ts';

export type { ModelApi } from './messages.ts';

type Waiting = PromiseWithResolvers<readonly Float32Array[]>;

/** The thread's own limit comes first, unless the thread itself is stuck; loading the SDK takes a while, too. */
const GRACE_MS = 1000;

/**
 * Embeds by an API that speaks as OpenAI's does (`POST {url}/embeddings`), in a thread that starts with
 * the first text. Each call is one request, and none is repeated.
 */
export function createEmbedder(api: ModelApi): Embedder {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let lastId = 0;
  let closed = false;

  function rejectAll(reason: string): void {
    for (const { reject } of waiting.values()) reject(failed(reason));
    waiting.clear();
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
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('vectors' in reply) asked?.resolve(reply.vectors);
    else asked?.reject(failed(reply.failure));
  }

  return {
    model: api.model,
    async embed(texts, timeoutMs) {
      if (closed) throw failed('is not used any more');
      worker ??= startThread();
      const id = ++lastId;
      const asked = Promise.withResolvers<readonly Float32Array[]>();
      waiting.set(id, asked);
      const failure = `did not answer within ${timeoutMs} ms`;
      const limit = setTimeout(() => settle({ id, failure }), timeoutMs + GRACE_MS);
      worker.postMessage({ id, texts, timeoutMs } satisfies EmbeddingOrder);
      return asked.promise.finally(() => clearTimeout(limit));
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
