/**
 * The power-cut test: a service works on a data directory while everything that it writes and syncs is
 * recorded; then the power is cut at random places of the recording, each time leaving what was synced
 * and any part of the rest, and the service is started on that. `GATEHOUSE_TEST_SEED` repeats the choices of a run; when the service wrote what is chance.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { SQLITE_ALONE } from '../support/backend.ts';
import { FULL, roundsOf, SEED } from '../support/campaign.ts';
import { clientOf } from '../support/client.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/service.ts';
import { startHere } from '../support/service-here.ts';
import { createPowerCutClients, type Owed } from './power-cut/clients.ts';
import { Disk, EVERYTHING, NOTHING_UNSYNCED, type Survival } from './power-cut/disk.ts';
import {
  compileRecorder,
  lengthOf,
  type RecordedStep,
  readSteps,
  recording,
} from './power-cut/recorder.ts';

const CUTS = roundsOf(12, 1000);
/** Lives of the service in the recording; each ends as by a kill, and what the next one mends is recorded, too. */
const LIVES = FULL ? 3 : 2;
/** What is recorded of each: the write-ahead log is moved into the database some times. */
const BYTES_OF_A_LIFE = 10 * 1024 * 1024;
const CUTS_AT_ONCE = 3;
const ENV = { GATEHOUSE_RATE_LIMIT_EXCHANGE: '0' } as const;

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const random = seeded(SEED);
const library = compileRecorder(directory.path);

const name = `nothing that was acknowledged is lost, and no database broken, by ${CUTS} power cuts`;
test(name, { concurrency: CUTS_AT_ONCE, skip: SQLITE_ALONE }, async (t) => {
  if (library === null) {
    t.skip('SKIPPED: there is no C compiler here (cc, gcc or clang) for the recorder of writes');
    return;
  }
  t.diagnostic(`seed ${SEED}`);
  const dataDir = join(directory.path, 'data');
  const log = join(directory.path, 'log');
  mkdirSync(dataDir);
  const clients = createPowerCutClients(random, () => lengthOf(log));
  for (let life = 0; life < LIVES; life += 1) {
    const endsAt = (life + 1) * BYTES_OF_A_LIFE;
    const env = { ...ENV, ...recording(library, dataDir, log, endsAt) };
    await using service = await startService(dataDir, { env });
    await clients.sendUntilItBreaks(clientOf(service.url));
  }
  const steps = readSteps(log);
  t.diagnostic(`${steps.length} steps, ${lengthOf(log)} bytes; ${clients.summary()}`);
  assertWhole(steps, dataDir);

  const disk = new Disk(dataDir);
  const checks = new Set<Promise<void>>();
  let played = 0;
  for (const cut of placesToCut(steps)) {
    for (; played < cut; played += 1) disk.play(steps[played] as RecordedStep);
    const now = steps[cut - 1]?.end ?? 0;
    const [how, survival] = chooseSurvival();
    const copy = mkdtempSync(join(directory.path, 'cut-'));
    disk.writeTo(copy, survival);
    const check = t
      .test(`cut after step ${cut} of ${steps.length}, ${how}`, () =>
        assertSound(copy, clients.owedAt(now)),
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

/** That the recording has all: played without any loss, it gives the very files that there are. */
function assertWhole(steps: readonly RecordedStep[], dataDir: string): void {
  const disk = new Disk(dataDir);
  for (const step of steps) disk.play(step);
  const copy = mkdtempSync(join(directory.path, 'whole-'));
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

/** Half of them right before a sync, when most is at stake; some while the first start makes all. */
function placesToCut(steps: readonly RecordedStep[]): number[] {
  const syncs = steps.flatMap(({ kind }, index) => (kind === 'sync' ? [index] : []));
  const places = Array.from({ length: CUTS }, () => {
    const kind = random.next();
    if (kind < 0.1) return random.below(Math.min(steps.length, 400)) + 1;
    return kind < 0.55 ? random.pick(syncs) : random.below(steps.length) + 1;
  });
  return places.sort((one, other) => one - other);
}

function chooseSurvival(): [string, Survival] {
  const kind = random.next();
  if (kind < 0.4) return ['leaving what was synced', NOTHING_UNSYNCED];
  // As file systems do that keep a journal of names alone.
  if (kind < 0.5) return ['leaving names', { ...NOTHING_UNSYNCED, name: () => true }];
  const share = random.pick([0.1, 0.5, 0.9]);
  const some = () => random.next() < share;
  return [`leaving ${share} of what was not synced`, { name: some, change: some }];
}

async function assertSound(dataDir: string, owed: Owed): Promise<void> {
  if (existsSync(join(dataDir, 'gatehouse.db'))) assertUnbroken(join(dataDir, 'gatehouse.db'));
  const service = await startHere(dataDir, { env: ENV });
  try {
    await owed.assertKept(clientOf(service.url));
  } finally {
    await service.stop();
  }
}

function assertUnbroken(file: string): void {
  const db = new DatabaseSync(file);
  const checked = db.prepare('pragma integrity_check').all();
  db.close();
  assert.deepEqual(
    checked.map((row) => ({ ...row })),
    [{ integrity_check: 'ok' }],
  );
}
