/**
 * Runs tests; see "Tests" in CONTRIBUTING.md.
 *
 *     node scripts/test.ts <all | unit | integration | release | chaos> [--watch] [--list] [--on-both-engines] [--test-name-pattern=…] [path …]
 *
 * A path is a test file or a folder. Without paths and patterns, all tests of the tier run; `all` stands for
 * all tiers except `release`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { binaries as postgresPrograms, startPostgres } from '../packages/filter/tests/postgres.ts';
import { bundleServer } from '../packages/server/build/bundle.ts';
import {
  openStore,
  temporaryDirectory,
} from '../packages/server/src/storage/sqlite/open-store.suite.ts';
import { bundlePackages } from './tests/bundle-packages.ts';
import { openMemoryFolder } from './tests/memory-folder.ts';
import { processorSeconds } from './tests/processor-time.ts';
import { type Job, runJobs } from './tests/run-jobs.ts';
import { Sources } from './tests/sources.ts';
import {
  CHAOS,
  isAmong,
  ON_POSTGRES_IN_CHAOS,
  OWN_PROCESS,
  RARE_FAILURES,
  SLOWEST_FIRST,
  slownessOf,
  type Tier,
} from './tests/tiers.ts';

const ROOT = join(import.meta.dirname, '..');
const COMMANDS = ['all', 'unit', 'integration', 'release', 'chaos'] as const;
type Command = (typeof COMMANDS)[number];
const MINUTE = 60_000;
const CORES = availableParallelism();
/** Number of batches of integration tests per core. */
const BATCHES = 5;
/** Compiled code of the sources. A process reads and writes it if it finds the folder in `NODE_COMPILE_CACHE`. */
const COMPILED = join(ROOT, 'node_modules/.cache/gatehouse');
/** Maximum number of files in a batch of system tests. */
const SYSTEM_BATCH = 9;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    watch: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    'on-both-engines': { type: 'boolean', default: false },
    'test-name-pattern': { type: 'string', multiple: true, default: [] },
  },
});
const command =
  COMMANDS.find((one) => one === positionals[0]) ??
  refuse(`usage: node scripts/test.ts <${COMMANDS.join(' | ')}> [path …]`);
const paths = positionals.slice(1).map((path) => relative(ROOT, resolve(path)));

const prepared =
  command === 'unit' || command === 'integration' ? Promise.resolve() : installPrograms();
if (values.watch) await watchTests(command, paths);
else {
  process.exitCode = (await runTests(command, select(new Sources(ROOT), command, paths))) ? 0 : 1;
  if (!values.list)
    console.log(`\nProcessor time with all child processes: ${processorSeconds().toFixed(0)} s`);
}

/** Installs the programs that the tests need. On a new machine, this takes half a minute or longer. */
async function installPrograms(): Promise<void> {
  const script = join(ROOT, 'scripts/prepare-tests.sh');
  const stdio = ['ignore', 'inherit', 'inherit'] as const;
  await once(spawn('bash', [script, command], { stdio: [...stdio] }), 'close');
}

/** Creates a database with the current schema and without data. The tests copy it. */
async function createMigratedDatabase(): Promise<Disposable & { readonly file: string }> {
  const directory = temporaryDirectory();
  await (await openStore(directory.path))[Symbol.asyncDispose]();
  return {
    file: join(directory.path, 'gatehouse.db'),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

interface Selection {
  readonly sources: Sources;
  readonly tests: readonly string[];
}

/** Prints the reason why no test can run, and exits the process. */
function refuse(why: string): never {
  console.error(why);
  process.exit(2);
}

/** Selects the tests of a command. Exits the process if there are no tests below a path. */
function select(sources: Sources, command: Command, paths: readonly string[]): Selection {
  const isBelow = (test: string, path: string) =>
    path === '' || test === path || test.startsWith(`${path.replace(/\/$/, '')}/`);
  for (const path of paths)
    if (!sources.tests.some((test) => isBelow(test, path)))
      refuse(`${path}: no test file has this path, and no folder with tests`);
  const below = sources.tests.filter(
    (test) => paths.length === 0 || paths.some((path) => isBelow(test, path)),
  );
  const isNarrowed = paths.length > 0 || values['test-name-pattern'].length > 0;
  const tests = below.filter(
    (test) => (command === 'all' && isNarrowed) || isOf(sources, command, test),
  );
  if (tests.length > 0) return { sources, tests };
  const [first = ''] = below;
  const tier = sources.tierOf(first);
  const why = tier === 'integration' ? `: ${sources.impurity(first)}` : '';
  return refuse(`${first} belongs to the tier "${tier}"${why}. Run it with npm test -- ${first}`);
}

function isOf(sources: Sources, command: Command, test: string): boolean {
  if (command === 'all') return sources.tierOf(test) !== 'release';
  if (command === 'chaos') return isAmong(test, [...CHAOS, ...ON_POSTGRES_IN_CHAOS]);
  return sources.tierOf(test) === command;
}

/** Runs tests. The tests that need no other programs run first, while the programs are installed. */
async function runTests(command: Command, { sources, tests }: Selection): Promise<boolean> {
  if (values.list) {
    for (const test of tests) console.log(sources.tierOf(test).padEnd(11), test);
    return true;
  }
  using _folder = command === 'unit' ? null : openMemoryFolder();
  const cached = {
    NODE_COMPILE_CACHE: COMPILED,
    ...environment(command),
    GATEHOUSE_TEST_PRELOAD: await bundlePackages(),
  };
  const isUnit = (test: string) => sources.tierOf(test) === 'unit';
  await using resources = new AsyncDisposableStack();
  async function* inOrder(): AsyncGenerator<Job> {
    yield* batches(tests.filter(isUnit), CORES).map((files) => unitJob(files, cached));
    const others = tests.filter((test) => !isUnit(test));
    if (others.length === 0) return;
    const { file } = resources.use(await createMigratedDatabase());
    const env = { ...cached, GATEHOUSE_TEST_DATABASE: file };
    const early = others.filter((test) => needsNoPrograms(sources, test));
    yield* integrationJobs(early, env);
    const more = await prepare(command, { sources, tests: others }, resources);
    yield* jobsOf(command, { sources, tests: others }, { ...env, ...more }, early);
  }
  // The results of a single job are printed as they arrive.
  const jobs = tests.length === 1 ? await Array.fromAsync(inOrder()) : inOrder();
  // Without `await`, the servers would stop before the jobs have ended.
  return await runJobs(jobs, {
    // System tests spend half of their time waiting for other processes, disks and timeouts.
    concurrency: command === 'unit' ? CORES : 2 * CORES,
    timeout: command === 'chaos' ? 240 * MINUTE : 10 * MINUTE,
    namePatterns: values['test-name-pattern'],
  });
}

type Prepared = Readonly<Record<`GATEHOUSE_TEST_${string}`, string>>;

/** Reports whether a test can run on SQLite before the programs are installed. */
function needsNoPrograms(sources: Sources, test: string): boolean {
  const isOnSqlite = !sources.mayNeedPostgres(test) || sources.runsOnBothEngines(test);
  return sources.tierOf(test) === 'integration' && isOnSqlite;
}

/**
 * Prepares what system tests share: programs, the bundle of the service, and a PostgreSQL server if a test may need it.
 *
 * @param resources ends the server.
 */
async function prepare(
  command: Command,
  { sources, tests }: Selection,
  resources: AsyncDisposableStack,
): Promise<Prepared> {
  if (command === 'unit' || command === 'integration') return {};
  const bundle = await bundleServer();
  await prepared;
  const needsPostgres =
    postgresPrograms() !== undefined && tests.some((test) => sources.mayNeedPostgres(test));
  const server = needsPostgres ? resources.use(await startPostgres()) : null;
  return {
    GATEHOUSE_TEST_SERVER: bundle,
    ...(server === null ? {} : { GATEHOUSE_TEST_POSTGRES: server.connection.host }),
  };
}

/**
 * @param cached environment variables of the jobs.
 * @param early integration tests that have jobs on SQLite already.
 */
function jobsOf(
  command: Command,
  { sources, tests }: Selection,
  cached: NodeJS.ProcessEnv,
  early: readonly string[],
): readonly Job[] {
  const onPostgres = {
    ...cached,
    GATEHOUSE_TEST_BACKEND: 'postgres',
    GATEHOUSE_TEST_DATABASE: undefined,
  };
  const runsOnPostgres = (test: string) =>
    cached['GATEHOUSE_TEST_POSTGRES'] !== undefined &&
    sources.runsOnBothEngines(test) &&
    (command === 'chaos' || values['on-both-engines'] || !isAmong(test, ON_POSTGRES_IN_CHAOS));
  const byTier = Map.groupBy(tests, (test): Tier => sources.tierOf(test));
  const system = [...(byTier.get('system') ?? []), ...(byTier.get('release') ?? [])];
  const alone = system.filter((test) => isAmong(test, SLOWEST_FIRST));
  const slowestFirst = alone.toSorted((a, b) => slownessOf(a) - slownessOf(b));
  const systemJobs = (files: readonly string[]) => {
    const onBoth = files.filter(runsOnPostgres);
    const jobs = [
      jobOf(files, cached),
      ...(onBoth.length > 0 ? [jobOf(onBoth, onPostgres, ' (on PostgreSQL)')] : []),
    ];
    if (command === 'chaos') return jobs;
    const isRare = files.some((test) => isAmong(test, RARE_FAILURES));
    const repeatAfter = isRare ? 'failures other than assertions' : 'any failure';
    return jobs.map((job): Job => ({ ...job, repeatAfter }));
  };
  const integration = byTier.get('integration') ?? [];
  return [
    ...slowestFirst.flatMap((test) => systemJobs([test])),
    ...integrationJobs(
      integration.filter((test) => !early.includes(test)),
      cached,
    ),
    ...integrationJobs(integration.filter(runsOnPostgres), onPostgres, ' (on PostgreSQL)'),
    ...systemBatches(system.filter((test) => !alone.includes(test))).flatMap(systemJobs),
  ];
}

function integrationJobs(
  tests: readonly string[],
  env: NodeJS.ProcessEnv,
  suffix?: string,
): readonly Job[] {
  return batches(tests, BATCHES * CORES).map((files) => jobOf(files, env, suffix));
}

/**
 * Divides system tests into batches. The files of a batch share a process, which saves the time to load the same modules again,
 * and a browser. They are files of the same folder, and all or none of them are among `RARE_FAILURES`.
 */
function systemBatches(tests: readonly string[]): string[][] {
  const kinds = Map.groupBy(
    tests,
    (test) =>
      `${dirname(test)} ${isAmong(test, RARE_FAILURES)} ${isAmong(test, OWN_PROCESS) ? test : ''}`,
  );
  return [...kinds.values()].flatMap((files) =>
    divide(files, Math.ceil(files.length / SYSTEM_BATCH)),
  );
}

/**
 * Divides test files into at most `count` batches of at least 10 files. The files of a batch share a process, which
 * saves the time to load the same modules again.
 */
function batches(tests: readonly string[], count: number): string[][] {
  return divide(tests, Math.min(count, Math.ceil(tests.length / 10)));
}

function divide(tests: readonly string[], parts: number): string[][] {
  return Array.from({ length: parts }, (_, index) => tests.filter((_, at) => at % parts === index));
}

function jobOf(tests: readonly string[], env: NodeJS.ProcessEnv, suffix = ''): Job {
  const [first = ''] = tests;
  const name = tests.length === 1 ? first : `${first} and ${tests.length - 1} more files`;
  return { name: `${name}${suffix}`, suffix, files: tests.map((test) => join(ROOT, test)), env };
}

/**
 * Creates a job whose process has no permission to open sockets, start processes or threads, or write files other than compiled code.
 * Without the permission to write compiled code, Node does not read it either.
 */
function unitJob(tests: readonly string[], env: NodeJS.ProcessEnv): Job {
  return {
    name: `unit tests (${tests.length} ${tests.length === 1 ? 'file' : 'files'})`,
    files: tests.map((test) => join(ROOT, test)),
    env,
    flags: ['--permission', '--allow-fs-read=*', `--allow-fs-write=${COMPILED}`],
  };
}

/** Returns the environment for tests, without the settings of the developer's own service. */
function environment(command: Command): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('GATEHOUSE_') || name.startsWith('GATEHOUSE_TEST_'),
  );
  return {
    ...Object.fromEntries(own),
    ...(command === 'integration' ? { GATEHOUSE_TEST_WITHOUT_POSTGRES: '1' } : {}),
    ...(command === 'chaos' ? chaos() : {}),
  };
}

function chaos(): NodeJS.ProcessEnv {
  const seed = process.env['GATEHOUSE_TEST_SEED'] ?? String(Math.floor(Math.random() * 2 ** 32));
  console.log(`GATEHOUSE_TEST_SEED=${seed}`);
  return { GATEHOUSE_TEST_CHAOS: 'full', GATEHOUSE_TEST_SEED: seed };
}

/** Runs the tests. After each change, runs the tests that import a changed file directly or indirectly. */
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
