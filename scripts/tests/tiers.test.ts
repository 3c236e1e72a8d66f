import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { Sources } from './sources.ts';
import * as tiers from './tiers.ts';

const ROOT = join(import.meta.dirname, '../..');

const sources = new Sources(ROOT);
const { tests } = sources;

test('every pattern in tiers.ts matches a test file', () => {
  const { RELEASE, SYSTEM, RARE_FAILURES, SLOWEST_FIRST, OWN_PROCESS, MUST_BE_UNIT } = tiers;
  const patterns = [
    RELEASE,
    SYSTEM,
    RARE_FAILURES,
    SLOWEST_FIRST,
    OWN_PROCESS,
    MUST_BE_UNIT,
  ].flat();
  const unused = patterns.filter(
    (pattern) => !tests.some((one) => posix.matchesGlob(one, pattern)),
  );
  assert.deepEqual(unused, []);
});

test('every test that matches MUST_BE_UNIT is a unit test', () => {
  const impure = tests
    .filter((one) => tiers.isAmong(one, tiers.MUST_BE_UNIT))
    .map((one) => sources.impurity(one))
    .filter((path) => path !== null);
  assert.deepEqual(impure, []);
});

test('a test that uses a database, a thread or another process is an integration test', () => {
  const impure = {
    'packages/filter/tests/agreement.test.ts': /engines\.ts → node:sqlite$/,
    'packages/server/src/lib/threads/read-thread.test.ts': /a thread \(/,
    'packages/widget/build/check-sizes.test.ts': /→ node:child_process$/,
  };
  for (const [file, why] of Object.entries(impure)) {
    assert.match(sources.impurity(file) ?? '', why);
    assert.equal(sources.tierOf(file), 'integration');
  }
});

test('every pattern for tests on both engines matches a test that can run on PostgreSQL', () => {
  const both = tests.filter((one) => sources.runsOnBothEngines(one));
  const patterns = [...tiers.ON_BOTH_ENGINES, ...tiers.ON_POSTGRES_IN_CHAOS];
  const unused = patterns.filter((pattern) => !both.some((one) => posix.matchesGlob(one, pattern)));
  assert.deepEqual(unused, []);
});

test('a test that runs a sample of its inputs runs in full in `npm run test:chaos`', () => {
  const sampled = tests.filter((one) =>
    /\b(roundsOf\(|FULL\b)/.test(readFileSync(join(ROOT, one), 'utf8')),
  );
  assert.deepEqual(
    sampled.filter((one) => !tiers.isAmong(one, tiers.CHAOS)),
    ['scripts/tests/tiers.test.ts'],
  );
});
