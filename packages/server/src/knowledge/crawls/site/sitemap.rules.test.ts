import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorMs } from '../../../../tests/support/processor-ms.ts';
import { readSitemap } from './sitemap.rules.ts';

test('a sitemap lists pages, without the locations of images', async () => {
  const { pages, sitemaps } = await readSitemap(`<?xml version="1.0" encoding="UTF-8"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
      <url><loc>https://shop.example/?a=1&amp;b=2</loc><image:image><image:loc>https://shop.example/a.png</image:loc></image:image></url>
      <url><loc><![CDATA[https://shop.example/b]]></loc></url>
    </urlset>`);
  assert.deepEqual(pages, ['https://shop.example/?a=1&b=2', 'https://shop.example/b']);
  assert.deepEqual(sitemaps, []);
});

test('a sitemap index lists sitemaps, and a text file lists pages', async () => {
  const index =
    '<sitemapindex><sitemap><loc>https://shop.example/one.xml</loc></sitemap></sitemapindex>';
  const { pages, sitemaps } = await readSitemap(index);
  assert.deepEqual([pages, sitemaps], [[], ['https://shop.example/one.xml']]);
  assert.deepEqual(
    (await readSitemap('https://shop.example/a\r\n\nhttps://shop.example/b\n')).pages,
    ['https://shop.example/a', 'https://shop.example/b'],
  );
});

test('a text file of several slices is read entirely', async () => {
  const urls = Array.from({ length: 20_000 }, (_, at) => `https://shop.example/products/${at}`);
  const { pages, isTruncated } = await readSitemap(urls.join(' \r\n\n'));
  assert.deepEqual([pages, isTruncated], [urls, false]);
});

test('at most 50,000 entries of a sitemap are read, including duplicates', async () => {
  const entry = '<url><loc>/a</loc></url>';
  const xml = (count: number) => `<urlset>${entry.repeat(count)}</urlset>`;
  const lines = (count: number) => 'a\n'.repeat(count);
  for (const text of [xml, lines]) {
    const complete = await readSitemap(text(50_000));
    assert.deepEqual([complete.entries, complete.isTruncated], [50_000, false]);
    const start = processorMs();
    const { pages, entries, isTruncated } = await readSitemap(text(2_000_000));
    assert.ok(processorMs() - start < 1000);
    assert.deepEqual([pages.length, entries, isTruncated], [50_000, 50_000, true]);
  }
});

test('entries that are too long for a URL are omitted, but count', async () => {
  const long = `/${'a'.repeat(1_000_000)}`;
  const xml = `<urlset><url><loc>${long}&amp;</loc></url><url><loc>\n /b\n </loc></url></urlset>`;
  for (const text of [xml, `${long}\n/b`, `/b\n${long}`]) {
    const { pages, entries } = await readSitemap(text);
    assert.deepEqual([pages, entries], [['/b'], 2]);
  }
});

test('reading ends at elements that are nested deeply', async () => {
  const start = processorMs();
  for (const nested of ['<a>'.repeat(100_000), '<loc>'.repeat(100_000)]) {
    const { pages, isTruncated } = await readSitemap(
      `<urlset><url><loc>/a</loc></url>${nested}<url><loc>/b</loc></url>`,
    );
    assert.deepEqual([pages, isTruncated], [['/a'], true]);
  }
  assert.ok(processorMs() - start < 1000);
});
