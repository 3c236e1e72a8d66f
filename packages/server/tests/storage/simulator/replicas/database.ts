import { setTimeout as realTimeout } from 'node:timers';
import pg from 'pg';
import { START, scheduler } from '../os/scheduler.ts';

/** Result or error of a statement. */
export type Outcome =
  | { readonly ok: true; readonly result: pg.QueryResult }
  | { readonly ok: false; readonly error: unknown };

export interface Statement {
  readonly text: string;
  readonly values?: unknown[];
  readonly name?: string;
}

/** A session of the server for one simulated connection. */
export interface Backend {
  readonly client: pg.Client;
  readonly pid: number;
  /** The statement that waits for a lock, until it ends. */
  running: Promise<void> | null;
  /** Called when the server has ended the session. */
  onEnd: () => void;
}

/** Sequence that contains the time of the database's simulated clock. `hooks.ts` makes the store read it. */
const CLOCK = 'simulated_clock';
/** A statement that takes longer may be waiting for a lock. */
const PROBE_MS = 3;
const MAX_PROBES = 3000;

/**
 * A real PostgreSQL database that executes one statement at a time, so that a seed decides the order. A statement that waits for a lock of
 * another session stays pending while others execute.
 */
export class Database {
  readonly #config: pg.ClientConfig;
  readonly #admin: pg.Client;
  readonly #backends = new Set<Backend>();
  #clockIsSetTo = 0;
  /** Milliseconds by which the clock of the database is ahead of the monotonic clock. */
  #ahead = 0;
  statements = 0;

  private constructor(config: pg.ClientConfig, admin: pg.Client) {
    this.#config = config;
    this.#admin = admin;
  }

  static async open(config: pg.ClientConfig): Promise<Database> {
    const admin = new pg.Client(config);
    await admin.connect();
    await admin.query(`create sequence if not exists ${CLOCK}`);
    return new Database(config, admin);
  }

  get now(): number {
    return START + scheduler.elapsed + this.#ahead;
  }

  /** Moves the clock of the database. */
  jump(ms: number): void {
    this.#ahead += ms;
  }

  /** Runs a statement of the test itself. */
  async query(text: string): Promise<Record<string, unknown>[]> {
    return (await this.#admin.query(text)).rows;
  }

  async connect(): Promise<Backend> {
    const client = new pg.Client(this.#config);
    await client.connect();
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const backend: Backend = {
      client,
      pid: Number(rows[0]?.['pid']),
      running: null,
      onEnd: () => {},
    };
    this.#backends.add(backend);
    client.on('error', () => {});
    return backend;
  }

  /**
   * Executes a statement. Resolves when it and the statements that it no longer blocks have ended, or when it waits for a lock.
   *
   * @param onEnd called when the statement has ended, possibly later.
   */
  async execute(
    backend: Backend,
    statement: Statement,
    onEnd: (outcome: Outcome) => void,
  ): Promise<void> {
    await this.#setClock();
    this.statements += 1;
    backend.running = backend.client
      .query(statement)
      .then(
        (result): Outcome => ({ ok: true, result }),
        (error: unknown): Outcome => ({ ok: false, error }),
      )
      .then((outcome) => {
        backend.running = null;
        onEnd(outcome);
      });
    await this.untilIdle();
    if (statement.text.includes('pg_notify')) await this.#deliverNotifications();
  }

  /** Closes a session as the server does when its client disappears. The server rolls its transaction back. */
  async disconnect(backend: Backend): Promise<void> {
    if (!this.#backends.delete(backend)) return;
    const { client, pid, running } = backend;
    const ended = new Promise((resolve) => client.once('end', resolve));
    // The server notices a disconnection while a statement waits for a lock only when the statement has ended.
    const wasRunning = running !== null;
    (
      client as unknown as { connection: { stream: { destroy(): void } } }
    ).connection.stream.destroy();
    await ended;
    for (let probe = 0; probe < MAX_PROBES && !wasRunning; probe += 1) {
      const rows = await this.query(`select 1 from pg_stat_activity where pid = ${pid}`);
      if (rows.length === 0) break;
      await real(1);
    }
    await this.untilIdle();
  }

  /** Ends all sessions, as a restart of the server does. */
  async restart(): Promise<void> {
    const backends = [...this.#backends];
    this.#backends.clear();
    const ends = backends.map(({ client }) => new Promise((end) => client.once('end', end)));
    await this.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await Promise.all(ends);
    for (const { onEnd } of backends) onEnd();
  }

  async close(): Promise<void> {
    await this.restart();
    await this.#admin.end();
  }

  /** Waits until each running statement has ended or waits for a lock. */
  async untilIdle(): Promise<void> {
    for (let probe = 0; probe < MAX_PROBES; probe += 1) {
      const running = [...this.#backends].filter((backend) => backend.running !== null);
      if (running.length === 0) return;
      const all = Promise.all(running.map((backend) => backend.running));
      if ((await Promise.race([all, real(PROBE_MS)])) !== undefined) continue;
      const pids = running.filter((backend) => backend.running !== null).map(({ pid }) => pid);
      if (pids.length === 0) return;
      const rows = await this.query(
        `select pid from unnest(array[${pids}]) as one (pid) where cardinality(pg_blocking_pids(pid)) = 0`,
      );
      if (rows.length === 0) return;
    }
    throw new Error('a statement of the simulated database does not end');
  }

  async #setClock(): Promise<void> {
    const { now } = this;
    if (now === this.#clockIsSetTo) return;
    this.#clockIsSetTo = now;
    await this.query(`select setval('${CLOCK}', ${now})`);
  }

  /** A session receives notifications at the latest with the response to its next statement. */
  async #deliverNotifications(): Promise<void> {
    for (const { client, running } of this.#backends)
      if (running === null && client.listenerCount('notification') > 0)
        await client.query('select').catch(() => {});
  }
}

function real(ms: number): Promise<undefined> {
  return new Promise((resolve) => realTimeout(() => resolve(undefined), ms));
}
