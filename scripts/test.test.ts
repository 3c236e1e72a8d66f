import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const RUNNER = join(import.meta.dirname, 'test.ts');

function run(...args: string[]): { status: number | null; output: string } {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [RUNNER, ...args], {
    env,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

test("with a path, the runner runs only the tests below the path and prints the same summary as node's reporter", () => {
  const folder = join(import.meta.dirname, '../packages/filter/src/sql');
  const { status, output } = run('unit', folder);
  assert.equal(status, 0, output);
  assert.match(output, /ℹ tests [1-9]\d*\nℹ suites \d+\nℹ pass [1-9]\d*\nℹ fail 0\n/);
  assert.match(output, /slowest files:\n( +[\d.]+ s {2}packages\/filter\/src\/sql\/\S+\n)+$/);
});

test('with --test-name-pattern, the runner runs only the tests with a matching name', () => {
  const file = join(import.meta.dirname, '../packages/filter/src/sql/fragment.test.ts');
  const { output } = run('unit', '--test-name-pattern=no test has this name', file);
  assert.match(output, /ℹ tests 1\n/);
});

test('the runner fails if a path contains no tests of the requested tier', () => {
  assert.match(run('unit', 'docs').output, /^docs: no test file has this path/m);
  const { status, output } = run('unit', 'packages/filter/tests/agreement.test.ts');
  assert.match(output, /belongs to the tier "integration": .*engines\.ts → node:sqlite/);
  assert.equal(status, 2);
});
