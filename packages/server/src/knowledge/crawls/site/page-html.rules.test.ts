import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPageLinks } from './page-html.rules.ts';

const URL = 'https://shop.example/help/';

test('the links of a page are canonical, resolved against its base, and without duplicates', () => {
  const { links, canonical, noindex } = readPageLinks(
    `<base href="/docs/"><link rel="canonical" href="start">
     <a href="a#one">1</a><a href="a">2</a><area href="/b"><a href="mailto:x@y.example">3</a>
     <a rel="external nofollow" href="/advert">4</a><a>5</a><a href="https://other.example/c">6</a>`,
    URL,
  );
  assert.deepEqual(links, [
    'https://shop.example/docs/a',
    'https://shop.example/b',
    'https://other.example/c',
  ]);
  assert.deepEqual([canonical, noindex], ['https://shop.example/docs/start', false]);
});

test('the directives for all robots and for this crawler are respected', () => {
  const page = (name: string, content: string) =>
    readPageLinks(`<meta name="${name}" content="${content}"><a href="/a">1</a>`, URL);
  assert.deepEqual(
    [
      page('robots', 'noindex, follow'),
      page('ROBOTS', 'none'),
      page('gatehouse-crawler', 'nofollow'),
      page('other-crawler', 'none'),
    ].map(({ noindex, links }) => [noindex, links.length]),
    [
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 1],
    ],
  );
});
