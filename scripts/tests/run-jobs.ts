import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { readRecords } from './processor-time.ts';

/** Test files that run in one process. */
export interface Job {
  /** Name of the job in the lists of failed and slow jobs. */
  readonly name: string;
  /** Part of the name that distinguishes the job from another one with the same files. */
  readonly suffix?: string;
  /** Absolute paths of the test files. */
  readonly files: readonly string[];
  /** Environment variables of the process. */
  readonly env: NodeJS.ProcessEnv;
  /** Command-line options for `node`. */
  readonly flags?: readonly string[];
  /**
   * The failures after which the job runs a second time, alone, after all other jobs. Then only the second result
   * counts. Default: none.
   */
  readonly repeatAfter?: 'any failure' | 'failures other than assertions';
}

export interface RunOptions {
  /** Maximum number of concurrent processes. */
  readonly concurrency: number;
  /** Timeout of a job in milliseconds. A job that takes longer fails. */
  readonly timeout: number;
  /** Runs only the tests whose name matches one of these patterns. Empty: all tests. */
  readonly namePatterns: readonly string[];
}

const COUNTS = ['tests', 'suites', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const;
type Counts = Record<(typeof COUNTS)[number], number>;
const SUMMARY = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;
const SLOWEST = 10;
/** Additional time after the timeout of a job, until its process is ended. */
const GRACE_MS = 1000;
const ROOT = join(import.meta.dirname, '../..');
const PRELOADED = ['./show-suppressed-errors.ts', './processor-time.ts'].map((module) =>
  import.meta.resolve(module),
);
/** Duration in milliseconds and processor time in seconds. */
interface Times {
  readonly ms: number;
  readonly seconds: number;
}
type Events = ReturnType<typeof run>;
type Event = Events extends AsyncIterable<infer E> ? E : never;

/**
 * Starts jobs in the given order. Prints the results of all jobs in the format of node's own reporter, followed by the
 * slowest files and the failed jobs. Failed jobs that may be repeated run again at the end, one at a time.
 *
 * @param jobs an array, or an iterable that may yield some jobs later.
 * @returns `true` if all jobs passed, some of them perhaps in the second attempt.
 */
export async function runJobs(
  jobs: readonly Job[] | AsyncIterable<Job>,
  options: RunOptions,
): Promise<boolean> {
  const began = performance.now();
  using folder = temporaryFolder();
  const report = new Report(folder.path, options.namePatterns.length === 0);
  const isAlone = Array.isArray(jobs) && jobs.length === 1;
  const waiting = inOrder(jobs);
  async function work(): Promise<void> {
    for await (const job of waiting) await runJob(job, options, report, isAlone);
  }
  await Promise.all(Array.from({ length: options.concurrency }, work));
  for (const job of report.takeRepeatable()) await runJob(job, options, report, false);
  return report.end(performance.now() - began);
}

async function* inOrder(jobs: readonly Job[] | AsyncIterable<Job>): AsyncGenerator<Job> {
  yield* jobs;
}

async function runJob(
  job: Job,
  options: RunOptions,
  report: Report,
  isAlone: boolean,
): Promise<void> {
  const [first = ''] = job.files;
  const inOne = job.files.length > 1;
  const began = performance.now();
  const times = report.newTimes();
  const events = run({
    files: [inOne ? `${import.meta.dirname}/several-files.ts` : first],
    argv: inOne ? [...job.files] : [],
    execArgv: [
      ...preloads(job),
      ...(job.flags ?? []),
      ...(job.flags?.includes('--permission') ? [`--allow-fs-write=${times}`] : []),
    ],
    env: { ...job.env, GATEHOUSE_TEST_TIMES: times },
    timeout: options.timeout,
    // The timeout ends tests, but not a process that stays alive after its tests.
    signal: AbortSignal.timeout(options.timeout + GRACE_MS),
    ...(options.namePatterns.length > 0 ? { testNamePatterns: [...options.namePatterns] } : {}),
  });
  // Node's reporter expects all events of a file before the events of the next file.
  const held: Event[] = [];
  for await (const event of events) {
    if (isAlone) report.add(event);
    else held.push(event);
  }
  for (const event of held) report.add(event);
  report.finish(job, performance.now() - began, times);
}

function preloads({ env }: Job): string[] {
  const packages = env['GATEHOUSE_TEST_PRELOAD'];
  return [...(packages === undefined ? [] : [packages]), ...PRELOADED].flatMap((module) => [
    '--import',
    module,
  ]);
}

class Report {
  readonly #spec = new spec();
  readonly #counts = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Counts;
  readonly #folder: string;
  readonly #expectsAll: boolean;
  readonly #times = new Map<string, Times>();
  #files = 0;
  readonly #failed = new Set<Job>();
  readonly #assertionFailed = new Set<Job>();
  readonly #repeated = new Set<Job>();
  /** Durations of the outermost suites. In a job with several files, `several-files.ts` makes a suite of each file. */
  readonly #bySuite = new Map<string, number>();
  readonly #failedSuites = new Set<string>();
  /** `true` if a test has run. Node reports a file without matching tests as a test with the name of the file. */
  #hasTests = false;
  #succeeds = true;
  #isAssertion = false;

  /**
   * @param folder an empty folder for the files in which the jobs record their processor time.
   * @param expectsAll `true` if every test file must have a result.
   */
  constructor(folder: string, expectsAll: boolean) {
    this.#folder = folder;
    this.#expectsAll = expectsAll;
    this.#spec.pipe(process.stdout);
  }

  add(event: Event): void {
    if (event.type === 'test:diagnostic' && event.data.nesting === 0)
      if (SUMMARY.test(event.data.message)) return;
    if (event.type === 'test:summary') {
      if (event.data.file !== undefined) return;
      for (const name of COUNTS) this.#counts[name] += event.data.counts[name];
      this.#succeeds = event.data.success;
      return;
    }
    if (event.type === 'test:pass' || event.type === 'test:fail') {
      const { nesting, name, details } = event.data;
      this.#hasTests ||= this.#expectsAll || !existsSync(resolve(ROOT, name));
      if (nesting === 0) this.#bySuite.set(name, details.duration_ms);
      if (nesting === 0 && event.type === 'test:fail') this.#failedSuites.add(name);
      if (event.type === 'test:fail' && isAssertion(event.data.details.error))
        this.#isAssertion = true;
    }
    this.#spec.write(event);
  }

  /** Returns a new file in which a job can record its processor time. */
  newTimes(): string {
    this.#files += 1;
    const file = join(this.#folder, String(this.#files));
    writeFileSync(file, '');
    return file;
  }

  /**
   * Records the durations and the result of a job from the events since the last call.
   *
   * @param times the file with the job's processor time.
   */
  finish(job: Job, ms: number, times: string): void {
    const seconds = readRecords(times);
    const total = seconds.get(null) ?? 0;
    if (job.files.length === 1) this.#times.set(job.name, { ms, seconds: total });
    else
      for (const [file, took] of this.#bySuite)
        this.#times.set(`${file}${job.suffix ?? ''}`, {
          ms: took,
          seconds: seconds.get(file) ?? 0,
        });
    // A file without a result has not run, for example because an earlier file ended the process.
    const missing = job.files.some((file) => !this.#bySuite.has(relative(ROOT, file)));
    if (job.files.length > 1 && missing && this.#expectsAll) this.#succeeds = false;
    const failed = this.#succeeds ? [] : this.#failedFiles(job);
    for (const one of failed) {
      this.#failed.add(one);
      if (this.#isAssertion) this.#assertionFailed.add(one);
    }
    this.#failedSuites.clear();
    this.#bySuite.clear();
    this.#succeeds = true;
    this.#isAssertion = false;
  }

  /** Returns a job for each failed file of a job, so that only these files are repeated, each in its own process. */
  #failedFiles(job: Job): readonly Job[] {
    const { files, suffix = '', ...rest } = job;
    if (files.length === 1) return [job];
    const failed = files.filter((file) => {
      const name = relative(ROOT, file);
      return this.#failedSuites.has(name) || !this.#bySuite.has(name);
    });
    // If the process itself failed, any file may be the cause.
    return (failed.length > 0 ? failed : files).map(
      (file): Job => ({ ...rest, suffix, files: [file], name: `${relative(ROOT, file)}${suffix}` }),
    );
  }

  /** Returns the failed jobs that may be repeated, and no longer counts them as failed. */
  takeRepeatable(): readonly Job[] {
    for (const job of this.#failed)
      if (
        job.repeatAfter === 'any failure' ||
        (job.repeatAfter !== undefined && !this.#assertionFailed.has(job))
      )
        this.#repeated.add(job);
    for (const job of this.#repeated) this.#failed.delete(job);
    return [...this.#repeated];
  }

  /** Prints the summary. Resolves to `false` if a job failed or no test has run. */
  async end(ms: number): Promise<boolean> {
    const { passed, failed, ...rest } = this.#counts;
    const lines = { tests: rest.tests, suites: rest.suites, pass: passed, fail: failed };
    const more = { cancelled: rest.cancelled, skipped: rest.skipped, todo: rest.todo };
    for (const [name, count] of Object.entries({ ...lines, ...more, duration_ms: ms }))
      this.#spec.write({
        type: 'test:diagnostic',
        data: { nesting: 0, message: `${name} ${count}`, level: 'info' },
      });
    this.#spec.end();
    await new Promise((resolve) => this.#spec.once('end', resolve));
    const slowest = [...this.#times]
      .sort(([, a], [, b]) => b.seconds - a.seconds)
      .slice(0, SLOWEST);
    console.log(
      '\nThe slowest files: duration, processor time of the file and its child processes',
    );
    for (const [name, took] of slowest)
      console.log(`${columnOf(took.ms / 1000)} ${columnOf(took.seconds)}  ${name}`);
    for (const job of this.#repeated)
      if (!this.#failed.has(job)) console.log(`FAILED ONCE, PASSED WHEN REPEATED ${job.name}`);
    for (const { name } of this.#failed) console.log(`FAILED ${name}`);
    if (!this.#hasTests && this.#failed.size === 0)
      console.log('FAILED: no test has a name that matches --test-name-pattern');
    return this.#failed.size === 0 && this.#hasTests;
  }
}

function columnOf(seconds: number): string {
  return `${seconds.toFixed(1).padStart(7)} s`;
}

function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-times-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Reports whether a test failed because an assertion failed. Node wraps the error of a test in an error of its own. */
function isAssertion(error: Error): boolean {
  const { code, cause } = error as Error & { readonly code?: unknown };
  return code === 'ERR_ASSERTION' || (cause instanceof Error && isAssertion(cause));
}
