import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSite } from '../../../tests/support/knowledge/site.ts';
import { until } from '../../../tests/support/until.ts';
import type { SpaceAccess } from '../../identity/index.ts';
import { FairLookups } from '../../lib/network/index.ts';
import { newStoreLocation } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { NO_WRITES } from '../../storage/ports/index.ts';
import { createCrawlModule } from './create-crawls.ts';

const newSpace = () => ({ spaceId: randomUUIDv7() }) as SpaceAccess;

const location = await newStoreLocation();
after(() => location[Symbol.dispose]());

test('the crawler stops during the delay between two sitemaps', async () => {
  await using store = await location.open();
  const space = newSpace();
  await addSpace(store, space.spaceId);
  await using site = await startSite({
    '/sitemap.xml': '<sitemapindex><sitemap><loc>/pages.xml</loc></sitemap></sitemapindex>',
  });
  const errors: unknown[] = [];
  const crawler = createCrawlModule({
    ...{ engine: store.knowledge, events: store.events, leases: store.leases, clock: Date.now },
    site: { allowed: ['127.0.0.1'], userAgent: 'test', lookups: new FairLookups() },
    onError: (error) => errors.push(error),
  });
  await crawler.start();
  const delayMs = 6000;
  const sent = { name: 'Site', sitemapUrl: `${site.url}/sitemap.xml`, defaultMetadata: {} };
  await crawler.crawls.create(space, { ...sent, delayMs }, NO_WRITES);
  await until('the index is requested', () =>
    site.requests.some(({ path }) => path === '/sitemap.xml'),
  );
  // The index arrives and is parsed.
  await sleep(300);
  let hasStopped = false;
  const stopped = crawler[Symbol.asyncDispose]().then(() => {
    hasStopped = true;
  });
  await until('the crawler has stopped', () => hasStopped, delayMs / 2);
  await stopped;
  assert.deepEqual(
    site.requests.map(({ path }) => path),
    ['/robots.txt', '/sitemap.xml'],
  );
  assert.deepEqual(errors, []);
});

test('a crawl continues if the clock is set back by an hour', async () => {
  await using store = await location.open();
  const space = newSpace();
  await addSpace(store, space.spaceId);
  await using site = await startSite({
    '/': '<p>Start</p><a href="/busy">Busy</a>',
    '/busy': { first: { status: 503 }, html: '<p>Ten euros.</p>' },
  });
  const errors: unknown[] = [];
  const requestsOf = (path: string) => site.requests.filter((request) => request.path === path);
  let offset = 0;
  await using crawler = createCrawlModule({
    ...{ engine: store.knowledge, events: store.events, leases: store.leases },
    clock: () => Date.now() + offset,
    site: { allowed: ['127.0.0.1'], userAgent: 'test', lookups: new FairLookups() },
    onError: (error) => errors.push(error),
  });
  await crawler.start();
  const sent = { name: 'Site', startUrl: site.url, defaultMetadata: {} };
  const { id } = await crawler.crawls.create(space, { ...sent, delayMs: 500 }, NO_WRITES);
  await until('the page is postponed', () => requestsOf('/busy').length === 1);
  offset = -3_600_000;
  await until('the page is requested again', () => requestsOf('/busy').length === 2);
  await until('the run ends', async () => (await crawler.crawls.show(space, id)).state === 'idle');
  assert.deepEqual(errors, []);
});

test('a page whose event could not be stored is requested again after the crawl delay', async () => {
  const delayMs = 3000;
  await using store = await location.open();
  const space = newSpace();
  await addSpace(store, space.spaceId);
  await using site = await startSite({ '/': '<title>Prices</title><p>Ten euros.</p>' });
  const errors: unknown[] = [];
  const requests = () => site.requests.filter(({ path }) => path === '/');
  await using crawler = createCrawlModule({
    ...{ engine: store.knowledge, leases: store.leases, clock: Date.now },
    events: {
      append: async (batches) => {
        if (requests().length === 1) throw new Error('the disk is full');
        return store.events.append(batches);
      },
    },
    site: { allowed: ['127.0.0.1'], userAgent: 'test', lookups: new FairLookups() },
    onError: (error) => errors.push(error),
  });
  await crawler.start();
  const sent = { name: 'Site', startUrl: site.url, defaultMetadata: {} };
  await crawler.crawls.create(space, { ...sent, delayMs }, NO_WRITES);
  await until('the page is requested again', () => requests().length === 2);
  assert.deepEqual(errors.map(String), ['Error: the disk is full']);
  const [first = 0, second = 0] = requests().map(({ at }) => at);
  // The first request can arrive late. Without the delay, the page is requested again after 1.2 seconds.
  assert.ok(second - first >= delayMs - 1000, `${Math.round(second - first)} ms`);
});

test('a sitemap that could not be read is requested again after the crawl delay', async () => {
  const delayMs = 3000;
  await using store = await location.open();
  const space = newSpace();
  await addSpace(store, space.spaceId);
  await using site = await startSite({
    '/sitemap.xml': { first: { status: 503 }, html: '<urlset><url><loc>/</loc></url></urlset>' },
    '/': '<title>Prices</title><p>Ten euros.</p>',
  });
  const errors: unknown[] = [];
  const requests = () => site.requests.filter(({ path }) => path === '/sitemap.xml');
  await using crawler = createCrawlModule({
    ...{ engine: store.knowledge, events: store.events, leases: store.leases, clock: Date.now },
    site: { allowed: ['127.0.0.1'], userAgent: 'test', lookups: new FairLookups() },
    onError: (error) => errors.push(error),
  });
  await crawler.start();
  const sent = { name: 'Site', sitemapUrl: `${site.url}/sitemap.xml`, defaultMetadata: {} };
  await crawler.crawls.create(space, { ...sent, delayMs }, NO_WRITES);
  await until('the sitemap is requested again', () => requests().length === 2);
  const [first = 0, second = 0] = requests().map(({ at }) => at);
  assert.deepEqual(errors, []);
  // The first request can arrive late. Without the delay, the sitemap is requested again after one second.
  assert.ok(second - first >= delayMs - 1000, `${Math.round(second - first)} ms`);
});
