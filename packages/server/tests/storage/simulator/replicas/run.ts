import assert from 'node:assert/strict';
import { openPostgres } from '../../../../src/storage/postgres/index.ts';
import { type Application, addFixtures, openApplication } from '../application.ts';
import {
  assertKept,
  type Oracles,
  passTime,
  type Request,
  request,
  toBatch,
} from '../operations.ts';
import { EventOracle } from '../oracle.ts';
import { drive, messageOf } from '../os/drive.ts';
import { scheduler } from '../os/scheduler.ts';
import { RowOracle } from '../row-oracle.ts';
import type { Database } from './database.ts';
import { REPLICAS, type ReplicaHistory, type Step } from './history.ts';
import { LeasedWork } from './leased-work.ts';
import { Replica, useDatabase } from './pg.ts';

const CONNECTIONS = 3;
/** Longest time in which an operation must end, in milliseconds. */
const ENDS_WITHIN_MS = 60_000;
/** Time after which the leases and registrations of dead replicas have expired. */
const EXPIRED_AFTER_MS = 8000;
const HOUR_MS = 3_600_000;
/** Errors that a fault may cause. */
const MAY_FAIL: ReadonlySet<string> = new Set(['StorageUnavailable', 'DatabaseUnavailable']);

interface Running {
  readonly replica: Replica;
  readonly application: Application;
  readonly work: AsyncDisposable;
}

/** Adds the schema and the rows with which every history starts. */
export async function prepareDatabase(database: Database): Promise<void> {
  const simulation = new ReplicaSimulation(database, 0);
  await LeasedWork.addTable(database);
  await simulation.prepare();
}

/** Runs a history in a new copy of the prepared database. Returns null if it kept every promise, or the failure. */
export async function runReplicaHistory(
  database: Database,
  { seed, steps }: ReplicaHistory,
): Promise<string | null> {
  return new ReplicaSimulation(database, seed).failureOf(steps);
}

class ReplicaSimulation {
  readonly #database: Database;
  readonly #oracles: Oracles = { events: new EventOracle(), rows: new RowOracle() };
  readonly #work = new LeasedWork();
  readonly #slots: (Running | null)[] = Array.from({ length: REPLICAS }, () => null);
  readonly #pending = new Map<Promise<void>, Replica>();
  readonly #failures: string[] = [];
  #status = 204;
  /** True after the first fault. Without a fault, no operation may fail. */
  #isFaulty = false;
  #backwardMs = 0;

  constructor(database: Database, seed: number) {
    this.#database = database;
    useDatabase(database);
    scheduler.resetClocks();
    scheduler.start(seed);
    scheduler.onStep = () => this.#work.assertExclusive();
  }

  async prepare(): Promise<void> {
    const running = await this.#start(0);
    assert.ok(running !== null, this.#failures.join('\n'));
    await this.#drive(running.replica, () => addFixtures(running.application));
    await this.#stop(0);
  }

  async failureOf(steps: readonly Step[]): Promise<string | null> {
    const unhandled = (error: unknown) => this.#failed(error);
    process.on('unhandledRejection', unhandled);
    try {
      for (const step of steps) {
        await this.#play(step);
        if (this.#failures.length > 0) break;
      }
      if (this.#failures.length === 0) await this.#finish();
    } catch (error) {
      this.#failures.push(messageOf(error));
    } finally {
      for (const slot of this.#slots.keys()) await this.#kill(slot);
      process.off('unhandledRejection', unhandled);
    }
    return this.#failures[0] ?? null;
  }

  async #play(step: Step): Promise<void> {
    if (step.kind === 'restart-database') {
      this.#isFaulty = true;
      await this.#database.restart();
      return;
    }
    if (step.kind === 'wait-for-timer') return scheduler.advanceToTimer(step.ms);
    if (step.kind === 'jump-database') {
      this.#database.jump(step.ms);
      if (step.ms > 0) this.#work.jumped();
      else this.#backwardMs -= step.ms;
      return;
    }
    const running = this.#slots[step.replica] ?? null;
    if (step.kind === 'operation') return this.#perform(running, step.operation);
    if (step.kind === 'start') {
      if (running === null) await this.#start(step.replica);
      return;
    }
    if (running === null) return;
    const { replica } = running;
    this.#isFaulty = true;
    switch (step.kind) {
      case 'stop':
        if (replica.state === 'running') await this.#stop(step.replica);
        return;
      case 'kill':
        await this.#kill(step.replica);
        return;
      case 'pause':
        replica.state = 'paused';
        return;
      case 'continue':
        replica.state = 'running';
        return;
      case 'disconnect':
        replica.isConnected = false;
        return;
      case 'connect':
        replica.isConnected = true;
    }
  }

  async #perform(
    running: Running | null,
    operation: Extract<Step, { kind: 'operation' }>['operation'],
  ): Promise<void> {
    switch (operation.kind) {
      case 'target':
        this.#status = operation.status;
        return;
      case 'run':
      case 'wait':
      case 'jump':
        return passTime(operation);
      default:
        if (running !== null && running.replica.state === 'running')
          this.#request(running, operation);
    }
  }

  #request({ replica, application }: Running, operation: Request): void {
    const isAlive = () => replica.state !== 'dead';
    const done: Promise<void> = scheduler
      .in(replica, () => request(application, this.#oracles, operation, isAlive))
      .catch((error) => {
        if (!this.#mayFail(error)) this.#failed(error);
      })
      .finally(() => this.#pending.delete(done));
    this.#pending.set(done, replica);
  }

  /** Starts a replica. Returns null if a fault prevents its start. */
  async #start(slot: number): Promise<Running | null> {
    const replica = new Replica();
    const { events } = this.#oracles;
    const running = await this.#drive(replica, async () => {
      const application = await openApplication({
        openStore: () =>
          openPostgres({
            url: 'postgres://simulated',
            connections: CONNECTIONS,
            queueBytes: 64 * 1024 * 1024,
            clock: () => scheduler.now,
            onError: (error) => {
              if (!this.#mayFail(error)) this.#failed(error);
            },
            onWarning: () => {},
          }),
        handle: async (space, seen) => events.handled(space, seen),
        receive: (space, text) => {
          if (this.#status === 204) events.delivered(space, text);
          return this.#status;
        },
      });
      const work = await this.#work.start(replica, application.store);
      return { replica, application, work };
    }).catch((error) => {
      if (!this.#mayFail(error)) throw error;
      return null;
    });
    this.#slots[slot] = running;
    if (running === null) await kill(replica);
    return running;
  }

  async #stop(slot: number): Promise<void> {
    const running = this.#slots[slot] ?? null;
    if (running === null) return;
    const { replica, application, work } = running;
    this.#slots[slot] = null;
    await this.#drive(replica, async () => {
      await work[Symbol.asyncDispose]();
      await application.stop();
    }).catch((error) => {
      if (!this.#mayFail(error)) throw error;
    });
    await kill(replica);
    this.#forget(replica);
  }

  async #kill(slot: number): Promise<void> {
    const running = this.#slots[slot] ?? null;
    if (running === null) return;
    this.#slots[slot] = null;
    await kill(running.replica);
    this.#forget(running.replica);
  }

  #forget(replica: Replica): void {
    for (const [done, of] of this.#pending) if (of === replica) this.#pending.delete(done);
  }

  /** Repairs all faults, and asserts that the replicas have all acknowledged data and complete their work. */
  async #finish(): Promise<void> {
    const { events } = this.#oracles;
    this.#status = 204;
    this.#work.writes = false;
    for (const running of this.#slots) {
      if (running === null) continue;
      running.replica.state = 'running';
      running.replica.isConnected = true;
    }
    await scheduler.advance(EXPIRED_AFTER_MS + this.#backwardMs);
    const running = this.#slots.find((one) => one !== null) ?? (await this.#start(0));
    assert.ok(running !== null, 'no replica starts');
    const { replica, application } = running;
    for (let ms = 0; this.#pending.size > 0 && ms < ENDS_WITHIN_MS; ms += 1000)
      await scheduler.advance(1000);
    assert.equal(this.#pending.size, 0, `${this.#pending.size} operations did not end`);
    await this.#drive(replica, () => assertKept(application, this.#oracles));
    const resent = events.acknowledgedEvents();
    if (resent.length > 0) {
      const { stored } = await this.#drive(replica, () =>
        application.store.events.append(resent.map(toBatch)),
      );
      assert.equal(stored, 0, `${stored} acknowledged events were stored a second time`);
    }
    for (let hours = 0; hours < 12 && !events.areAllDelivered; hours += 1) {
      await scheduler.advance(2000);
      scheduler.jump(HOUR_MS);
    }
    await scheduler.advance(2000);
    events.assertProcessed();
    await this.#drive(replica, () => assertKept(application, this.#oracles));
    await this.#work.assertFenced(this.#database);
    for (const slot of this.#slots.keys()) await this.#stop(slot);
  }

  /** Calls `work` in a replica, and runs tasks and timers until the promise is settled. */
  #drive<T>(replica: Replica, work: () => Promise<T>): Promise<T> {
    return drive(scheduler.in(replica, work), ENDS_WITHIN_MS);
  }

  #mayFail(error: unknown): boolean {
    const { name, code } = error as { name?: string; code?: string };
    // Another request with the same `Idempotency-Key` is running.
    if (code === 'http.idempotency-running') return true;
    return this.#isFaulty && (MAY_FAIL.has(String(name)) || code === 'ECONNRESET');
  }

  #failed(error: unknown): void {
    this.#failures.push(messageOf(error));
  }
}

/** Ends a process at once. The server closes its sessions, even if the replica was disconnected. */
async function kill(replica: Replica): Promise<void> {
  replica.state = 'dead';
  // The server also closes the sessions that a disconnected replica has given up.
  replica.isConnected = true;
  for (const connection of replica.connections) await connection.killed();
}
