import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorMs } from '../../../../tests/support/processor-ms.ts';
import { readPageLinks } from './page-html.rules.ts';

const URL = 'https://shop.example/help/';

test('the links of a page are canonical, resolved against its base, and without duplicates', async () => {
  const { links, canonical, noindex } = await readPageLinks(
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

test('the directives for all robots and for this crawler are respected', async () => {
  const page = (name: string, content: string) =>
    readPageLinks(`<meta name="${name}" content="${content}"><a href="/a">1</a>`, URL);
  const read = await Promise.all([
    page('robots', 'noindex, follow'),
    page('ROBOTS', 'none'),
    page('gatehouse-crawler', 'nofollow'),
    page('other-crawler', 'none'),
  ]);
  assert.deepEqual(
    read.map(({ noindex, links }) => [noindex, links.length]),
    [
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 1],
    ],
  );
});

test('a refresh within ten seconds is a redirect, unless it is for browsers without scripts', async () => {
  const refresh = async (content: string) =>
    (await readPageLinks(`<meta HTTP-EQUIV="Refresh" content="${content}">`, URL)).refresh;
  for (const content of [
    '0;url=/new',
    '0; URL=/new#top',
    " 5.5 , url = '/new' and more",
    '10 /new',
    '0;https://shop.example/new?utm_source=old',
  ])
    assert.equal(await refresh(content), 'https://shop.example/new', content);
  for (const content of [
    '0',
    '5;',
    '0;url=',
    '11;url=/new',
    'url=/new',
    '0;url=javascript:x',
    '/a',
  ])
    assert.equal(await refresh(content), null, content);
  const page = (html: string) => readPageLinks(html, URL);
  const meta = '<meta http-equiv="refresh" content="0;url=new">';
  assert.equal((await page(`<noscript>${meta}</noscript>`)).refresh, null);
  assert.equal(
    (await page(`<base href="/docs/"><noscript><p>No scripts</noscript>${meta}`)).refresh,
    'https://shop.example/docs/new',
  );
  const start = processorMs();
  for (const long of [
    '0'.repeat(200_000),
    '0.'.repeat(200_000),
    `0${' '.repeat(200_000)}`,
    `0;url${' '.repeat(200_000)}`,
  ])
    await refresh(long);
  assert.ok(processorMs() - start < 1000);
});

test('links in self-closing and embedded elements are read, and those in scripts are not', async () => {
  const { links } = await readPageLinks(
    `<svg><title>1</title><style/><a href="/in-svg">1</a><foreignObject><style><a href="/css"></style></foreignObject></svg>
     <math><mi>x</mi></math><script>"<a href='/script'>"</script><p><form><a href="/form">2</a></p></x>`,
    URL,
  );
  assert.deepEqual(links, ['https://shop.example/in-svg', 'https://shop.example/form']);
});

test('deeply nested elements take little work, and links after them are read', async () => {
  for (const nested of [
    '<div>'.repeat(100_000),
    `${'<b>'.repeat(50_000)}${'</x>'.repeat(50_000)}`,
  ]) {
    const start = processorMs();
    const { links } = await readPageLinks(`${nested}<a href="/a">1</a>`, URL);
    assert.ok(processorMs() - start < 1000);
    assert.deepEqual(links, ['https://shop.example/a']);
  }
});

test('no links are read after more than 100 nested SVG or MathML elements', async () => {
  const count = async (depth: number, ended = '') => {
    const nested = `<svg>${ended}`.repeat(depth);
    return (await readPageLinks(`<a href="/a">1</a>${nested}<a href="/b">2</a>`, URL)).links.length;
  };
  assert.deepEqual([await count(100), await count(101), await count(1000, '</svg>')], [2, 1, 2]);
  const start = processorMs();
  assert.equal(await count(100_000), 1);
  assert.ok(processorMs() - start < 1000);
});

test('a base or link that is too long is ignored', async () => {
  const base = `https://shop.example/${'%41'.repeat(1_300_000)}/`;
  const links = Array.from({ length: 20 }, (_, index) => `<a href="${index}">1</a>`).join('');
  const start = processorMs();
  const read = await readPageLinks(
    `<base href="${base}">${links}<a href="/${'%41'.repeat(300)}">1</a>`,
    URL,
  );
  assert.ok(processorMs() - start < 1000);
  assert.equal(read.links.length, 20);
  assert.equal(read.links[0], 'https://shop.example/help/0');
});

test('links that are too long when they are encoded take little work', async () => {
  const base = `<base href="/${'ü/'.repeat(440)}">`;
  const link = `<a href="${'ü'.repeat(190)}">1</a>`;
  const start = processorMs();
  const { links } = await readPageLinks(`${base}${link.repeat(5000)}<a href="/b">2</a>`, URL);
  assert.ok(processorMs() - start < 1500);
  assert.deepEqual(links, ['https://shop.example/b']);
});

test('other work continues while a page that is written to be slow is read', async () => {
  let turns = 0;
  const counter = setInterval(() => {
    turns += 1;
  }, 1);
  const attributes = Array.from({ length: 300_000 }, (_, index) => ` a${index}="&amp;"`).join('');
  const { links } = await readPageLinks(`<p${attributes}><a href="/a">1</a>`, URL);
  clearInterval(counter);
  assert.deepEqual(links, ['https://shop.example/a']);
  assert.ok(turns >= 10, `${turns} turns`);
});

test('tags, attributes, entities and comments that are parsed in two parts are read whole', async () => {
  const page = `<a href="/one?x=1&amp;y=2">1</a><!-- <a href="/no">2</a> --><a href='/two'>2</a>`;
  for (let length = 16 * 1024 - page.length; length <= 16 * 1024; length += 1) {
    const { links } = await readPageLinks(`${' '.repeat(length)}${page}`, URL);
    assert.deepEqual(links, ['https://shop.example/one?x=1&y=2', 'https://shop.example/two']);
  }
});
