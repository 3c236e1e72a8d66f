/**
 * Runs seeded histories of the SQLite store on a simulated operating system (decision 98). `GATEHOUSE_TEST_SEED` is the first seed and
 * `GATEHOUSE_TEST_ROUNDS` the number of histories, so the seed of a failure with one round repeats it. The default seed is random.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { FULL, roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { seeded } from '../support/seeded.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { SQLITE_ONLY } from '../support/storage/backend.ts';
import { DEFECTS } from './simulator/defects.ts';
import { compileDisk } from './simulator/os/disk.ts';
import type { Report } from './simulator/simulate.ts';

const HISTORIES = roundsOf(60, 1_000_000);
/** Number of histories per process. The memory of a process grows with the number of its histories. */
const PER_PROCESS = 5000;
const PROCESSES = FULL ? 2 : 1;
/** Number of histories in which each defect must be found. */
const TRIED_PER_DEFECT = 2000;
const FIRST_SEED_OF_DEFECTS = 1;
/** Number of inserted defects that `npm test` looks for. The seed chooses it. */
const SAMPLE_OF_DEFECTS = 1;

const run = promisify(execFile);
const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const library = compileDisk(directory.path);
const skip =
  SQLITE_ONLY ||
  (library === null && 'SKIPPED: the simulator requires a C compiler and the header of SQLite');

interface Simulated {
  readonly seeds: readonly [first: number, count: number] | 'regressions';
  readonly defect?: string;
}

async function simulate({ seeds, defect }: Simulated): Promise<Report> {
  const folder = join(import.meta.dirname, 'simulator');
  const choice = seeds === 'regressions' ? [seeds] : seeds.map(String);
  const args = ['--import', './os/hooks.ts', 'simulate.ts', String(library), ...choice];
  const env = { ...process.env, GATEHOUSE_SIMULATED_DEFECT: defect };
  const { stdout } = await run(process.execPath, args, { cwd: folder, env });
  return JSON.parse(stdout) as Report;
}

function assertKept({ failure }: Report): void {
  if (failure === null) return;
  const { seed, message, shortest } = failure;
  assert.fail(`seed ${seed}: ${message}\nshortest history: ${JSON.stringify(shortest)}`);
}

describe('the simulated store', { skip, concurrency: PROCESSES }, () => {
  test(`keeps every promise in ${HISTORIES} histories`, async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const reports: Report[] = [];
    let next = 0;
    const runner = async () => {
      while (next < HISTORIES) {
        const first = next;
        next += PER_PROCESS;
        const count = Math.min(PER_PROCESS, HISTORIES - first);
        const report = await simulate({ seeds: [SEED + first, count] });
        reports.push(report);
        assertKept(report);
      }
    };
    await Promise.all(Array.from({ length: PROCESSES }, runner));
    const sum = (of: (report: Report) => number) =>
      reports.reduce((total, report) => total + of(report), 0);
    t.diagnostic(
      `${sum((report) => report.count)} histories, ${sum((report) => report.steps)} disk operations, ${Math.round(sum((report) => report.seconds))} s of CPU time`,
    );
  });

  test('keeps every promise in the histories that failed before', async () => {
    assertKept(await simulate({ seeds: 'regressions' }));
  });

  test('repeats a history exactly', async () => {
    const [one, other] = [
      await simulate({ seeds: [SEED, 3] }),
      await simulate({ seeds: [SEED, 3] }),
    ];
    assert.deepEqual({ ...one, seconds: 0 }, { ...other, seconds: 0 });
  });

  const random = seeded(SEED);
  const tried = [...DEFECTS];
  while (!FULL && tried.length > SAMPLE_OF_DEFECTS) tried.splice(random.below(tried.length), 1);
  for (const { name, isRare } of tried)
    test(`finds the inserted defect: ${name}`, async (t) => {
      const { count, failure } = await simulate({
        seeds: isRare === true ? 'regressions' : [FIRST_SEED_OF_DEFECTS, TRIED_PER_DEFECT],
        defect: name,
      });
      assert.ok(failure !== null, `${count} histories did not find the defect`);
      const operations = failure.shortest.rounds.flatMap((round) => round.operations);
      const [message] = failure.message.split('\n');
      t.diagnostic(`history ${count}, shortened to ${operations.length} operations: ${message}`);
    });
});
