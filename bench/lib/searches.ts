import { type Client, clientOf } from '../../packages/server/tests/support/client.ts';
import { exchangeLink, makeLink } from '../../packages/server/tests/support/provision.ts';
import { seeded } from '../../packages/server/tests/support/seeded.ts';
import { fillKnowledge, word } from './knowledge.ts';
import { startProvisioned } from './service.ts';
import { type Spread, spread } from './spread.ts';

/** What links may see of the documents of `fillKnowledge`, and about which share of them that is. */
export const FILTERS = {
  none: {},
  'public, 40 %': { tags: { eq: 'public' } },
  'a range, by no index, 50 %': { level: { gte: 5 } },
  'a department, 0.1 %': { department: { eq: 'd7' } },
};

export interface FilledSpace {
  readonly spaceId: string;
  /** May make links. */
  readonly key: string;
}

/** Makes a space in a fresh data directory and fills it with passages; then no service runs. */
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

/** Queries of two to four words, neither the most common nor very rare ones, as people search. */
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

/** Searches a running service with a widget session whose link has the filter, one query after the other. */
export async function timeSearches(
  url: string,
  permissionFilter: object,
  { space: { spaceId, key }, queries, runs }: Searches,
): Promise<SearchTimes> {
  const client = clientOf(url);
  const link = await makeLink(client, key, { permissionFilter });
  const as = await exchangeLink(client, link.token);
  const p50: number[] = [];
  const p95: number[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const times: number[] = [];
    for (const query of queries)
      times.push(await ask(client, `/spaces/${spaceId}/search`, as, query));
    times.sort((a, b) => a - b);
    // The first run warms up.
    if (run === 0) continue;
    p50.push(times[Math.floor(times.length * 0.5)] ?? Number.NaN);
    p95.push(times[Math.floor(times.length * 0.95)] ?? Number.NaN);
  }
  return { p50Ms: spread(p50), p95Ms: spread(p95) };
}

/** Milliseconds that one search took. */
async function ask(client: Client, path: string, as: string, query: string): Promise<number> {
  const begun = performance.now();
  const answer = await client(path, { as, body: { query } });
  if (answer.status !== 200) throw new Error(answer.text);
  return performance.now() - begun;
}
