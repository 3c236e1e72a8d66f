import type { IncomingMessage, ServerResponse } from 'node:http';
import { startTestServer } from '../http/test-server.ts';
import { seeded } from '../seeded.ts';

export const DIMENSIONS = 384;

/** Determines the response to a request for vectors. If the result is `null`, no response is sent. */
export type Behaviour = (texts: readonly string[]) => Answer | null | Promise<Answer | null>;

interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Target of a redirect. */
  readonly location?: string;
}

export interface EmbeddingModel extends AsyncDisposable {
  readonly url: string;
  readonly texts: string[];
  /** All received `Authorization` headers. */
  readonly keys: Set<string>;
  requests: number;
  behave: Behaviour;
}

/**
 * Starts a fake embedding model. The vector of a text is the sum of the deterministic pseudo-random vectors of its
 * words. A word that starts with `alias` has the same vector as the word that starts with `topic` instead, so `alias5q`
 * is a synonym of `topic5q`.
 */
export async function startEmbeddingModel(): Promise<EmbeddingModel> {
  const server = await startTestServer((request, response) => {
    answer(model, request, response).catch((error: Error) => response.destroy(error));
  });
  const model: EmbeddingModel = {
    url: `${server.origin}/v1`,
    texts: [],
    keys: new Set(),
    requests: 0,
    behave: well,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return model;
}

async function answer(
  model: EmbeddingModel,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  model.requests += 1;
  model.keys.add(request.headers.authorization ?? '');
  await sendVectors(request, response, (input) => {
    model.texts.push(...input);
    return request.url === '/v1/embeddings' ? model.behave(input) : NOT_FOUND;
  });
}

/** Responds to a request for vectors. */
export async function sendVectors(
  request: IncomingMessage,
  response: ServerResponse,
  behave: Behaviour,
): Promise<void> {
  const { input } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as {
    input: string[];
  };
  const result = await behave(input);
  if (result === null) return;
  const { location } = result;
  const redirect = location === undefined ? {} : { location };
  response.writeHead(result.status, { 'content-type': 'application/json', ...redirect });
  response.end(typeof result.body === 'string' ? result.body : JSON.stringify(result.body));
}

const NOT_FOUND: Answer = { status: 404, body: {} };

export const well: Behaviour = (texts) => listOf(texts.map(vectorOf));

/** Responds with an error that contains the input text, as some providers do. */
export const down: Behaviour = (texts) => ({
  status: 503,
  body: { error: { message: `cannot embed ${texts.join()}`, type: 'x', param: null, code: null } },
});

export const silent: Behaviour = () => null;

export function listOf(vectors: readonly unknown[]): Answer {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  return { status: 200, body: { object: 'list', data, model: 'm', usage: USAGE } };
}

const USAGE = { prompt_tokens: 1, total_tokens: 1 };

export function vectorOf(text: string): number[] {
  const sum = new Array<number>(DIMENSIONS).fill(0);
  for (const word of text.toLowerCase().match(/\p{L}[\p{L}\d]*/gu) ?? ['']) {
    const random = seeded(hash(word.replace(/^alias/, 'topic')));
    for (let index = 0; index < DIMENSIONS; index++)
      sum[index] = (sum[index] ?? 0) + random.next() - 0.5;
  }
  return sum;
}

function hash(word: string): number {
  let hash = 7;
  for (const letter of word) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash;
}
