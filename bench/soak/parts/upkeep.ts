import { crawlsOf } from '../../../packages/server/tests/support/knowledge/crawls.ts';
import { pageOf, type Site } from '../../../packages/server/tests/support/knowledge/site.ts';
import { makeSpace } from '../../../packages/server/tests/support/provision.ts';
import { oneByOne, steadily } from '../pace.ts';
import { attempt, type Part, request, type Setting, violations } from '../setting.ts';

const READS_PER_SECOND = 2;

/** Reads the lists of the console, the feed and the metrics in turn. */
export function startReads(setting: Setting): Part {
  const { session, space, signal } = setting;
  const inSpace = `/spaces/${space.id}`;
  const paths = [
    '/audit',
    '/spaces',
    '/users',
    '/installation',
    '/metrics',
    `/events?spaceId=${space.id}&limit=100`,
    inSpace,
    `${inSpace}/api-keys`,
    `${inSpace}/bots`,
    `${inSpace}/conversations`,
    `${inSpace}/crawls`,
    `${inSpace}/document-events`,
    `${inSpace}/documents?search=zq1`,
    `${inSpace}/events/stats`,
    `${inSpace}/metadata-fields`,
    `${inSpace}/projections`,
    `${inSpace}/rejected-events`,
    `${inSpace}/subscriptions`,
    `${inSpace}/usage`,
  ];
  let reads = 0;
  return {
    run: () =>
      steadily(READS_PER_SECOND, signal, async () => {
        const path = paths[reads % paths.length] ?? '';
        reads += 1;
        await request(setting, 'list', path, { as: session });
      }),
    check: async () => [],
    counts: () => ({ reads }),
  };
}

/** Crawls a site of 30 pages now and then. One page changes before each run. */
export async function startCrawls(setting: Setting, site: Site, pauseMs: number): Promise<Part> {
  const pages = 30;
  const { client, session, signal } = setting;
  const { id: spaceId } = await makeSpace(client, session, { name: 'Site' });
  const crawls = crawlsOf(client, session, spaceId);
  const write = (page: number, text: string) =>
    site.pages.set(`/page-${page}`, { html: pageOf(text, `/page-${(page + 1) % pages}`) });
  for (let page = 0; page < pages; page += 1) write(page, `Page ${page}`);
  const { id } = await crawls.create({ startUrl: `${site.url}/page-0`, maxDepth: 100 });
  await crawls.untilEnded(id);
  let runs = 1;
  return {
    run: () =>
      oneByOne(pauseMs, signal, () =>
        attempt(setting, 'crawl', async () => {
          write(runs % pages, `Page ${runs % pages} of run ${runs}`);
          site.requests.length = 0;
          runs += 1;
          const { run } = await crawls.run(id);
          if (run?.outcome !== 'complete') setting.failures.push(`crawl: ${run?.outcome}`);
        }),
      ),
    check: async () => {
      const urls = Array.from({ length: pages }, (_, page) => `${site.url}/page-${page}`);
      const documents = await crawls.untilDocuments(urls);
      const newest = [...site.pages.values()].filter(({ html }) =>
        documents.some(({ title }) => html?.includes(`<title>${title}</title>`)),
      );
      return violations({ 'pages without a current document': pages - newest.length });
    },
    counts: () => ({ crawlRuns: runs }),
  };
}
