import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DIST } from './vite.ts';

const CHECK = join(import.meta.dirname, 'check-sizes.ts');
const check = (dist: string) =>
  spawnSync(process.execPath, [CHECK, `--dist=${dist}`], { encoding: 'utf8' });

function copyOfDist(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sizes-'));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(DIST, folder, { recursive: true });
  return folder;
}

/** Returns a script comment that gzip cannot compress. */
const padding = (bytes: number) => `//${randomBytes(bytes).toString('base64')}\n`;

test('accepts the built widget', () => {
  const { status, stdout } = check(DIST);
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^ +\d+ {2}loader, at most 2670$/m);
  assert.match(stdout, /^ +\d+ {2}firstOpening, at most 32400$/m);
  assert.match(stdout, /embed-chat\.js/);
});

test('rejects a loader that exceeds the size limit', (t) => {
  const dist = copyOfDist(t);
  const path = join(dist, 'embed.js');
  writeFileSync(path, padding(3000) + readFileSync(path, 'utf8'));
  const { status, stdout } = check(dist);
  assert.equal(status, 1);
  assert.match(stdout, /loader, at most 2670: TOO LARGE/);
});

test('the size of the first opening includes static imports of the frame, but not dynamic imports', (t) => {
  const dist = copyOfDist(t);
  const path = join(dist, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(join(dist, 'large.js'), padding(31_000));
  manifest['large.ts'] = { file: 'large.js' };
  manifest['frame/main.tsx'].dynamicImports.push('large.ts');
  writeFileSync(path, JSON.stringify(manifest));
  assert.equal(check(dist).status, 0);
  manifest['frame/main.tsx'].imports = ['large.ts'];
  writeFileSync(path, JSON.stringify(manifest));
  const { status, stdout } = check(dist);
  assert.equal(status, 1);
  assert.match(stdout, /large\.js\n[\s\S]*firstOpening, at most 32400: TOO LARGE/);
});
