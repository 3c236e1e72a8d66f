import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { readBuiltFiles } from './built-files.ts';
import { fileResponse } from './file-response.ts';

test('a file has the same content in every coding', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-built-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const code = "export const greeting = 'Grüezi';\n".repeat(100);
  writeFileSync(join(folder, 'manifest.json'), '{"main.ts":{"file":"main-x.js"}}');
  writeFileSync(join(folder, 'main-x.js'), code);
  writeFileSync(join(folder, 'main-x.js.br'), brotliCompressSync(code));
  const file = readBuiltFiles({ name: 'test', folder, entry: 'main.ts' }).files.get('main-x.js');
  assert.ok(file !== undefined);

  const codings = [
    ['gzip, br', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ] as const;
  for (const [accepted, coding, decode] of codings) {
    const request = { headers: { 'accept-encoding': accepted } };
    for (const _ of ['first', 'repeated']) {
      const { headers, bytes } = fileResponse(file, request, {});
      assert.equal((headers as Record<string, string>)['content-encoding'], coding);
      assert.equal(decode(bytes).toString(), code);
    }
  }
});
