import { relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

/** Test files that run in one process. */
export interface Job {
  /** Shown for a job that failed and for one that was slow. */
  readonly name: string;
  /** Absolute paths. */
  readonly files: readonly string[];
  /** The environment of the process. */
  readonly env: NodeJS.ProcessEnv;
  /** Flags of `node`. */
  readonly flags?: readonly string[];
}

export interface RunOptions {
  readonly root: string;
  /** Processes at once. */
  readonly concurrency: number;
  /** After this many milliseconds a job fails. */
  readonly timeout: number;
  /** Only tests whose name contains one of these. */
  readonly namePatterns: readonly string[];
}

const COUNTS = ['tests', 'suites', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const;
type Counts = Record<(typeof COUNTS)[number], number>;
const SUMMARY = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;
const SLOWEST = 10;
type Events = ReturnType<typeof run>;
type Event = Events extends AsyncIterable<infer E> ? E : never;

/**
 * Runs jobs in their order and prints what node's own reporter prints for all of them together, then the slowest
 * files.
 *
 * @returns whether everything passed.
 */
export async function runJobs(jobs: readonly Job[], options: RunOptions): Promise<boolean> {
  const began = performance.now();
  const report = new Report(options.root);
  const waiting = jobs.values();
  async function work(): Promise<void> {
    for (const job of waiting) await runJob(job, options, report, jobs.length === 1);
  }
  await Promise.all(Array.from({ length: Math.min(options.concurrency, jobs.length) }, work));
  return report.end(performance.now() - began);
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
  const events = run({
    files: [inOne ? `${import.meta.dirname}/unit-process.ts` : first],
    argv: inOne ? [...job.files] : [],
    execArgv: [...(job.flags ?? [])],
    env: job.env,
    timeout: options.timeout,
    ...(options.namePatterns.length > 0 ? { testNamePatterns: [...options.namePatterns] } : {}),
  });
  // Node's reporter expects the events of one file after the other.
  const held: Event[] = [];
  for await (const event of events) {
    if (isAlone) report.add(event);
    else held.push(event);
  }
  for (const event of held) report.add(event);
  report.finish(job, performance.now() - began);
}

class Report {
  readonly #root: string;
  readonly #spec = new spec();
  readonly #counts = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Counts;
  readonly #times = new Map<string, number>();
  readonly #failedJobs: string[] = [];
  readonly #byFile = new Map<string, number>();
  #succeeds = true;

  constructor(root: string) {
    this.#root = root;
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
      const { nesting, file, details } = event.data;
      if (nesting === 0 && file !== undefined)
        this.#byFile.set(file, (this.#byFile.get(file) ?? 0) + details.duration_ms);
    }
    this.#spec.write(event);
  }

  /** Takes what was added since the last call as the events of this job. */
  finish(job: Job, ms: number): void {
    if (job.files.length === 1) this.#times.set(job.name, ms);
    else for (const [file, took] of this.#byFile) this.#times.set(relative(this.#root, file), took);
    if (!this.#succeeds) this.#failedJobs.push(job.name);
    this.#byFile.clear();
    this.#succeeds = true;
  }

  /** Prints the summary. */
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
    const slowest = [...this.#times].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
    console.log(`\nThe ${slowest.length} slowest files:`);
    for (const [name, took] of slowest)
      console.log(`${(took / 1000).toFixed(1).padStart(7)} s  ${name}`);
    for (const name of this.#failedJobs) console.log(`FAILED ${name}`);
    return this.#failedJobs.length === 0;
  }
}
