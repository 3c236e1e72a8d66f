import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { temporaryDirectory } from '../support/services/service.ts';

const SCRIPT = join(import.meta.dirname, '../../start.sh');
const SOURCES = ['server/src/main.ts', 'contract/src/index.ts', 'filter/src/index.ts'];
const BUNDLE = 'server/dist/main.mjs';
const BUILT = new Date('2026-01-02T00:00:00Z');
const BEFORE = new Date('2026-01-01T00:00:00Z');
const LATER = new Date('2026-01-03T00:00:00Z');

/** Programs that print which of them `start.sh` has started. */
describe('start.sh', () => {
  const directory = temporaryDirectory();
  after(() => directory[Symbol.dispose]());
  const pathOf = (file: string) => join(directory.path, 'packages', file);
  function write(file: string, prints: string, time: Date): void {
    mkdirSync(dirname(pathOf(file)), { recursive: true });
    writeFileSync(pathOf(file), `console.log('${prints}');`);
    utimesSync(pathOf(file), time, time);
  }
  const start = () => execFileSync('sh', [pathOf('server/start.sh')], { encoding: 'utf8' }).trim();

  beforeEach(() => {
    for (const file of SOURCES) write(file, 'source files', BEFORE);
    write(BUNDLE, 'bundle', BUILT);
    cpSync(SCRIPT, pathOf('server/start.sh'));
  });

  test('starts the bundle if it is newer than all source files', () => {
    assert.equal(start(), 'bundle');
  });

  for (const file of SOURCES)
    test(`starts the source files if ${file} has changed since the build`, () => {
      utimesSync(pathOf(file), LATER, LATER);
      assert.equal(start(), 'source files');
    });

  test('starts the source files if there is no bundle', () => {
    rmSync(pathOf(BUNDLE));
    assert.equal(start(), 'source files');
  });
});
