/**
 * Runs histories in a process whose operating system is simulated. Usage:
 *
 *     node --import ./os/hooks.ts simulate.ts LIBRARY FIRST_SEED COUNT
 *
 * `regressions` instead of `FIRST_SEED COUNT` runs the histories of `regressions.ts`. Prints one line of JSON: a `Report`. Stops at the
 * first failure, which it shortens.
 */
import { generateHistory, type History } from './history.ts';
import { Disk, useDisk } from './os/disk.ts';
import { loadThread } from './os/threads.ts';
import { REGRESSIONS } from './regressions.ts';
import { maxShrinkingRuns, shrink } from './shrink.ts';

export interface Report {
  /** Number of histories. */
  readonly count: number;
  /** Writes, truncations, syncs, creations and deletions on the disk. */
  readonly steps: number;
  /** Tasks of the event loop. */
  readonly tasks: number;
  /** CPU time of the histories, in seconds. */
  readonly seconds: number;
  readonly failure: {
    readonly seed: number;
    readonly message: string;
    readonly shortest: History;
  } | null;
}

const MAX_SHRINKING_RUNS = maxShrinkingRuns(2000);

const [, , library = '', first = '', count = ''] = process.argv;
const disk = new Disk(library);
useDisk(disk);
for (const script of [
  'writer/writer-thread.ts',
  'writer/copy-log-thread.ts',
  'reads/page-thread.ts',
])
  await loadThread(new URL(`../../../src/storage/sqlite/${script}`, import.meta.url));
// Imports the source files after the threads, whose scripts are functions in this process.
const { prepareDisk, runHistory } = await import('./run.ts');

const histories = first === 'regressions' ? REGRESSIONS : generated(Number(first), Number(count));
process.stdout.write(`${JSON.stringify(await runAll(histories))}\n`);

function* generated(from: number, total: number): Generator<History> {
  for (let seed = from; seed < from + total; seed += 1) yield generateHistory(seed);
}

async function runAll(all: Iterable<History>): Promise<Report> {
  await prepareDisk(disk);
  const start = process.cpuUsage();
  let [steps, tasks, done] = [0, 0, 0];
  let failure: Report['failure'] = null;
  for (const history of all) {
    const outcome = await runHistory(disk, history);
    done += 1;
    steps += outcome.steps;
    tasks += outcome.tasks;
    if (outcome.failure === null) continue;
    failure = await shortened(history);
    break;
  }
  const { user, system } = process.cpuUsage(start);
  return { count: done, steps, tasks, seconds: (user + system) / 1e6, failure };
}

async function shortened(history: History): Promise<NonNullable<Report['failure']>> {
  const shortest = await shrink(
    history,
    async (candidate) => (await runHistory(disk, candidate)).failure !== null,
    MAX_SHRINKING_RUNS,
  );
  const { failure } = await runHistory(disk, shortest);
  return { seed: history.seed, message: failure ?? '', shortest };
}
