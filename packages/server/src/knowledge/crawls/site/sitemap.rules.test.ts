import assert from 'node:assert/strict';
import { test } from 'node:test';
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
  assert.deepEqual(await readSitemap(index), {
    pages: [],
    sitemaps: ['https://shop.example/one.xml'],
  });
  assert.deepEqual(
    (await readSitemap('https://shop.example/a\r\n\nhttps://shop.example/b\n')).pages,
    ['https://shop.example/a', 'https://shop.example/b'],
  );
});
