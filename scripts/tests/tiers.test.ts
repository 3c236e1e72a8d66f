import assert from 'node:assert/strict';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { Sources } from './sources.ts';
import * as tiers from './tiers.ts';

const sources = new Sources(join(import.meta.dirname, '../..'));
const { tests } = sources;

test('every pattern in the tables of tiers matches a test file', () => {
  const { SYSTEM, CHAOS, SLOWEST_FIRST, MUST_BE_UNIT } = tiers;
  const patterns = [SYSTEM, CHAOS, SLOWEST_FIRST, MUST_BE_UNIT].flat();
  const unused = patterns.filter(
    (pattern) => !tests.some((one) => posix.matchesGlob(one, pattern)),
  );
  assert.deepEqual(unused, []);
});

test('tests of rules, of the contract and of filters are unit tests', () => {
  const impure = tests
    .filter((one) => tiers.isAmong(one, tiers.MUST_BE_UNIT))
    .map((one) => sources.impurity(one))
    .filter((path) => path !== null);
  assert.deepEqual(impure, []);
});

test('a test that reaches a database, the file system, a thread or another process is no unit test', () => {
  const impure = {
    'packages/filter/tests/agreement.test.ts': /engines\.ts → node:sqlite$/,
    'packages/server/src/lib/threads/ask-thread.test.ts': /a thread \(/,
    'packages/widget/build/check-sizes.test.ts': /→ node:child_process$/,
  };
  for (const [file, why] of Object.entries(impure)) {
    assert.match(sources.impurity(file) ?? '', why);
    assert.equal(sources.tierOf(file), 'integration');
  }
});

test('a pattern of the tests for both engines matches one that can keep its data in PostgreSQL', () => {
  const both = tests.filter((one) => sources.runsOnBothEngines(one));
  const unused = tiers.ON_BOTH_ENGINES.filter(
    (pattern) => !both.some((one) => posix.matchesGlob(one, pattern)),
  );
  assert.deepEqual(unused, []);
});
