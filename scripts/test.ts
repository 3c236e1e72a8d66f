/**
 * Runs tests; see "Tests" in CONTRIBUTING.md.
 *
 *     node scripts/test.ts <all | unit | integration | chaos> [--watch] [--list] [--test-name-pattern=…] [path …]
 *
 * A path is a test file or a folder. Without one, all tests of the tier run.
 */
import { spawnSync } from 'node:child_process';
import { watch } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { postgresIsMissing, startPostgres } from '../packages/filter/tests/postgres.ts';
import { type Job, runJobs } from './tests/run-jobs.ts';
import { Sources } from './tests/sources.ts';
import { CHAOS, isAmong, slownessOf, type Tier } from './tests/tiers.ts';

const ROOT = join(import.meta.dirname, '..');
const COMMANDS = ['all', 'unit', 'integration', 'chaos'] as const;
type Command = (typeof COMMANDS)[number];
const MINUTE = 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    watch: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    'test-name-pattern': { type: 'string', multiple: true, default: [] },
  },
});
const command = COMMANDS.find((one) => one === positionals[0]);
if (command === undefined)
  throw new Error(`node scripts/test.ts <${COMMANDS.join(' | ')}> [path …]`);
const paths = positionals.slice(1).map((path) => relative(ROOT, resolve(path)));

if (command === 'all' || command === 'chaos')
  spawnSync('bash', [join(ROOT, 'scripts/prepare-tests.sh')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
if (values.watch) await watchTests(command, paths);
else
  process.exitCode = (await runTests(command, select(new Sources(ROOT), command, paths))) ? 0 : 1;

interface Selection {
  readonly sources: Sources;
  readonly tests: readonly string[];
}

/** Chooses the tests of a command; throws if a path has none. */
function select(sources: Sources, command: Command, paths: readonly string[]): Selection {
  const isBelow = (test: string, path: string) =>
    path === '' || test === path || test.startsWith(`${path.replace(/\/$/, '')}/`);
  for (const path of paths)
    if (!sources.tests.some((test) => isBelow(test, path))) throw new Error(`${path}: no test`);
  const below = sources.tests.filter(
    (test) => paths.length === 0 || paths.some((path) => isBelow(test, path)),
  );
  const tests = below.filter((test) => isOf(sources, command, test));
  if (tests.length > 0) return { sources, tests };
  const [first = ''] = below;
  throw new Error(
    command === 'unit'
      ? `not a unit test: ${sources.impurity(first) ?? 'it needs other processes'}`
      : `no test of ${command}; its tier is ${sources.tierOf(first)}`,
  );
}

function isOf(sources: Sources, command: Command, test: string): boolean {
  if (command === 'all') return true;
  if (command === 'chaos') return isAmong(test, CHAOS);
  return sources.tierOf(test) === command;
}

/** Runs tests, with a PostgreSQL server beside them if they need one. */
async function runTests(command: Command, { sources, tests }: Selection): Promise<boolean> {
  if (values.list) {
    for (const test of tests) console.log(sources.tierOf(test).padEnd(11), test);
    return true;
  }
  const needsPostgres =
    command !== 'unit' &&
    command !== 'integration' &&
    postgresIsMissing === undefined &&
    tests.some((test) => sources.mayNeedPostgres(test));
  await using server = needsPostgres ? await startPostgres() : null;
  const jobs = jobsOf(command, { sources, tests }, server?.connection.host);
  // The server must live until the jobs have ended.
  return await runJobs(jobs, {
    root: ROOT,
    // One process per core, but at least two, because system tests mostly wait.
    concurrency: Math.max(2, availableParallelism()),
    timeout: command === 'chaos' ? 240 * MINUTE : 10 * MINUTE,
    namePatterns: values['test-name-pattern'],
  });
}

function jobsOf(command: Command, { sources, tests }: Selection, postgres?: string): Job[] {
  const env = environment(command, postgres);
  const byTier = Map.groupBy(tests, (test): Tier => sources.tierOf(test));
  const unit = byTier.get('unit') ?? [];
  const rest = [...(byTier.get('system') ?? []), ...(byTier.get('integration') ?? [])];
  const slowestFirst = rest.toSorted((a, b) => slownessOf(a) - slownessOf(b));
  const jobs = slowestFirst.flatMap((test): Job[] => {
    const job = { name: test, files: [join(ROOT, test)], env };
    if (command === 'integration' || !sources.runsOnBothEngines(test)) return [job];
    const onPostgres = { ...env, GATEHOUSE_TEST_BACKEND: 'postgres' };
    return postgres === undefined
      ? [job]
      : [job, { ...job, name: `${test} (on PostgreSQL)`, env: onPostgres }];
  });
  if (unit.length > 0) jobs.unshift(unitJob(unit, env));
  return jobs;
}

/** All unit tests in one process that may not write files, open sockets, or start processes or threads. */
function unitJob(tests: readonly string[], env: NodeJS.ProcessEnv): Job {
  return {
    name: `${tests.length} unit tests`,
    files: tests.map((test) => join(ROOT, test)),
    env,
    flags: ['--permission', '--allow-fs-read=*'],
  };
}

/** The environment without the settings of the developer's own service. */
function environment(command: Command, postgres: string | undefined): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('GATEHOUSE_') || name.startsWith('GATEHOUSE_TEST_'),
  );
  return {
    ...Object.fromEntries(own),
    ...(postgres === undefined ? {} : { GATEHOUSE_TEST_POSTGRES: postgres }),
    ...(command === 'integration' ? { GATEHOUSE_TEST_WITHOUT_POSTGRES: '1' } : {}),
    ...(command === 'chaos' ? chaos() : {}),
  };
}

function chaos(): NodeJS.ProcessEnv {
  const seed = process.env['GATEHOUSE_TEST_SEED'] ?? String(Math.floor(Math.random() * 2 ** 32));
  console.log(`GATEHOUSE_TEST_SEED=${seed}`);
  return { GATEHOUSE_TEST_CHAOS: 'full', GATEHOUSE_TEST_SEED: seed };
}

/** Runs the tests, and after each change those that the changed files affect. */
async function watchTests(command: Command, paths: readonly string[]): Promise<void> {
  const changed = new Set<string>();
  for (const folder of ['packages', 'bench', 'scripts'])
    watch(join(ROOT, folder), { recursive: true }, (_, name) => {
      if (name !== null && /\.[jt]sx?$/.test(name) && !name.includes('node_modules'))
        changed.add(`${folder}/${name}`);
    });
  await runTests(command, select(new Sources(ROOT), command, paths));
  for (;;) {
    await sleep(200);
    if (changed.size === 0) continue;
    const files = [...changed];
    changed.clear();
    const { sources, tests } = select(new Sources(ROOT), command, paths);
    const affected = tests.filter((test) => files.some((file) => sources.reaches(test, file)));
    if (affected.length > 0) await runTests(command, { sources, tests: affected });
  }
}
