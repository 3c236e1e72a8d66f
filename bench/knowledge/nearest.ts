// Compares our vector search with `sqlite-vec`, without HTTP, keyword search and the embedding model. Target: p50 of at most 40 ms over 300,000
// passages of 768 dimensions. Installs `sqlite-vec`, which requires an npm registry.

import { matchAll, parse } from '../../packages/filter/src/index.ts';
import { addSpace } from '../../packages/server/src/storage/ports/add-space.suite.ts';
import { KnowledgeScope } from '../../packages/server/src/storage/ports/index.ts';
import { temporaryDirectory } from '../../packages/server/src/storage/sqlite/open-store.suite.ts';
import { fillKnowledge, PASSAGES_PER_DOCUMENT } from '../lib/knowledge.ts';
import { machine } from '../lib/machine.ts';
import { openStoreOf } from '../lib/open-store.ts';
import { numberOptions } from '../lib/options.ts';
import { round } from '../lib/spread.ts';
import { fillVectors, MODEL, someVector } from '../lib/vectors.ts';
import { installPeers, VECTOR_PEERS } from '../peers/install-peers.ts';
import { type PeerPassage, SqliteVec } from '../peers/sqlite-vec.ts';

const options = numberOptions({ passages: 300_000, dimensions: 768, queries: 20, limit: 50 });
const SPACE = 'space';
const WORDS_PER_PASSAGE = 5;
const RECALL_QUERIES = 5;
const PEER_BATCH = 1000;

interface Similar {
  readonly key: number;
  readonly value: number;
}

const SCOPES = [
  { name: 'everything', filter: {}, sql: '' },
  { name: 'public, 40 %', filter: { tags: { eq: 'public' } }, sql: 'and is_public = 1' },
  { name: 'a range without an index, 50 %', filter: { level: { gte: 5 } }, sql: 'and level >= 5' },
  {
    name: 'a department, 0.1 %',
    filter: { department: { eq: 'd7' } },
    sql: "and department = 'd7'",
  },
];

using directory = temporaryDirectory();
using peerDirectory = temporaryDirectory();
{
  await using empty = await openStoreOf(directory.path);
  await addSpace(empty, SPACE);
}
await fillKnowledge(directory.path, SPACE, options.passages, WORDS_PER_PASSAGE);
installPeers(peerDirectory.path, VECTOR_PEERS);
using peer = new SqliteVec(peerDirectory.path, `${peerDirectory.path}/peer.db`, options.dimensions);

const queries = Array.from({ length: options.queries }, () =>
  Float32Array.from(someVector(options.dimensions)),
);
/** Exact similarities of all passages to each of the first queries. */
const similarities = queries.slice(0, RECALL_QUERIES).map((): Similar[] => []);
const numbers = await fill();

await using store = await openStoreOf(directory.path);
const results: Record<string, unknown> = {};
const rssBefore = process.memoryUsage.rss();
const startedAt = performance.now();
await ours(Float32Array.from(someVector(options.dimensions)), {});
results['first search, ms'] = round(performance.now() - startedAt);
results['growth of the resident memory, MB'] = round((process.memoryUsage.rss() - rssBefore) / 1e6);

for (const { name, filter, sql } of SCOPES) {
  const searches = {
    ours: (query: Float32Array) => ours(query, filter),
    'sqlite-vec, bytes': async (query: Float32Array) => peer.exact(query, options.limit, sql),
    'sqlite-vec, bits and bytes': async (query: Float32Array) =>
      peer.rescored(query, options.limit, sql),
  };
  const times = new Map(Object.keys(searches).map((one) => [one, { wall: [], cpu: [] } as Times]));
  // The searches alternate, so that other load on the machine affects them equally.
  for (const query of queries)
    for (const [one, search] of Object.entries(searches))
      await measure(times.get(one), query, search);
  for (const [one, { wall, cpu }] of times)
    results[`${name}: ${one}`] = { p50Ms: round(median(wall)), cpuMs: round(median(cpu)) };
  process.stderr.write(`${name}: ${JSON.stringify(results)}\n`);
}

results['recall'] = {
  ours: await recall((query) => ours(query, {})),
  'sqlite-vec, bytes': await recall(async (query) => peer.exact(query, options.limit, '')),
  'sqlite-vec, bits and bytes': await recall(async (query) =>
    peer.rescored(query, options.limit, ''),
  ),
};
console.log(JSON.stringify({ machine: machine(), options, results }, null, 2));

interface Times {
  readonly wall: number[];
  readonly cpu: number[];
}

async function measure(
  times: Times | undefined,
  one: Float32Array,
  search: (query: Float32Array) => Promise<unknown>,
): Promise<void> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await search(one);
  times?.wall.push(performance.now() - start);
  const { user, system } = process.cpuUsage(cpu);
  times?.cpu.push((user + system) / 1000);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function keyOf(number: number, position: number): number {
  return number * PASSAGES_PER_DOCUMENT + position;
}

async function ours(vector: Float32Array, filter: object): Promise<number[]> {
  const parsed = parse(filter);
  const scope = new KnowledgeScope(SPACE, parsed.ok ? parsed.filter : matchAll);
  const hits = await store.knowledge.nearest(scope, { model: MODEL, vector }, options.limit);
  return hits.map(({ documentId, position }) => keyOf(numbers.get(documentId) ?? -1, position));
}

/** Returns the share of the nearest passages that a search finds. */
async function recall(search: (query: Float32Array) => Promise<number[]>): Promise<number> {
  let count = 0;
  for (const [index, all] of similarities.entries()) {
    const nearest = all.toSorted((a, b) => b.value - a.value).slice(0, options.limit);
    const keys = new Set(nearest.map(({ key }) => key));
    const found = await search(queries[index] ?? new Float32Array());
    count += found.filter((key) => keys.has(key)).length;
  }
  return count / (similarities.length * options.limit);
}

/** Stores the same vectors in both stores. Returns document numbers by document ID. */
async function fill(): Promise<ReadonlyMap<string, number>> {
  const documents = await documentsOfSpace();
  let batch: PeerPassage[] = [];
  await fillVectors(directory.path, options.dimensions, (number, position, vector) => {
    const document = documents.get(number);
    if (document === undefined) throw new Error(`document ${number} is missing`);
    const key = keyOf(number, position);
    batch.push({ key, vector, ...document });
    for (const [index, all] of similarities.entries())
      all.push({ key, value: cosine(queries[index] ?? vector, vector) });
    if (batch.length < PEER_BATCH) return;
    peer.insert(batch);
    batch = [];
  });
  peer.insert(batch);
  return new Map([...documents].map(([number, { id }]) => [id, number]));
}

async function documentsOfSpace() {
  await using filled = await openStoreOf(directory.path);
  const rows = await filled.knowledge.db
    .selectFrom('documents')
    .select(['number', 'id', 'metadata'])
    .execute();
  return new Map(
    rows.map(({ number, id, metadata }) => {
      const { level, tags, department } = JSON.parse(metadata) as {
        readonly level: number;
        readonly tags: readonly string[];
        readonly department: string;
      };
      return [number, { id, level, isPublic: tags.includes('public'), department }];
    }),
  );
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [product, squares] = [0, 0];
  for (const [at, value] of b.entries()) {
    product += (a[at] ?? 0) * value;
    squares += value * value;
  }
  return product / Math.sqrt(squares);
}
