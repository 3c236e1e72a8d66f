import assert from 'node:assert/strict';
import { openSqlite } from '../../../src/storage/sqlite/index.ts';
import { type Application, addFixtures, openApplication } from './application.ts';
import type { History, Round } from './history.ts';
import { assertKept, type Oracles, passTime, request, toBatch } from './operations.ts';
import { EventOracle } from './oracle.ts';
import { DIRECTORY, type Disk } from './os/disk.ts';
import { drive, messageOf } from './os/drive.ts';
import { scheduler } from './os/scheduler.ts';
import { closeAll, DatabaseSync } from './os/sqlite.ts';
import { Worker } from './os/threads.ts';
import { RowOracle } from './row-oracle.ts';

export interface Outcome {
  /** Null if the history kept every promise. */
  readonly failure: string | null;
  /** Steps of the disk and tasks of the event loop. Equal for two runs of the same history. */
  readonly steps: number;
  readonly tasks: number;
}

/** Longest time in which a stopping process must come to rest, in milliseconds. */
const STOPS_WITHIN_MS = 15_000;
const HOUR_MS = 3_600_000;
/** The integrity of the database is checked for every fourth seed. */
const CHECKED_SEEDS = 4;

/** Number of waiting writes that are sent early in a quarter of the histories. Others use the usual number, which they hardly reach. */
const EARLY_WRITES = 2;
const USUAL_EARLY_WRITES = 16;

/** Prepares the database with which every history starts. */
export async function prepareDisk(disk: Disk): Promise<void> {
  disk.reset();
  const simulation = new Simulation(disk, 0);
  await simulation.prepare();
  disk.save();
}

/** Runs a history. */
export async function runHistory(disk: Disk, history: History): Promise<Outcome> {
  scheduler.resetClocks();
  disk.load(history.seed);
  Object.assign(globalThis, {
    simulatedEarlyWrites:
      Math.floor(history.seed / CHECKED_SEEDS) % 4 === 3 ? EARLY_WRITES : USUAL_EARLY_WRITES,
  });
  const simulation = new Simulation(disk, history.seed);
  const failure = await simulation.failureOf(history.rounds);
  disk.kill();
  closeAll();
  const { steps } = disk;
  return { failure, steps, tasks: scheduler.tasks };
}

class Simulation {
  readonly #disk: Disk;
  readonly #seed: number;
  readonly #oracles: Oracles = { events: new EventOracle(), rows: new RowOracle() };
  #round = 0;
  /** Connection of a reader that uses a snapshot. */
  #snapshot: DatabaseSync | null = null;
  #status = 204;
  #failures: string[] = [];
  #failuresBefore = 0;
  /** Number of drops when the index of the log was created. */
  #dropsBefore = 0;

  constructor(disk: Disk, seed: number) {
    this.#disk = disk;
    this.#seed = seed;
  }

  async prepare(): Promise<void> {
    const application = await this.#start([]);
    assert.ok(application !== null, this.#failures.join('\n'));
    await this.#drive(addFixtures(application));
    await this.#drive(application.stop());
    closeAll();
  }

  async failureOf(rounds: readonly Round[]): Promise<string | null> {
    const unhandled = (error: unknown) => this.#failed(error);
    process.on('unhandledRejection', unhandled);
    try {
      for (const [index, round] of rounds.entries()) {
        // At the end, no backup is running.
        await this.#play(index < rounds.length - 1 ? round : { ...round, keepsIndex: false });
        if (this.#failures.length > 0) break;
      }
      if (this.#failures.length === 0) await this.#finish();
    } catch (error) {
      this.#failures.push(messageOf(error));
    } finally {
      process.off('unhandledRejection', unhandled);
    }
    return this.#failures[0] ?? null;
  }

  async #play(round: Round): Promise<void> {
    const application = await this.#start(round.faults);
    if (application === null) {
      this.#end(round);
      return;
    }
    if (!this.#isFaulty) await this.#drive(assertKept(application, this.#oracles));
    const pending = new Set<Promise<void>>();
    for (const operation of round.operations) {
      if (this.#disk.isDead || this.#failures.length > 0) break;
      await this.#perform(application, operation, pending);
    }
    if (round.settles || round.end === 'stop') await scheduler.settle();
    if (round.settles && !this.#disk.isDead && pending.size > 0)
      this.#failures.push(`${pending.size} operations did not end`);
    if (round.end === 'stop' && !this.#disk.isDead) {
      this.#disk.repair();
      await this.#stop(application);
    }
    this.#end(round);
  }

  async #perform(
    application: Application,
    operation: Round['operations'][number],
    pending: Set<Promise<void>>,
  ): Promise<void> {
    switch (operation.kind) {
      case 'target':
        this.#status = operation.status;
        return;
      case 'open-snapshot':
        this.#snapshot ??= openSnapshot();
        return;
      case 'close-snapshot':
        this.#snapshot?.close();
        this.#snapshot = null;
        return;
      case 'run':
      case 'wait':
      case 'jump':
        return passTime(operation);
      default: {
        const isAlive = this.#isAliveIn(this.#round);
        const done: Promise<void> = request(application, this.#oracles, operation, isAlive)
          .catch((error) => {
            if (isAlive() && !this.#mayFail(error)) this.#failed(error);
          })
          .finally(() => pending.delete(done));
        pending.add(done);
      }
    }
  }

  /** Starts a process. Returns null if a fault prevents its start. */
  async #start(faults: Round['faults']): Promise<Application | null> {
    this.#round += 1;
    Worker.run += 1;
    scheduler.start(this.#seed + this.#round);
    this.#oracles.events.restarted();
    this.#failuresBefore = this.#disk.failures;
    const { steps } = this.#disk;
    for (const { kind, at, until } of faults)
      this.#disk.addFault({ kind, at: steps + at, until: steps + until });
    const isAlive = this.#isAliveIn(this.#round);
    const { events } = this.#oracles;
    let application: Application | null = null;
    const onFailure = (error: unknown) => {
      if (isAlive() && !this.#isFaulty) this.#failed(error);
    };
    const opening = openApplication({
      openStore: () =>
        openSqlite({
          directory: DIRECTORY,
          queueBytes: 64 * 1024 * 1024,
          clock: () => scheduler.now,
          onDeath: (error) => {
            onFailure(error);
            if (isAlive() && !this.#mayLackPages)
              this.#failed(new Error('the writer died although the page cache dropped nothing'));
            // The service ends when its writer has died.
            if (isAlive()) this.#disk.kill();
          },
          onError: onFailure,
        }),
      handle: async (space, seen) => {
        if (isAlive()) events.handled(space, seen);
      },
      receive: (space, text) => {
        if (!isAlive()) return 0;
        if (this.#status === 204) events.delivered(space, text);
        return this.#status;
      },
    }).then((opened) => {
      application = opened;
    }, onFailure);
    await this.#drive(opening);
    return application;
  }

  /** Starts a process without faults, and asserts that it has all acknowledged data and completes its work. */
  async #finish(): Promise<void> {
    const { events } = this.#oracles;
    this.#status = 204;
    const application = await this.#start([]);
    if (application === null) return;
    await this.#drive(assertKept(application, this.#oracles));
    const resent = events.acknowledgedEvents();
    if (resent.length > 0) {
      const { stored } = await this.#drive(application.store.events.append(resent.map(toBatch)));
      assert.equal(stored, 0, `${stored} acknowledged events were stored a second time`);
    }
    for (let hours = 0; hours < 12 && !events.areAllDelivered; hours += 1) {
      await scheduler.advance(1000);
      scheduler.jump(HOUR_MS);
    }
    await scheduler.advance(1000);
    events.assertProcessed();
    await this.#drive(assertKept(application, this.#oracles));
    await this.#stop(application);
    if (this.#seed % CHECKED_SEEDS === 0) assertIntegrity();
  }

  async #stop(application: Application): Promise<void> {
    await this.#drive(
      application.stop().catch((error) => {
        if (!this.#mayFail(error)) throw error;
      }),
    );
  }

  #end({ end, survival, keepsIndex = false }: Round): void {
    const killed = this.#disk.isDead;
    this.#disk.kill();
    closeAll();
    this.#snapshot = null;
    const isCut = end === 'power-cut' || (killed && survival < 50);
    const keeps = keepsIndex && !isCut;
    this.#disk.restart(isCut ? survival : null, this.#seed + this.#round, keeps);
    if (!keeps) this.#dropsBefore = this.#disk.drops;
  }

  /** Runs tasks and timers until a promise is settled or the process is dead. */
  #drive<T>(promise: Promise<T>): Promise<T> {
    return drive(promise, STOPS_WITHIN_MS, () => this.#disk.isDead);
  }

  get #isFaulty(): boolean {
    const hasFailed = this.#disk.failures > this.#failuresBefore;
    return this.#disk.isDead || hasFailed || this.#mayLackPages;
  }

  /** Pages of the log may be missing although the index contains them. */
  get #mayLackPages(): boolean {
    return this.#disk.drops > this.#dropsBefore;
  }

  #isAliveIn(round: number): () => boolean {
    return () => round === this.#round && !this.#disk.isDead;
  }

  #mayFail(error: unknown): boolean {
    const { name, code } = error as { name?: string; code?: string };
    // Another request with the same `Idempotency-Key` is running.
    if (code === 'http.idempotency-running') return true;
    return this.#isFaulty && name === 'StorageUnavailable';
  }

  #failed(error: unknown): void {
    if (!this.#disk.isDead) this.#failures.push(messageOf(error));
  }
}

function openSnapshot(): DatabaseSync | null {
  const db = openReader();
  try {
    db.exec('begin');
    db.prepare('select 1 from spaces').get();
    return db;
  } catch {
    // The disk fails.
    db.close();
    return null;
  }
}

function openReader(): DatabaseSync {
  return new DatabaseSync(`${DIRECTORY}/gatehouse.db`, { readOnly: true });
}

function assertIntegrity(): void {
  const db = openReader();
  const [row] = db.prepare('pragma integrity_check').all();
  db.close();
  assert.deepEqual({ ...row }, { integrity_check: 'ok' });
}
