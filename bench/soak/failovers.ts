import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import {
  type DatabaseLink,
  startDatabaseLink,
} from '../../packages/server/tests/storage/faults/database-link.ts';
import { DatabaseServer } from '../../packages/server/tests/storage/faults/database-server.ts';
import type { Client, Send } from '../../packages/server/tests/support/http/client.ts';
import { NO_HAPROXY } from '../../packages/server/tests/support/http/haproxy.ts';

const DATABASE = 'gatehouse';
/** Time with a standby before the primary is killed. */
const BEFORE_MS = 5000;
/** Longest time until something notices that the primary is dead, and promotes the standby. */
const NOTICED_WITHIN_MS = 20_000;
/** Requests may fail until this time after the standby has taken over. */
const RECOVERS_WITHIN_MS = 10_000;
const RETRY_MS = 500;
/** Clients repeat a request for this long. */
const RETRIES_FOR_MS = 60_000;

/** A PostgreSQL server whose synchronous standby takes over again and again. */
export class Failovers implements AsyncDisposable {
  #primary: DatabaseServer;
  readonly #links: readonly DatabaseLink[];
  #repeats = 0;
  /** Start and end of the times in which requests may fail. */
  readonly #times: { readonly from: number; to: number }[] = [];

  private constructor(primary: DatabaseServer, links: readonly DatabaseLink[]) {
    this.#primary = primary;
    this.#links = links;
  }

  /**
   * @param replicas number of replicas. Each has its own link to the primary.
   * @throws if PostgreSQL or haproxy is missing
   */
  static async start(replicas: number): Promise<Failovers> {
    const missing = postgresIsMissing ?? NO_HAPROXY;
    if (missing)
      throw new Error(`--failovers is not possible: ${missing} (scripts/prepare-tests.sh)`);
    const primary = await DatabaseServer.make();
    await primary.sql(`create database ${DATABASE} template template0`);
    const links = Array.from({ length: replicas }, () => startDatabaseLink(primary.port));
    return new Failovers(primary, await Promise.all(links));
  }

  get count(): number {
    return this.#times.length;
  }

  /** Number of requests that `patient` has repeated. */
  get repeats(): number {
    return this.#repeats;
  }

  /** Returns the address of the database for a replica. It stays the same when a standby takes over. */
  url(replica: number): string {
    return this.#primary.url(DATABASE, this.#links[replica]?.port);
  }

  /** Returns whether requests could fail at some time since `startedAt`, a value of `performance.now()`. */
  overlaps(startedAt: number): boolean {
    return this.#times.some(({ to }) => to >= startedAt);
  }

  /** Returns whether requests could fail at a time, in milliseconds since 1970. */
  includes(time: number): boolean {
    const at = time - performance.timeOrigin;
    return this.#times.some(({ from, to }) => at >= from && at <= to);
  }

  /** Adds a synchronous standby, kills the primary and lets the standby take over. Ends when requests must succeed again. */
  async failOver(): Promise<void> {
    const standby = await this.#primary.makeStandby();
    await sleep(BEFORE_MS);
    const time = { from: performance.now(), to: Number.POSITIVE_INFINITY };
    this.#times.push(time);
    try {
      await this.#primary.stop('kill');
      await sleep(Math.random() * NOTICED_WITHIN_MS);
      await standby.promote();
      await Promise.all(this.#links.map((link) => link.redirect(standby.port)));
      await this.#primary[Symbol.asyncDispose]();
      this.#primary = standby;
      await sleep(RECOVERS_WITHIN_MS);
    } finally {
      time.to = performance.now();
    }
  }

  /**
   * Returns a client that repeats requests which get 503 because of a failover. Repeated POST requests have the same `Idempotency-Key`.
   */
  patient(client: Client): Client {
    return async (path, send = {}) => {
      const startedAt = performance.now();
      const repeatable = withIdempotencyKey(send);
      for (;;) {
        const answer = await client(path, repeatable);
        const isExpected = answer.status === 503 && this.overlaps(startedAt);
        if (!isExpected || performance.now() > startedAt + RETRIES_FOR_MS) return answer;
        this.#repeats += 1;
        await sleep(RETRY_MS);
      }
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const link of this.#links) await link[Symbol.asyncDispose]();
    await this.#primary[Symbol.asyncDispose]();
  }
}

function withIdempotencyKey(send: Send): Send {
  const { method = send.body === undefined ? 'GET' : 'POST', headers } = send;
  return method === 'POST'
    ? { ...send, headers: { 'idempotency-key': randomUUID(), ...headers } }
    : send;
}
