import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Job } from './tests/run-jobs.ts';

const RUNNER = join(import.meta.dirname, 'test.ts');

interface Result {
  readonly status: number | null;
  readonly output: string;
}

function run(...args: string[]): Result {
  return runScript(RUNNER, ...args);
}

function runScript(script: string, ...args: string[]): Result {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
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
  assert.match(
    output,
    /slowest files: [^\n]+\n( +[\d.]+ s +[\d.]+ s {2}packages\/filter\/src\/sql\/\S+\n)+\nProcessor time with all child processes: \d+ s\n$/,
  );
});

test('with --test-name-pattern, the runner runs only the tests with a matching name', () => {
  const file = join(import.meta.dirname, '../packages/filter/src/sql/fragment.test.ts');
  const all = run('unit', file);
  const names = [...all.output.matchAll(/^ *✔ (.+) \(/gm)].map(([, name = '']) => name);
  const [first = '', second = ''] = names;
  const one = run('unit', `--test-name-pattern=^${RegExp.escape(first)}$`, file);
  assert.ok(one.output.includes(first) && !one.output.includes(second));
  assert.equal(one.status, 0);
});

test('the runner fails if no test has a name that matches --test-name-pattern', () => {
  const files = ['fragment', 'narrowing'].map((name) => `packages/filter/src/sql/${name}.test.ts`);
  for (const paths of [files.slice(0, 1), files]) {
    const { status, output } = run('unit', '--test-name-pattern=no test has this name', ...paths);
    assert.match(output, /^FAILED: no test has a name that matches/m);
    assert.equal(status, 1);
  }
});

test('the runner fails if a path contains no tests of the requested tier', () => {
  assert.match(run('unit', 'docs').output, /^docs: no test file has this path/m);
  const { status, output } = run('unit', 'packages/filter/tests/agreement.test.ts');
  assert.match(output, /belongs to the tier "integration": .*engines\.ts → node:sqlite/);
  assert.equal(status, 2);
});

/** Runs test files as a job. `folder` in a source stands for the path of a temporary folder. */
function runTest(
  sources: string | readonly string[],
  repeatAfter?: Job['repeatAfter'],
  timeout = 60_000,
): Result {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-runner-'));
  const files = [sources].flat().map((source, index) => {
    const file = join(folder, `${index}.test.mjs`);
    writeFileSync(file, `const folder = ${JSON.stringify(folder)};\n${source}`);
    return file;
  });
  const runner = JSON.stringify(join(import.meta.dirname, 'tests/run-jobs.ts'));
  const job = JSON.stringify({ name: 'some', files, env: {}, repeatAfter });
  const script = join(folder, 'run.ts');
  writeFileSync(
    script,
    `import { runJobs } from ${runner};
     const passed = await runJobs([${job}], { concurrency: 1, timeout: ${timeout}, namePatterns: [] });
     process.exitCode = passed ? 0 : 1;`,
  );
  const result = runScript(script);
  rmSync(folder, { recursive: true });
  return result;
}

/** Returns the source of a test that fails the first time and passes the second time. */
function failingOnce(failure: string): string {
  return `
    import assert from 'node:assert';
    import { existsSync, writeFileSync } from 'node:fs';
    import { test } from 'node:test';
    test('passes the second time', () => {
      if (existsSync(folder + '/marker')) return;
      writeFileSync(folder + '/marker', '');
      ${failure}
    });`;
}

const ERROR = failingOnce("throw new Error('the first time');");
const ASSERTION = failingOnce("assert.fail('the first time');");

test('the runner repeats a failed job once if the job may be repeated, and says so', () => {
  for (const source of [ERROR, ASSERTION]) {
    const { status, output } = runTest(source, 'any failure');
    assert.match(output, /the first time/);
    assert.match(output, /^FAILED ONCE, PASSED WHEN REPEATED some$/m);
    assert.equal(status, 0, output);
  }
});

test('the runner repeats a test of rare errors unless an assertion failed', () => {
  assert.equal(runTest(ERROR, 'failures other than assertions').status, 0);
  const { status, output } = runTest(ASSERTION, 'failures other than assertions');
  assert.match(output, /^FAILED some$/m);
  assert.equal(status, 1, output);
});

test('the runner does not repeat other failed jobs', () => {
  const { status, output } = runTest(ERROR);
  assert.match(output, /^FAILED some$/m);
  assert.equal(status, 1, output);
});

test('if a test and the disposal of its resources fail, the report shows both errors', () => {
  const { output } = runTest(`
    import { test } from 'node:test';
    test('fails twice', async () => {
      await using resource = {
        async [Symbol.asyncDispose]() { throw new Error('from the disposal'); },
      };
      throw new Error('from the test', { cause: new Error('from its cause') });
    });`);
  for (const part of ['test', 'cause', 'disposal'])
    assert.match(output, new RegExp(`Error: from (the|its) ${part}`));
});

const PASSING = "import { test } from 'node:test'; test('passes', () => {});";

test('a process that stays alive after its tests is ended, and its job fails', () => {
  const source = `
    import { test } from 'node:test';
    test('passes', () => {});
    setInterval(() => {}, 1000);`;
  const { status, output } = runTest(source, undefined, 1000);
  assert.equal(status, 1, output);
  assert.match(output, /^FAILED some$/m);
});

test('files that share a process run with their own hooks, one after another', () => {
  const source = `
    import assert from 'node:assert';
    import { after, before, test } from 'node:test';
    before(() => { assert.equal(globalThis.running, undefined); globalThis.running = import.meta.url; });
    test('runs alone', () => assert.equal(globalThis.running, import.meta.url));
    after(() => { globalThis.running = undefined; });`;
  const { status, output } = runTest([source, source, source]);
  assert.equal(status, 0, output);
  assert.match(output, /ℹ pass 3\n/);
});

test('each file in a shared process has its own tests, even if the files import the same module with a top-level await', () => {
  const source = `
    import 'data:text/javascript,await new Promise((resolve) => setTimeout(resolve, 20))';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { test } from 'node:test';
    test('passes', () => sleep(1));`;
  const { status, output } = runTest([source, source]);
  assert.equal(status, 0, output);
  assert.equal(output.match(/^▶ \S+\.test\.mjs$/gm)?.length, 2, output);
});

test('if a file fails in a shared process, only this file runs again, in its own process', () => {
  const { status, output } = runTest([PASSING, failingOnce('assert.fail();')], 'any failure');
  assert.equal(status, 0, output);
  assert.match(output, /ℹ pass 2\n/);
  assert.match(output, /^FAILED ONCE, PASSED WHEN REPEATED \S+1\.test\.mjs$/m);
});

test('a file that ends the shared process fails, and so does each file without a result', () => {
  const { status, output } = runTest([
    PASSING,
    "import { test } from 'node:test'; test('exits', () => process.exit(0));",
    PASSING,
  ]);
  assert.equal(status, 1, output);
  for (const index of [1, 2])
    assert.match(output, new RegExp(`^FAILED \\S+${index}\\.test\\.mjs$`, 'm'));
});
