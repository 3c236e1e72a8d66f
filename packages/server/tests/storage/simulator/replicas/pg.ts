/** Replaces the package `pg` in the simulated replicas. The pool is the real one; its connections are simulated. */
import { EventEmitter } from 'node:events';
import pg from 'pg';
import { Process, scheduler } from '../os/scheduler.ts';
import type { Backend, Database, Outcome, Statement } from './database.ts';

/** A process and its network. Messages of a replica without a connection to the database wait until it is connected again. */
export class Replica extends Process {
  isConnected = true;
  readonly connections = new Set<SimulatedClient>();
}

let database: Database | null = null;

/** Sets the database to which all replicas connect. */
export function useDatabase(given: Database): void {
  database = given;
}

interface Options {
  readonly query_timeout?: number;
  readonly types?: { getTypeParser(oid: number, format?: string): (value: string) => unknown };
  readonly stream?: () => EventEmitter;
}

type Callback = (error?: Error) => void;
type Pending = PromiseWithResolvers<pg.QueryResult>;

/** A connection of a replica, with the members that `pg.Pool` and the store use. */
class SimulatedClient extends EventEmitter {
  _queryable = true;
  _ending = false;
  readonly connection = { stream: { destroy: () => this.#end() } };
  readonly #options: Options;
  readonly #replica: Replica;
  readonly #toServer = {};
  readonly #toReplica = {};
  #backend: Backend | null = null;
  #status: string | null = null;
  readonly #pending = new Set<Pending>();

  constructor(options: Options) {
    super();
    this.#options = options;
    const { process } = scheduler;
    if (!(process instanceof Replica)) throw new Error('a connection needs a replica');
    this.#replica = process;
    options.stream?.().once('close', () => this.#end());
  }

  connect(callback?: Callback): Promise<void> | undefined {
    const connected = Promise.withResolvers<pg.QueryResult>();
    this.#pending.add(connected);
    this.#replica.connections.add(this);
    this.#send(async (server) => {
      const backend = await server.connect();
      this.#backend = backend;
      backend.client.on('notification', (message) =>
        this.#reply(() => this.emit('notification', message)),
      );
      backend.onEnd = () => this.#reply(() => this.#broken());
      this.#reply(() => {
        this.#status = 'I';
        this.#settle(connected, null);
      });
    });
    const promise = connected.promise.then(() => {});
    if (callback === undefined) return promise;
    promise.then(
      () => callback(),
      (error: Error) => callback(error),
    );
    return undefined;
  }

  query(statement: string | Statement, values?: unknown[]): Promise<pg.QueryResult> {
    const pending = Promise.withResolvers<pg.QueryResult>();
    if (!this._queryable)
      return Promise.reject(new Error('Client was closed and is not queryable'));
    this.#pending.add(pending);
    const { query_timeout: timeoutMs } = this.#options;
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(
            () => this.#settle(pending, { ok: false, error: new Error('Query read timeout') }),
            timeoutMs,
          );
    const full: Statement = {
      ...(typeof statement === 'string' ? { text: statement, values: values ?? [] } : statement),
      ...(this.#options.types === undefined ? {} : { types: this.#options.types }),
    };
    this.#send(async (server) => {
      const backend = this.#backend;
      if (backend === null) return;
      await backend.running;
      await server.execute(backend, full, (outcome) => {
        const status = (
          backend.client as unknown as { getTransactionStatus(): string }
        ).getTransactionStatus();
        this.#reply(() => {
          this.#status = status;
          this.#settle(pending, outcome);
        });
      });
    });
    return pending.promise.finally(() => clearTimeout(timer));
  }

  getTransactionStatus(): string | null {
    return this.#status;
  }

  isConnected(): boolean {
    return this._queryable;
  }

  end(callback?: Callback): Promise<void> {
    this.#end();
    callback?.();
    return Promise.resolve();
  }

  ref(): void {}
  unref(): void {}

  /** Closes the session in the server, because the replica was killed. */
  async killed(): Promise<void> {
    const backend = this.#backend;
    this.#backend = null;
    if (backend !== null) await database?.disconnect(backend);
  }

  #end(): void {
    if (this._ending) return;
    this._ending = true;
    this.#broken();
    this.#send(() => this.killed());
  }

  #broken(): void {
    if (!this._queryable) return;
    this._queryable = false;
    this.#replica.connections.delete(this);
    const error = Object.assign(new Error('Connection terminated unexpectedly'), {
      code: 'ECONNRESET',
    });
    for (const pending of this.#pending) this.#settle(pending, { ok: false, error });
    if (!this._ending) {
      // The real session is gone. Nothing is left to close.
      this._ending = true;
      this.emit('error', error);
    }
    this.emit('end');
  }

  #settle(pending: Pending, outcome: Outcome | null): void {
    this.#pending.delete(pending);
    if (outcome === null) pending.resolve({} as pg.QueryResult);
    else if (outcome.ok) pending.resolve(outcome.result);
    else pending.reject(outcome.error);
  }

  /** Sends a message to the server, where it arrives after the earlier ones. */
  #send(arrive: (server: Database) => Promise<void>): void {
    const server = database;
    if (server === null) throw new Error('there is no database');
    scheduler.addIf(
      () => this.#replica.isConnected,
      this.#toServer,
      () => arrive(server),
    );
  }

  /** Sends a message to the replica, in which `arrive` is called. */
  #reply(arrive: () => void): void {
    const { state } = this.#replica;
    if (state === 'dead') return;
    scheduler.addIf(
      () => this.#replica.isConnected && this.#replica.state === 'running',
      this.#toReplica,
      () => scheduler.in(this.#replica, arrive),
    );
  }
}

class SimulatedPool extends pg.Pool {
  constructor(options: pg.PoolConfig) {
    super({ ...options, Client: SimulatedClient as unknown as typeof pg.Client } as pg.PoolConfig);
  }
}

// biome-ignore lint/style/noDefaultExport: the store imports the default export of `pg`
export default {
  Pool: SimulatedPool,
  Client: SimulatedClient,
  DatabaseError: pg.DatabaseError,
  types: pg.types,
};
