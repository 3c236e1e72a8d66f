import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pageHtml } from './page.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const script = readFileSync(path('page/page.js'), 'utf8');

test('the page holds its style and its script, each under the nonce', () => {
  const html = pageHtml('bm9uY2U=');
  assert.ok(html.includes(script));
  assert.ok(html.includes(readFileSync(path('page/page.css'), 'utf8')));
  assert.equal(html.split('nonce="bm9uY2U="').length, 3);
  assert.equal(html.split(/<script|<style/).length, 3);
  assert.doesNotMatch(html, /\{nonce\}|\/\* (style|script) \*\//);
});

test('the script and the style do not end their elements early', () => {
  assert.doesNotMatch(script, /<\/script|<!--/i);
  assert.doesNotMatch(readFileSync(path('page/page.css'), 'utf8'), /<\//);
});

test('the script makes elements, never markup, and stores nothing', () => {
  assert.doesNotMatch(
    script,
    /innerHTML|outerHTML|insertAdjacent|document\.write|eval|Storage|cookie =/,
  );
});

test('the script fits the types of a browser', () => {
  const tsc = path('../../../../node_modules/.bin/tsc');
  const options =
    '--noEmit --ignoreConfig --allowJs --checkJs --strict --moduleDetection force --target esnext --lib esnext,dom,dom.iterable --types';
  execFileSync(tsc, [...options.split(' '), '', path('page/page.js')], { stdio: 'pipe' });
});
