import { startTestServer } from '../../packages/server/tests/support/http/test-server.ts';
import { seeded } from '../../packages/server/tests/support/seeded.ts';
import { openStoreOf } from './open-store.ts';

export const MODEL = 'random';
const TOPICS = 1000;

const random = seeded(23);
const noise = () => random.next() + random.next() - 1;
const topics: number[][] = [];

export function someVector(dimensions: number): number[] {
  while (topics.length < TOPICS) topics.push(Array.from({ length: dimensions }, noise));
  return random.pick(topics).map((value) => value + 0.8 * noise());
}

/**
 * Stores vectors for every document through the product's vector index. The service must not run.
 *
 * @param onVector called with the vector of each passage.
 */
export async function fillVectors(
  directory: string,
  dimensions: number,
  onVector?: (number: number, position: number, vector: Float32Array) => void,
): Promise<void> {
  await using store = await openStoreOf(directory);
  const { vectors } = store.knowledge;
  for (let done = 0; ; ) {
    const pieces = await vectors.next(MODEL, 16);
    if (pieces.length === 0) return;
    const embedded = pieces.map(({ texts, ...piece }) => ({
      ...piece,
      vectors: texts.map(() => Float32Array.from(someVector(dimensions))),
    }));
    await vectors.insert(MODEL, embedded);
    if (onVector !== undefined)
      for (const { number, first, vectors: some } of embedded)
        for (const [index, vector] of some.entries()) onVector(number, first + index, vector);
    done += pieces.length;
    if (Math.floor(done / 5000) > Math.floor((done - pieces.length) / 5000))
      process.stderr.write(`vectors of ${done} documents\n`);
  }
}

/** Starts a fake embedding model that answers immediately, so that only the product is measured. */
export async function startModel(dimensions: number): Promise<AsyncDisposable & { url: string }> {
  const server = await startTestServer((request, response) => {
    request.resume().on('end', () => {
      const data = [{ object: 'embedding', index: 0, embedding: someVector(dimensions) }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data, model: MODEL }));
    });
  });
  return {
    url: `${server.origin}/v1`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
