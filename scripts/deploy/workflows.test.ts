import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { ROOT } from './files.ts';

interface Workflow {
  readonly on: unknown;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Job {
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

const FOLDER = join(ROOT, '.github', 'workflows');
const texts = new Map(
  readdirSync(FOLDER).map((file) => [file, readFileSync(join(FOLDER, file), 'utf8')]),
);
const workflows = [...texts].map(([file, text]) => ({ file, ...(parse(text) as Workflow) }));

/** The command of a workflow that runs tests. */
const TESTS = /^\.ci\/run$|^npm test\b/;

test('every workflow installs Go, Java and Maven before the tests, so that no broker test is skipped', () => {
  for (const { file, jobs } of workflows)
    for (const { steps } of Object.values(jobs)) {
      const before = steps.slice(
        0,
        steps.findIndex(({ run }) => TESTS.test(run ?? '')),
      );
      const text = JSON.stringify(before);
      assert.match(text, /actions\/setup-go@/, file);
      assert.match(text, /apt-get install .*openjdk-17-jdk-headless maven/, file);
    }
});

test('every workflow for changes and releases runs .ci/run, and nothing else decides about a change', () => {
  const names = workflows.map(({ file }) => file).sort();
  assert.deepEqual(names, ['ci.yml', 'nightly.yml', 'release.yml']);
  for (const { file, jobs } of workflows.filter(({ file }) => file !== 'nightly.yml')) {
    const runs = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run }) => run));
    assert.ok(runs.includes('.ci/run'), file);
  }
});

test('every night, the tests run on both engines', () => {
  const nightly = workflows.find(({ file }) => file === 'nightly.yml');
  assert.match(JSON.stringify(nightly?.on), /"cron":"\S+ \S+ \* \* \*"/);
  const steps = Object.values(nightly?.jobs ?? {}).flatMap((job) => job.steps);
  assert.ok(steps.some(({ run }) => run === 'npm test -- --on-both-engines'));
});

test('workflows may only read the repository unless a job asks for more, and they have a time limit', () => {
  for (const { file, permissions, jobs } of workflows) {
    assert.deepEqual(permissions, { contents: 'read' }, file);
    for (const job of Object.values(jobs)) assert.ok((job['timeout-minutes'] ?? 0) > 0, file);
  }
});

test('every action is pinned to a commit, with its version in a comment', () => {
  for (const [file, text] of texts)
    for (const line of text.split('\n').filter((line) => line.includes('uses:')))
      assert.match(line, /uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, file);
});

test('no step of a workflow inserts an expression into a shell command', () => {
  for (const { file, jobs } of workflows)
    for (const { steps } of Object.values(jobs))
      for (const { run = '' } of steps) assert.doesNotMatch(run, /\$\{\{/, file);
});

test('the issue forms have a name, a description and at least one required field', () => {
  const folder = join(ROOT, '.github', 'ISSUE_TEMPLATE');
  for (const file of ['bug.yml', 'idea.yml']) {
    const form = parse(readFileSync(join(folder, file), 'utf8')) as {
      readonly name: string;
      readonly description: string;
      readonly body: readonly { readonly validations?: { readonly required?: boolean } }[];
    };
    assert.ok(form.name && form.description, file);
    assert.ok(
      form.body.some(({ validations }) => validations?.required === true),
      file,
    );
  }
});
