import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { before, describe, test } from 'node:test';
import { openApiDocument } from '@gatehouse/contract';
import { type SearchPage, searchSections } from '../theme/search-section.ts';
import { buildSite } from './build-site.ts';
import { codeBlock } from './code.ts';
import { MAX_BYTES } from './limits.ts';
import { FIRST_PAGES } from './navigation.ts';
import { ROOT, readSources } from './sources.ts';

describe('the documentation site', () => {
  let files: Map<string, Buffer>;
  let pages: Map<string, string>;
  before(async () => {
    files = await buildSite();
    pages = new Map(
      [...files]
        .filter(([path]) => path.endsWith('.html'))
        .map(([path, bytes]) => [path.replace(/\.html$/, ''), bytes.toString()]),
    );
  });

  test('has a page for each Markdown file, and fits into the size limit', () => {
    assert.deepEqual([...pages.keys()].sort(), [...readSources().values()].sort());
    const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    assert.ok(bytes > 1_000_000 && bytes <= MAX_BYTES, `${bytes} bytes`);
  });

  test('all links lead to an existing heading of an existing page, and all files exist', () => {
    for (const [path, html] of pages)
      for (const [, attribute = '', url = ''] of html.matchAll(
        / (href|src|data-index)="([^"]*)"/g,
      )) {
        if (/^(https?|mailto):/.test(url)) continue;
        const [target = '', anchor] = url.split('#');
        const found = target === '' ? path : posix.join(posix.dirname(path), target);
        const page = found === '.' || found === './' ? 'index' : found;
        if (page === 'api') continue;
        const where = `${path}: ${attribute}="${url}"`;
        if (page.startsWith('assets/')) assert.ok(files.has(page), where);
        else {
          const text = pages.get(page);
          assert.ok(text !== undefined, where);
          if (anchor !== undefined) assert.ok(text.includes(`id="${anchor}"`), where);
        }
      }
  });

  test('no page has an inline script, an inline style, a comment or a file of another host', () => {
    const forbidden = [
      /<script(?![^>]* src=)/,
      /<style/,
      /<[a-z][^>]* (style|on[a-z]+)="/,
      /<(script|link|img)[^>]* (src|href)="(https?:)?\/\//,
      /<!--/,
    ];
    for (const [path, html] of pages) {
      const markup = html.replace(/<code>[\s\S]*?<\/code>/g, '');
      for (const form of forbidden) assert.equal(form.exec(markup)?.[0], undefined, path);
    }
  });

  test('every page has one title, one heading of level 1, unique IDs and a description', () => {
    const titles = [...pages.values()].map((html) => /<title>(.+)<\/title>/.exec(html)?.[1]);
    assert.equal(new Set(titles).size, pages.size);
    for (const [path, html] of pages) {
      assert.equal(html.match(/<h1[ >]/g)?.length, 1, path);
      assert.ok(/<meta name="description" content="[^"]{20,}">/.test(html), path);
      const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      assert.equal(new Set(ids).size, ids.length, path);
    }
  });

  test('every guide is in the navigation, and the first page presents the first pages', () => {
    const home = pages.get('index') ?? '';
    const [, navigation = ''] = /<nav id="navigation"([\s\S]*?)<\/nav>/.exec(home) ?? [];
    for (const path of pages.keys())
      if (path.startsWith('guides/')) assert.ok(navigation.includes(`href="${path}"`), path);
    assert.ok(!navigation.includes('<h2>More<'), 'add the page to build/navigation.ts');
    assert.ok(navigation.includes('href="api"'));
    for (const { path } of FIRST_PAGES) assert.ok(pages.has(path), path);
  });

  test('the search index contains every page and every operation, and its URLs exist', () => {
    const [index] = [...files.keys()].filter((path) => /^assets\/search-.*\.json$/.test(path));
    const sections = searchSections(JSON.parse(String(files.get(index ?? ''))) as SearchPage[]);
    const operations = sections.filter(({ url }) => url.startsWith('api#'));
    const { paths } = openApiDocument({ baseUrl: '/', version: '' });
    assert.equal(operations.length, Object.values(paths).flatMap(Object.values).length);
    const found = new Set<string>();
    for (const { url, heading } of sections) {
      const [path = '', anchor] = url.split('#');
      found.add(path);
      assert.ok(heading.length > 0, url);
      if (path !== 'api' && anchor !== undefined)
        assert.ok(pages.get(path)?.includes(`id="${anchor}"`), url);
    }
    for (const path of pages.keys()) assert.ok(found.has(path), path);
    for (const { text } of sections) assert.equal(/&(quot|#\d+);/.exec(text)?.[0], undefined);
  });

  test('every diagram is drawn', () => {
    let diagrams = 0;
    for (const file of readSources().keys())
      diagrams += readFileSync(join(ROOT, file), 'utf8').match(/^```mermaid$/gm)?.length ?? 0;
    const drawn = [...pages.values()].join('').match(/<svg[^>]* class="diagram"/g);
    assert.ok(diagrams > 0);
    assert.equal(drawn?.length, diagrams);
  });

  test('a diagram that cannot be drawn is shown as text', () => {
    assert.match(codeBlock('no diagram', 'mermaid'), /<pre tabindex="0"><code>no diagram/);
  });

  test('is the same if it is built again', async () => {
    const again = await buildSite();
    assert.deepEqual([...again.keys()], [...files.keys()]);
    for (const [path, bytes] of again) assert.ok(bytes.equals(files.get(path) ?? bytes), path);
    assert.ok(!existsSync('unused'));
  });
});
