import assert from 'node:assert/strict';
import { chmodSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { bundleServer } from '../../build/bundle.ts';
import { DIST } from '../../build/freshness.ts';

before(bundleServer);

test('every user can read the bundle, as the user of the container image must', async () => {
  const mode = () => statSync(DIST).mode & 0o777;
  assert.equal(mode(), 0o755);
  chmodSync(DIST, 0o700);
  await bundleServer();
  assert.equal(mode(), 0o755, 'also a bundle of an earlier version');
});

test('no thread or parser process loads the schemas of the HTTP operations, which take megabytes', () => {
  const withSchemas = (program: string) => textsOf(program).some((text) => text.includes(SCHEMAS));
  const programs = globSync(['*-thread.mjs', '*.parser-main.mjs'], { cwd: DIST });
  assert.ok(programs.length > 10, `${programs.length} programs`);
  assert.deepEqual(programs.filter(withSchemas), []);
  assert.ok(withSchemas('start.index.mjs'), 'the comments of the bundle name the source files');
});

const SCHEMAS = 'node_modules/typebox/';
/** The name of a file that a bundled file imports at its start. */
const IMPORT = /^(?:import|export) .*?"\.\/(?<file>\S+\.mjs)";$/gm;

/** Returns the texts of a program and of all files that it imports, except those that it imports later with `import(…)`. */
function textsOf(program: string): string[] {
  const texts = new Map<string, string>();
  const read = (file: string) => {
    if (texts.has(file)) return;
    const text = readFileSync(join(DIST, file), 'utf8');
    texts.set(file, text);
    for (const { groups } of text.matchAll(IMPORT)) read(String(groups?.['file']));
  };
  read(program);
  return [...texts.values()];
}
