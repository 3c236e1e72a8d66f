import { parentPort, workerData } from 'node:worker_threads';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, embedMany } from 'ai';
import type { EmbeddingApi, EmbeddingReply, EmbeddingRequest } from './embedder.ts';

/** Maximum number of dimensions, which no known model exceeds. A vector takes 1.3 bytes per dimension on disk. */
const MAX_DIMENSIONS = 8192;
/** Maximum size of a response in bytes, after decompression. A vector of 1,536 dimensions takes about 34 kB as JSON. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/*
 * Loading the SDK and parsing a response (about a megabyte of numbers in JSON) would block the event loop, so both happen
 * in this thread. The SDK's errors contain texts and headers of the request, so they never leave the thread.
 */
const port = parentPort;
if (port === null) throw new Error('This file must run in a worker thread.');
const { url, key, model: name } = workerData as EmbeddingApi;
const provider = createOpenAICompatible({
  name: 'model',
  baseURL: url,
  ...(key === null ? {} : { apiKey: key }),
  fetch: async (input, init) => {
    // A redirect would send texts of documents to another server.
    const { status, headers, body } = await fetch(input, { ...init, redirect: 'manual' });
    return new Response(body?.pipeThrough(limitedTo(MAX_RESPONSE_BYTES)) ?? null, {
      status,
      headers,
    });
  },
});
const model = provider.embeddingModel(name);
// Prevents the SDK from printing warnings.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

port.on('message', async (request: EmbeddingRequest) => {
  const reply = await replyTo(request);
  const buffers = 'vectors' in reply ? reply.vectors.map(({ buffer }) => buffer) : [];
  port.postMessage(reply, buffers as ArrayBuffer[]);
});

async function replyTo({ id, texts, timeoutMs }: EmbeddingRequest): Promise<EmbeddingReply> {
  const abortSignal = AbortSignal.timeout(timeoutMs);
  try {
    const { embeddings } = await embedMany({
      model,
      values: [...texts],
      // The caller retries.
      maxRetries: 0,
      telemetry: { isEnabled: false },
      abortSignal,
    });
    const checked = checkVectors(embeddings, texts.length);
    return checked.ok ? { id, vectors: checked.vectors } : { id, failure: checked.reason };
  } catch (error) {
    const failure = abortSignal.aborted
      ? `did not respond within ${timeoutMs} ms`
      : reasonOf(error);
    return { id, failure, rejectsTexts: rejectsTexts(error) };
  }
}

class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
}

/** Returns a stream that fails with `ResponseTooLarge` after this many bytes. */
function limitedTo(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes;
  return new TransformStream({
    transform(chunk, controller) {
      left -= chunk.byteLength;
      if (left < 0) throw new ResponseTooLarge();
      controller.enqueue(chunk);
    },
  });
}

function isTooLarge(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof ResponseTooLarge || isTooLarge(error.cause);
}

/** Statuses with which a model rejects a text, for example because it is too long. */
const REJECTED_TEXTS: readonly unknown[] = [400, 413, 422];

function rejectsTexts(error: unknown): boolean {
  return APICallError.isInstance(error) && REJECTED_TEXTS.includes(error.statusCode);
}

function reasonOf(error: unknown): string {
  if (isTooLarge(error)) return `returned more than ${MAX_RESPONSE_BYTES} bytes`;
  if (!APICallError.isInstance(error)) return 'returned no list of vectors';
  const { statusCode } = error;
  if (statusCode === undefined) return 'could not be reached';
  return statusCode >= 200 && statusCode < 300
    ? 'returned no list of vectors'
    : `returned status ${statusCode}`;
}

type CheckedVectors =
  | { readonly ok: true; readonly vectors: readonly Float32Array<ArrayBuffer>[] }
  /** `reason` completes a sentence that starts with "the embedding model". */
  | { readonly ok: false; readonly reason: string };

/** Validates the vectors of `count` texts. A single invalid vector invalidates all. */
function checkVectors(embeddings: readonly (readonly number[])[], count: number): CheckedVectors {
  if (embeddings.length !== count)
    return rejected(`returned ${embeddings.length} vectors for ${count} texts`);
  const dimensions = embeddings[0]?.length ?? 0;
  if (dimensions === 0 || dimensions > MAX_DIMENSIONS)
    return rejected(`returned a vector of ${dimensions} dimensions`);
  if (embeddings.some(({ length }) => length !== dimensions))
    return rejected('returned vectors of different dimensions');
  const vectors = embeddings.map((embedding) => Float32Array.from(embedding));
  if (!vectors.every((vector) => vector.every(Number.isFinite)))
    return rejected('returned a vector with a value that is not a finite number');
  if (!vectors.every((vector) => vector.some((value) => value !== 0)))
    return rejected('returned a vector of zeros');
  return { ok: true, vectors };
}

function rejected(reason: string): CheckedVectors {
  return { ok: false, reason };
}
