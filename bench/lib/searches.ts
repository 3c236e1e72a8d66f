import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, clientOf } from '../../packages/server/tests/support/http/client.ts';
import { exchangeLink, makeLink } from '../../packages/server/tests/support/provision.ts';
import { seeded } from '../../packages/server/tests/support/seeded.ts';
import { fillKnowledge, word } from './knowledge.ts';
import { startProvisioned } from './service.ts';
import { type Spread, spread } from './spread.ts';

/** Permission filters for the documents of `fillKnowledge`, each with the approximate share of documents that remain visible. */
export const FILTERS = {
  none: {},
  'public, 40 %': { tags: { eq: 'public' } },
  'a range without an index, 50 %': { level: { gte: 5 } },
  'a department, 0.1 %': { department: { eq: 'd7' } },
};

export interface FilledSpace {
  readonly spaceId: string;
  readonly key: string;
}

export async function provisionKnowledge(
  directory: string,
  passages: number,
): Promise<FilledSpace> {
  const space = await (async () => {
    await using service = await startProvisioned(directory);
    return { spaceId: service.spaceId, key: service.authorization.replace('Bearer ', '') };
  })();
  await fillKnowledge(directory, space.spaceId, passages);
  return space;
}

export function someQueries(count: number): readonly string[] {
  const random = seeded(11);
  return Array.from({ length: count }, () =>
    Array.from({ length: 2 + random.below(3) }, () =>
      word(30 + Math.floor(random.next() ** 2 * 3000)),
    ).join(' '),
  );
}

export interface SearchTimes {
  readonly p50Ms: Spread;
  readonly p95Ms: Spread;
}

export interface Searches {
  readonly space: FilledSpace;
  readonly queries: readonly string[];
  readonly runs: number;
}

export async function timeSearches(
  url: string,
  permissionFilter: object,
  { space: { spaceId, key }, queries, runs }: Searches,
): Promise<SearchTimes> {
  const client = clientOf(url);
  const link = await makeLink(client, key, { permissionFilter });
  const as = await exchangeLink(client, link.token);
  const path = `/spaces/${spaceId}/search`;
  // The service loads a large space longer than a search waits.
  while ((await client(path, { as, body: { query: word(30) } })).status === 503) await sleep(1000);
  return timesOf({ queries, runs }, (query) => ask(client, path, as, query));
}

/** Times each query in each run. The first run is a warm-up. */
export async function timesOf(
  { queries, runs }: Pick<Searches, 'queries' | 'runs'>,
  search: (query: string) => unknown,
): Promise<SearchTimes> {
  const p50: number[] = [];
  const p95: number[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const times: number[] = [];
    for (const query of queries) {
      const startedAt = performance.now();
      await search(query);
      times.push(performance.now() - startedAt);
    }
    times.sort((a, b) => a - b);
    if (run === 0) continue;
    p50.push(times[Math.floor(times.length * 0.5)] ?? Number.NaN);
    p95.push(times[Math.floor(times.length * 0.95)] ?? Number.NaN);
  }
  return { p50Ms: spread(p50), p95Ms: spread(p95) };
}

async function ask(client: Client, path: string, as: string, query: string): Promise<void> {
  const answer = await client(path, { as, body: { query } });
  if (answer.status !== 200) throw new Error(answer.text);
}
