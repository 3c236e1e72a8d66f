import { parentPort, workerData } from 'node:worker_threads';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, embedMany } from 'ai';
import { checkVectors } from './check-vectors.ts';
import type { EmbeddingOrder, EmbeddingReply, ModelApi } from './messages.ts';

/*
 * The SDK takes a while to load, and an answer is a megabyte of numbers in JSON: neither is for the
 * event loop, so both happen in this thread. Its errors hold the texts and the headers that were
 * sent, so none of them leaves it.
 */
const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');
const { url, key, model: name } = workerData as ModelApi;
const provider = createOpenAICompatible({
  name: 'model',
  baseURL: url,
  ...(key === null ? {} : { apiKey: key }),
});
const model = provider.embeddingModel(name);
// It would print them.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

port.on('message', async (order: EmbeddingOrder) => {
  const reply = await replyTo(order);
  const buffers = 'vectors' in reply ? reply.vectors.map(({ buffer }) => buffer) : [];
  port.postMessage(reply, buffers as ArrayBuffer[]);
});

async function replyTo({ id, texts, timeoutMs }: EmbeddingOrder): Promise<EmbeddingReply> {
  const abortSignal = AbortSignal.timeout(timeoutMs);
  try {
    const { embeddings } = await embedMany({
      model,
      values: [...texts],
      // Whoever asks knows better whether and when to try again.
      maxRetries: 0,
      telemetry: { isEnabled: false },
      abortSignal,
    });
    const checked = checkVectors(embeddings, texts.length);
    return checked.ok ? { id, vectors: checked.vectors } : { id, failure: checked.reason };
  } catch (error) {
    const failure = abortSignal.aborted ? `did not answer within ${timeoutMs} ms` : reasonOf(error);
    return { id, failure };
  }
}

function reasonOf(error: unknown): string {
  if (!APICallError.isInstance(error)) return 'gave an answer that holds no list of vectors';
  const { statusCode } = error;
  if (statusCode === undefined) return 'could not be reached';
  return statusCode >= 200 && statusCode < 300
    ? 'gave an answer that holds no list of vectors'
    : `answered with status ${statusCode}`;
}
