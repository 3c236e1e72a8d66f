import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seeded } from './seeded.ts';

export const DIMENSIONS = 384;

/** What the API answers to a request for these texts' vectors; null leaves it without an answer. */
export type Behaviour = (texts: readonly string[]) => Answer | null | Promise<Answer | null>;

interface Answer {
  readonly status: number;
  /** Sent as JSON, a string as it is. */
  readonly body: unknown;
}

/** A model's API on 127.0.0.1, which speaks as OpenAI's does. */
export interface EmbeddingModel extends AsyncDisposable {
  /** For `GATEHOUSE_MODEL_URL`. */
  readonly url: string;
  /** Every text it was sent. */
  readonly texts: string[];
  /** The keys it was sent. */
  readonly keys: Set<string>;
  requests: number;
  /** Replaced by a test that wants it to behave in another way. */
  behave: Behaviour;
}

/**
 * A text's vector is the sum of its words' vectors, which are random but for their first letters after a
 * change of words, so that `alias5q` means what `topic5q` does. Each text has the same one whenever it comes.
 */
export async function startEmbeddingModel(): Promise<EmbeddingModel> {
  const server = createServer((request, response) => {
    answer(model, request, response).catch((error: Error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const model: EmbeddingModel = {
    url: `http://127.0.0.1:${port}/v1`,
    texts: [],
    keys: new Set(),
    requests: 0,
    behave: well,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return model;
}

async function answer(
  model: EmbeddingModel,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { input } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as {
    input: string[];
  };
  model.requests += 1;
  model.texts.push(...input);
  model.keys.add(request.headers.authorization ?? '');
  const given = request.url === '/v1/embeddings' ? await model.behave(input) : NOT_FOUND;
  if (given === null) return;
  response.writeHead(given.status, { 'content-type': 'application/json' });
  response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body));
}

const NOT_FOUND: Answer = { status: 404, body: {} };

export const well: Behaviour = (texts) => listOf(texts.map(vectorOf));

/** Fails, and repeats in its words what it was sent, as some do. */
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
    for (let at = 0; at < DIMENSIONS; at++) sum[at] = (sum[at] ?? 0) + random.next() - 0.5;
  }
  return sum;
}

function hash(word: string): number {
  let hash = 7;
  for (const letter of word) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash;
}
