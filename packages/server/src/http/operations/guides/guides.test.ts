import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pino from 'pino';
import { createMemoryRateCounts } from '../../../storage/memory/index.ts';
import { createHttp } from '../../create-http.ts';
import { guidePage } from './guide-page.ts';
import { GUIDE_FILES, registerGuides } from './guides.ts';

const ROOT = join(import.meta.dirname, '../../../../../..');
const app = await createHttp({
  log: pino({ level: 'silent' }),
  trustedProxies: [],
  rates: createMemoryRateCounts(Date.now),
});
registerGuides(app);
after(() => app.close());

const pages = new Map<string, string>();
for (const file of GUIDE_FILES) {
  const name = file.replace('guides/', '');
  pages.set(name, (await app.inject(`/docs/guides/${name}`)).body);
}

test('each guide is an HTML page with the title of its file', async () => {
  for (const file of GUIDE_FILES) {
    assert.ok(existsSync(join(ROOT, `docs/${file}.md`)), file);
    const page = await app.inject(`/docs/guides/${file.replace('guides/', '')}`);
    assert.equal(page.statusCode, 200, file);
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    assert.match(page.body, /<title>[^<]+ · Gatehouse<\/title>/);
    assert.match(page.body, /<h1 id="[^"]+">/);
  }
});

test('all links between guides lead to an existing heading of an existing guide', () => {
  for (const [name, body] of pages)
    for (const [, href = ''] of body.matchAll(/<a href="([^"]+)"/g)) {
      if (/^(https?:|\.\.)/.test(href)) continue;
      const [target = '', anchor] = href.split('#');
      const page = pages.get(target === '' ? name : target);
      assert.ok(page !== undefined, `${name}: ${href}`);
      if (anchor !== undefined) assert.ok(page.includes(`id="${anchor}"`), `${name}: ${href}`);
    }
});

test('an unknown guide, or a path outside the guides, is a 404', async () => {
  for (const name of [
    'none',
    '..%2Foperations',
    '%2e%2e%2fREADME',
    'get-started.md',
    '__proto__',
  ]) {
    const answer = await app.inject(`/docs/guides/${name}`);
    assert.equal(answer.statusCode, 404, name);
    assert.equal(answer.json()['code'], 'http.not-found');
  }
});

test('text, code and titles of a guide are escaped, and links to other files become text', () => {
  const markdown =
    '# A <b> & "c"\n\n[file](../../packages/x.ts) [other](other.md#a) [adr](../decisions/other.md)\n\n```html\n<script>1</script>\n```\n\n![<i>](x.png)';
  const page = guidePage(markdown, (name) => name === 'other');
  assert.ok(page.includes('<title>A &#60;b&#62; &#38; &#34;c&#34; · Gatehouse</title>'));
  assert.ok(page.includes('&#60;script&#62;1&#60;/script&#62;'));
  assert.ok(page.includes('<em>&#60;i&#62;</em>'));
  const hrefs = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
  assert.deepEqual(hrefs, ['../../', '../../docs', 'other#a']);
});

test('the container image contains the files of all guides', () => {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  assert.ok(dockerfile.includes('COPY docs/guides docs/guides'));
  for (const file of GUIDE_FILES)
    if (!file.startsWith('guides/')) assert.ok(dockerfile.includes(`docs/${file}.md `), file);
});
