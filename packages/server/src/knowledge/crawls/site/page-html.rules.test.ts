import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorMs } from '../../../../tests/support/processor-ms.ts';
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

test('links in self-closing and embedded elements are read, and those in scripts are not', () => {
  const { links } = readPageLinks(
    `<svg><title>1</title><style/><a href="/in-svg">1</a><foreignObject><style><a href="/css"></style></foreignObject></svg>
     <math><mi>x</mi></math><script>"<a href='/script'>"</script><p><form><a href="/form">2</a></p></x>`,
    URL,
  );
  assert.deepEqual(links, ['https://shop.example/in-svg', 'https://shop.example/form']);
});

test('deeply nested elements take little work, and links after them are read', () => {
  for (const nested of [
    '<div>'.repeat(100_000),
    `${'<b>'.repeat(50_000)}${'</x>'.repeat(50_000)}`,
  ]) {
    const start = processorMs();
    const { links } = readPageLinks(`${nested}<a href="/a">1</a>`, URL);
    assert.ok(processorMs() - start < 1000);
    assert.deepEqual(links, ['https://shop.example/a']);
  }
});

test('no links are read after more than 100 nested SVG or MathML elements', () => {
  const read = (depth: number, ended = '') =>
    readPageLinks(`<a href="/a">1</a>${`<svg>${ended}`.repeat(depth)}<a href="/b">2</a>`, URL);
  assert.deepEqual(
    [read(100), read(101), read(1000, '</svg>')].map(({ links }) => links.length),
    [2, 1, 2],
  );
  const start = processorMs();
  assert.equal(read(100_000).links.length, 1);
  assert.ok(processorMs() - start < 1000);
});

test('a base or link that is too long is ignored', () => {
  const base = `https://shop.example/${'%41'.repeat(1_300_000)}/`;
  const links = Array.from({ length: 20 }, (_, index) => `<a href="${index}">1</a>`).join('');
  const start = processorMs();
  const read = readPageLinks(
    `<base href="${base}">${links}<a href="/${'%41'.repeat(300)}">1</a>`,
    URL,
  );
  assert.ok(processorMs() - start < 1000);
  assert.equal(read.links.length, 20);
  assert.equal(read.links[0], 'https://shop.example/help/0');
});

test('links that are too long when they are encoded take little work', () => {
  const base = `<base href="/${'ü/'.repeat(440)}">`;
  const link = `<a href="${'ü'.repeat(190)}">1</a>`;
  const start = processorMs();
  const { links } = readPageLinks(`${base}${link.repeat(5000)}<a href="/b">2</a>`, URL);
  assert.ok(processorMs() - start < 1500);
  assert.deepEqual(links, ['https://shop.example/b']);
});
