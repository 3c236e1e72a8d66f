/**
 * Runs seeded histories of several replicas on PostgreSQL, whose clocks, processes and network are simulated (decision 102).
 * `GATEHOUSE_TEST_SEED` is the first seed and `GATEHOUSE_TEST_ROUNDS` the number of histories, so the seed of a failure with one round
 * repeats it. The default seed is random.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { FULL, roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import {
  type PrivatePostgres,
  postgresIsMissing,
  startPostgres,
} from '@gatehouse/filter/tests/postgres';
import { seeded } from '../support/seeded.ts';
import { REPLICA_DEFECTS } from './simulator/replicas/defects.ts';
import type { ReplicaReport } from './simulator/replicas/simulate.ts';

const HISTORIES = roundsOf(4, 20_000);
const PROCESSES = FULL ? 2 : 1;
/** Number of histories per process. The memory of a process grows with the number of its histories. */
const PER_PROCESS = 500;
/** Number of histories in which each defect must be found. */
const TRIED_PER_DEFECT = 300;
const FIRST_SEED_OF_DEFECTS = 1;

const run = promisify(execFile);

describe('simulated replicas', { skip: postgresIsMissing ?? false, concurrency: PROCESSES }, () => {
  let server: PrivatePostgres | undefined;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function simulate(
    seeds: readonly [first: number, count: number] | 'regressions',
    defect?: string,
  ): Promise<ReplicaReport> {
    const choice = seeds === 'regressions' ? [seeds] : seeds.map(String);
    const host = server?.connection.host ?? '';
    const args = ['--import', './hooks.ts', 'simulate.ts', host, ...choice];
    const env = { ...process.env, GATEHOUSE_SIMULATED_DEFECT: defect };
    const cwd = join(import.meta.dirname, 'simulator', 'replicas');
    const { stdout } = await run(process.execPath, args, { cwd, env });
    return JSON.parse(stdout) as ReplicaReport;
  }

  test(`keep every promise in ${HISTORIES} histories`, async (t) => {
    t.diagnostic(`seed ${SEED}`);
    let [next, count, statements] = [0, 0, 0];
    const runner = async () => {
      while (next < HISTORIES) {
        const first = next;
        next += PER_PROCESS;
        const report = await simulate([SEED + first, Math.min(PER_PROCESS, HISTORIES - first)]);
        count += report.count;
        statements += report.statements;
        assertKept(report);
      }
    };
    await Promise.all(Array.from({ length: PROCESSES }, runner));
    t.diagnostic(`${count} histories, ${statements} statements`);
  });

  test('keep every promise in the histories that failed before', async () => {
    assertKept(await simulate('regressions'));
  });

  test('repeat a history exactly', { skip: !FULL && 'runs in npm run test:chaos' }, async () => {
    const [one, other] = [await simulate([SEED, 2]), await simulate([SEED, 2])];
    assert.deepEqual(one, other);
  });

  for (const { name, isRare } of FULL ? REPLICA_DEFECTS : [sampleOfDefects()])
    test(`find the inserted defect: ${name}`, async (t) => {
      const seeds = [FIRST_SEED_OF_DEFECTS, TRIED_PER_DEFECT] as const;
      const { count, failure } = await simulate(isRare === true ? 'regressions' : seeds, name);
      assert.ok(failure !== null, `${count} histories did not find the defect`);
      const [message] = failure.message.split('\n');
      t.diagnostic(
        `seed ${failure.seed}, shortened to ${failure.shortest.steps.length} steps: ${message}`,
      );
    });
});

function sampleOfDefects() {
  return seeded(SEED).pick(REPLICA_DEFECTS);
}

function assertKept({ failure }: ReplicaReport): void {
  if (failure === null) return;
  const { seed, message, shortest } = failure;
  assert.fail(`seed ${seed}: ${message}\nshortest history: ${JSON.stringify(shortest)}`);
}
