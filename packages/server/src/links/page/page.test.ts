import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NotBuilt } from '../../http/built-files/index.ts';
import { readBuiltWidget } from './built-files.ts';
import { pageOf } from './widget.routes.ts';

test('the page references all built files with the nonce and lists the allowed embedders', () => {
  const { script, imports, styles, assets } = readBuiltWidget();
  const html = pageOf({ script, imports, styles })({
    nonce: 'bm9uY2U=',
    ancestors: ['https://a.example', 'https://b.example'],
    isActive: true,
  });
  const named = [...html.matchAll(/(?:src|href)="\/widget\/assets\/([^"]+)"/g)].map(
    ([, name]) => name,
  );
  assert.deepEqual(named.sort(), [script, ...imports, ...styles].sort());
  assert.ok(named.every((name) => assets.has(String(name))));
  assert.equal(
    html.match(/<script|<link rel="(?:stylesheet|modulepreload)"/g)?.length,
    named.length + 1,
  );
  assert.equal(html.split('nonce="bm9uY2U="').length - 1, named.length + 1);
  assert.ok(html.includes('data-embedders="https://a.example https://b.example"'));
  assert.doesNotMatch(html, /\{\w+\}|biome/);
});

test('only the page of an active link has a text field', () => {
  const page = pageOf(readBuiltWidget());
  const options = { nonce: 'bm9uY2U=', ancestors: [] };
  assert.match(page({ ...options, isActive: true }), /<textarea/);
  assert.doesNotMatch(page({ ...options, isActive: false }), /<textarea|<!--/);
});

test('throws NotBuilt if the build is missing or incomplete', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-widget-'));
  t.after(() => rmSync(folder, { recursive: true }));
  assert.throws(() => readBuiltWidget(folder), NotBuilt);
  writeFileSync(join(folder, 'manifest.json'), '{"frame/main.tsx":{"file":"main-x.js"}}');
  assert.throws(() => readBuiltWidget(folder), /run `npm run build`/);
});
