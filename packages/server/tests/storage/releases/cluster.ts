import { type Client, clientOf } from '../../support/http/client.ts';
import { type Haproxy, startHaproxy } from '../../support/http/haproxy.ts';
import { type ChildServer, startChild } from '../../support/services/child-server.ts';
import { freePort } from '../../support/services/free-port.ts';
import { type Ended, runProgram } from '../../support/services/run-service.ts';
import { ADMIN } from '../../support/services/service.ts';
import { until } from '../../support/until.ts';
import type { DatabaseServer } from '../faults/database-server.ts';
import type { Release } from './release.ts';

const REPLICAS = 2;
const DATABASE = 'gatehouse';
const SETTINGS = {
  GATEHOUSE_SECRET: Buffer.alloc(32, 'releases').toString('base64'),
  GATEHOUSE_BASE_URL: 'http://gatehouse.test',
  GATEHOUSE_ADMIN_EMAIL: ADMIN.email,
  GATEHOUSE_ADMIN_PASSWORD: ADMIN.password,
  GATEHOUSE_DELIVERY_ALLOW: '127.0.0.0/8',
  GATEHOUSE_SEARCH_WAIT_SECONDS: '60',
  GATEHOUSE_RATE_LIMIT_EXCHANGE: '0',
  GATEHOUSE_RATE_LIMIT_CHAT: '0',
  GATEHOUSE_RATE_LIMIT_CHAT_LINK: '0',
  GATEHOUSE_RATE_LIMIT_READS_LINK: '0',
  GATEHOUSE_SEARCH_TIME_LINK: '0',
  GATEHOUSE_LOG_LEVEL: 'error',
};

/** A receiver of requests: a replica or the load balancer. */
export interface Target {
  readonly name: string;
  readonly client: Client;
  /** Reports whether the test has stopped the process since the target was obtained. */
  hasStopped(): boolean;
}

interface Replica {
  readonly release: Release;
  readonly server: ChildServer;
}

/** Replicas of one or two releases behind a load balancer, on one database. */
export class Cluster implements AsyncDisposable {
  readonly balancer: Haproxy;
  readonly balanced: Target;
  readonly database: DatabaseServer;
  readonly #dataDir: string;
  readonly #replicas: (Replica | null)[];
  readonly #ports: readonly number[];

  /** Starts two replicas of a release on a new database. */
  static async start(
    database: DatabaseServer,
    dataDir: string,
    release: Release,
  ): Promise<Cluster> {
    await database.sql(`create database ${DATABASE} template template0`);
    const ports = [];
    for (let index = 0; index < REPLICAS; index += 1) ports.push(await freePort());
    const replicas: Replica[] = [];
    try {
      for (const port of ports)
        replicas.push(await startReplica({ release, port, dataDir, database }));
      const balancer = await startHaproxy(ports);
      return new Cluster(database, dataDir, balancer, replicas);
    } catch (error) {
      await Promise.all(replicas.map(({ server }) => server.stop('SIGKILL')));
      throw error;
    }
  }

  private constructor(
    database: DatabaseServer,
    dataDir: string,
    balancer: Haproxy,
    replicas: readonly Replica[],
  ) {
    this.database = database;
    this.balancer = balancer;
    this.balanced = {
      name: 'the load balancer',
      client: clientOf(balancer.url),
      hasStopped: () => false,
    };
    this.#dataDir = dataDir;
    this.#replicas = [...replicas];
    this.#ports = replicas.map(({ server }) => server.port);
  }

  /** Returns the running replicas. */
  targets(): Target[] {
    return this.#replicas.flatMap((replica, index) =>
      replica === null
        ? []
        : {
            name: `${replica.release.name} (replica ${index + 1})`,
            client: clientOf(replica.server.url),
            hasStopped: () => this.#replicas[index] !== replica,
          },
    );
  }

  /** Stops a replica. SIGTERM lets the replica finish its requests, SIGKILL does not. */
  async stop(index: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const replica = this.#replicas[index];
    this.#replicas[index] = null;
    return (await replica?.server.stop(signal)) ?? null;
  }

  /** Starts a replica on the port of the stopped one, and waits until the load balancer routes requests to it. */
  async start(index: number, release: Release): Promise<void> {
    const port = this.#ports[index] ?? 0;
    const { database } = this;
    const replica = await startReplica({ release, port, dataDir: this.#dataDir, database });
    this.#replicas[index] = replica;
    await until(
      'the load balancer uses all running replicas',
      async () => (await this.balancer.up()) === this.targets().length,
    );
  }

  /** Runs a service that is expected to exit. */
  async run(release: Release): Promise<Ended> {
    const port = await freePort();
    const env = environment(this.#dataDir, this.database, port);
    return runProgram(release.program, [], env).ended;
  }

  /** Reports whether a replica holds the leases of all background jobs. */
  async holdsAllJobs(index: number): Promise<boolean> {
    const url = this.#replicas[index]?.server.url;
    if (url === undefined) return false;
    const metrics = (await clientOf(url)('/metrics')).text;
    const held = [...metrics.matchAll(/^gatehouse_job_held\{.*\} (\d)$/gm)].map(([, one]) => one);
    return held.length > 0 && held.every((one) => one === '1');
  }

  async sql(text: string): Promise<Record<string, unknown>[]> {
    return this.database.sql(text, DATABASE);
  }

  /** Returns the first lines that the running replicas have logged. The log contains only errors. */
  errors(): string {
    return this.#replicas
      .flatMap((replica) => replica?.server.output().stdout.split('\n').slice(0, 3) ?? [])
      .join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([
      this.balancer[Symbol.asyncDispose](),
      ...this.#replicas.map((replica) => replica?.server.stop('SIGKILL')),
    ]);
  }
}

interface Start {
  readonly release: Release;
  readonly port: number;
  readonly dataDir: string;
  readonly database: DatabaseServer;
}

async function startReplica({ release, port, dataDir, database }: Start): Promise<Replica> {
  const env = environment(dataDir, database, port);
  return { release, server: await startChild(release.program, { env, port, capture: true }) };
}

function environment(dataDir: string, database: DatabaseServer, port: number) {
  return {
    ...SETTINGS,
    GATEHOUSE_PORT: String(port),
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_DATABASE_URL: database.url(DATABASE),
  };
}
