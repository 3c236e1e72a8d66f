/**
 * Simulates power cuts. A recorder logs every write and sync of a running service. The test then cuts the recording at
 * random steps. At each cut it creates a data directory with all synced data and a random part of the unsynced data,
 * and starts a service on this directory. `GATEHOUSE_TEST_SEED` reproduces the random choices of a run, but not the
 * timing of the service.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { FULL, roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { clientOf } from '../support/http/client.ts';
import { seeded } from '../support/seeded.ts';
import { startInProcess } from '../support/services/in-process-service.ts';
import { TESTED } from '../support/services/program.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { SQLITE_ONLY } from '../support/storage/backend.ts';
import { createPowerCutClients, type ExpectedData } from './power-cut/clients.ts';
import { Disk, EVERYTHING, NOTHING_UNSYNCED, type Survival } from './power-cut/disk.ts';
import {
  compileRecorder,
  lengthOf,
  type RecordedStep,
  readSteps,
  recording,
} from './power-cut/recorder.ts';

// The restarted services must verify passwords that `startService` hashed. Both hash cheaply in a test run.
if (TESTED !== undefined) await import('../support/services/cheap-passwords.ts');

const CUTS = roundsOf(3, 1000);
/**
 * Number of service processes to record. Each process is killed, and the recording of the next process includes the
 * recovery.
 */
const PROCESSES = FULL ? 3 : 2;
/** Recorded bytes per process. This number is large enough for several checkpoints, and for the log that a process writes again at its start. */
const BYTES_PER_PROCESS = 20 * 1024 * 1024;
const CUTS_AT_ONCE = 3;
const ENV = { GATEHOUSE_RATE_LIMIT_EXCHANGE: '0' } as const;

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const random = seeded(SEED);
const library = compileRecorder(directory.path);

const name = `${CUTS} power cuts lose no acknowledged data and corrupt no database`;
test(name, { concurrency: CUTS_AT_ONCE, skip: SQLITE_ONLY }, async (t) => {
  if (library === null) {
    t.skip('SKIPPED: the recorder requires a C compiler (cc, gcc or clang)');
    return;
  }
  t.diagnostic(`seed ${SEED}`);
  const dataDir = join(directory.path, 'data');
  const log = join(directory.path, 'log');
  mkdirSync(dataDir);
  const clients = createPowerCutClients(random, () => lengthOf(log));
  for (let index = 0; index < PROCESSES; index += 1) {
    const endsAt = (index + 1) * BYTES_PER_PROCESS;
    const env = { ...ENV, ...recording(library, dataDir, log, endsAt) };
    await using service = await startService(dataDir, { env });
    await clients.sendUntilFailure(clientOf(service.url));
  }
  const steps = readSteps(log);
  t.diagnostic(`${steps.length} steps, ${lengthOf(log)} bytes; ${clients.summary()}`);
  assertComplete(steps, dataDir);

  const disk = new Disk(dataDir);
  const checks = new Set<Promise<void>>();
  let replayed = 0;
  for (const cut of chooseCuts(steps)) {
    for (; replayed < cut; replayed += 1) disk.replay(steps[replayed] as RecordedStep);
    const now = steps[cut - 1]?.end ?? 0;
    const [description, survival] = chooseSurvival();
    const copy = mkdtempSync(join(directory.path, 'cut-'));
    disk.writeTo(copy, survival);
    const check = t
      .test(
        `a power cut after step ${cut} of ${steps.length} loses no acknowledged data (${description})`,
        () => assertSound(copy, clients.expectedAt(now)),
      )
      .finally(() => {
        checks.delete(check);
        rmSync(copy, { recursive: true });
      });
    checks.add(check);
    if (checks.size === CUTS_AT_ONCE) await Promise.race(checks);
  }
  await Promise.all(checks);
});

/** Asserts that replaying the whole recording creates the same files as the recorded processes. */
function assertComplete(steps: readonly RecordedStep[], dataDir: string): void {
  const disk = new Disk(dataDir);
  for (const step of steps) disk.replay(step);
  const copy = mkdtempSync(join(directory.path, 'complete-'));
  disk.writeTo(copy, EVERYTHING);
  const files = filesIn(dataDir).filter((file) => !file.endsWith('-shm'));
  assert.deepEqual(filesIn(copy), files);
  assert.ok(files.includes('gatehouse.db-wal'));
  for (const file of files)
    assert.ok(readFileSync(join(copy, file)).equals(readFileSync(join(dataDir, file))), file);
}

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();
}

/** Chooses random steps. About half of the steps are directly before a sync, and a tenth are during the first start. */
function chooseCuts(steps: readonly RecordedStep[]): number[] {
  const syncs = steps.flatMap(({ kind }, index) => (kind === 'sync' ? [index] : []));
  const cuts = Array.from({ length: CUTS }, () => {
    const kind = random.next();
    if (kind < 0.1) return random.below(Math.min(steps.length, 400)) + 1;
    return kind < 0.55 ? random.pick(syncs) : random.below(steps.length) + 1;
  });
  return cuts.sort((one, other) => one - other);
}

function chooseSurvival(): [string, Survival] {
  const kind = random.next();
  if (kind < 0.4) return ['only synced data survives', NOTHING_UNSYNCED];
  // Simulates a file system that journals only metadata.
  if (kind < 0.5)
    return ['synced data and all file names survive', { ...NOTHING_UNSYNCED, name: () => true }];
  const share = random.pick([0.1, 0.5, 0.9]);
  const some = () => random.next() < share;
  return [`${share * 100}% of unsynced changes survive`, { name: some, change: some }];
}

async function assertSound(dataDir: string, expected: ExpectedData): Promise<void> {
  if (existsSync(join(dataDir, 'gatehouse.db'))) assertIntegrity(join(dataDir, 'gatehouse.db'));
  const service = await startInProcess(dataDir, { env: ENV });
  try {
    await expected.assertKept(clientOf(service.url));
  } finally {
    await service.stop();
  }
}

function assertIntegrity(file: string): void {
  const db = new DatabaseSync(file);
  const checked = db.prepare('pragma integrity_check').all();
  db.close();
  assert.deepEqual(
    checked.map((row) => ({ ...row })),
    [{ integrity_check: 'ok' }],
  );
}
