import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorMs } from '../../../../tests/support/processor-ms.ts';
import type { SiteClient } from './site-client.ts';
import { readRobots, readSitemaps, SiteFailure, type SitemapRequest } from './site-files.ts';

const SITE = 'https://shop.example';

/** Returns a client of a site with these files, by path. */
function clientOf(files: Readonly<Record<string, string>>, requested: string[] = []): SiteClient {
  return {
    get: async (url) => {
      const path = url.slice(SITE.length);
      requested.push(path);
      const bytes = Buffer.from(files[path] ?? '');
      const body = { bytes, problem: null };
      const status = files[path] === undefined ? 404 : 200;
      const headers = { header: () => undefined, headerLines: () => [] };
      return { answered: true, status, ...headers, body, received: bytes.length };
    },
  };
}

async function readRules(text: string, ...pages: readonly string[]): Promise<readonly boolean[]> {
  const client = clientOf({ '/robots.txt': text });
  const { mayRead } = await readRobots(client, SITE, new AbortController().signal);
  return pages.map((page) => mayRead(`${SITE}${page}`));
}

function readPages(client: SiteClient, limits: Partial<SitemapRequest> = {}) {
  return readSitemaps(client, {
    url: `${SITE}/sitemap`,
    robots: { mayRead: () => true, delayMs: 0 },
    signal: new AbortController().signal,
    wait: async () => {},
    isWanted: () => true,
    maxPages: 50_000,
    ...limits,
  });
}

test('the entries of all sitemaps of an index are limited', async () => {
  const paths = ['/one', '/two', '/three'];
  const index = `<sitemapindex>${paths.map((path) => `<sitemap><loc>${path}</loc></sitemap>`).join('')}</sitemapindex>`;
  const files = Object.fromEntries(paths.map((path) => [path, '/a\n/a\n/b']));
  const read = async (maxEntries: number) => {
    const requested: string[] = [];
    const client = clientOf({ '/sitemap': index, ...files }, requested);
    const { pages, isLimited } = await readPages(client, { maxEntries });
    return [pages.size, isLimited, requested.length];
  };
  assert.deepEqual(
    [await read(12), await read(11), await read(6), await read(5)],
    [
      [2, false, 4],
      [2, true, 4],
      [2, true, 2],
      [1, true, 2],
    ],
  );
});

test('the pages of a sitemap are limited if it lists more pages or entries than are read', async () => {
  const isLimited = async (text: string, maxPages: number) =>
    (await readPages(clientOf({ '/sitemap': text }), { maxPages })).isLimited;
  assert.deepEqual(
    [
      await isLimited('/a\n/b', 2),
      await isLimited('/a\n/b', 1),
      await isLimited('/a\n'.repeat(50_001), 2),
    ],
    [false, true, true],
  );
});

test('other work continues while the entries of a sitemap are resolved', async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  try {
    const text = Array.from({ length: 50_000 }, (_, at) => `/products/${at}`).join('\n');
    assert.equal((await readPages(clientOf({ '/sitemap': text }))).pages.size, 50_000);
  } finally {
    clearInterval(timer);
  }
  assert.ok(turns > 10, `${turns} turns`);
});

test('the rules of robots.txt for all crawlers and for this crawler are obeyed', async () => {
  const read = (text: string) => readRules(text, '/a', '/b/c', '/b/c.pdf');
  const general = 'User-agent: *\nDisallow: /b**.pdf$\n';
  assert.deepEqual(await read(general), [true, true, false]);
  assert.deepEqual(await read(`${general}User-agent: gatehouse-crawler\nDisallow: /\nAllow: /b/`), [
    false,
    true,
    true,
  ]);
});

test('robots.txt with many wildcards takes little work', async () => {
  const pages = Array.from({ length: 10 }, (_, at) => `/${'abc'.repeat(290)}${at}`);
  const start = processorMs();
  const read = await readRules(`User-agent: *\nDisallow: ${'*'.repeat(500_000)}zzz`, ...pages);
  assert.ok(read.every((mayRead) => mayRead));
  await assert.rejects(
    readRules(`User-agent: *\n${'Disallow: *a*b*c\n'.repeat(30_000)}`, ...pages),
    new SiteFailure('robots.txt: the file has too many rules with wildcards', false),
  );
  assert.ok(processorMs() - start < 1000);
});
