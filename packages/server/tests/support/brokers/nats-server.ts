import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JetStreamManager, jetstreamManager, type StreamConfig } from '@nats-io/jetstream';
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node';
import { freePort } from '../services/free-port.ts';
import { installed } from '../tools.ts';

/**
 * The pinned version, or else the version of the system. Debian installs the program in a directory that is not in the `PATH` of
 * ordinary users.
 */
const PROGRAM = [join(installed('nats-server') ?? '', 'nats-server'), '/usr/sbin/nats-server'].find(
  (program) => spawnSync(program, ['--version']).status === 0,
);

export const NO_NATS: string | false = PROGRAM === undefined ? 'nats-server is missing' : false;

/** Returns the reason why no server of version 2 with at least this minor version can run, or `false`. */
export function noNatsSince(minor: number): string | false {
  const { stdout } = spawnSync(PROGRAM ?? 'nats-server', ['--version'], { encoding: 'utf8' });
  const installedMinor = Number(/v2\.(\d+)/.exec(stdout)?.[1]);
  return installedMinor >= minor ? false : `nats-server 2.${minor} or newer is missing`;
}

export const STREAM = 'EVENTS';
const READY_WITHIN_MS = 10_000;

export interface NatsMessage {
  readonly subject: string;
  readonly text: string;
  readonly header: (name: string) => string;
}

/** A NATS server with JetStream in a temporary directory. Disposing it stops the server and deletes the directory. */
export interface NatsServer extends AsyncDisposable {
  readonly url: string;
  readonly process: () => ChildProcess;
  start(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  addStream(config?: Partial<StreamConfig>): Promise<void>;
  /** Returns the number of messages, by default of all subjects. `subjects` may contain wildcards. */
  count(subjects?: string): Promise<number>;
  messages(): Promise<NatsMessage[]>;
}

export interface NatsServerOptions {
  /** Syncs each message to disk before it is acknowledged. Requires version 2.10. Default: the server syncs every two minutes. */
  readonly syncAlways?: boolean;
  readonly configuration?: string;
  readonly connect?: ConnectionOptions;
}

export async function startNats(options: NatsServerOptions = {}): Promise<NatsServer> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-nats-'));
  const port = await freePort();
  const file = join(directory, 'nats.conf');
  const sync = options.syncAlways === true ? ', sync_interval: always' : '';
  writeFileSync(
    file,
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${directory}"${sync} }\n${options.configuration ?? ''}\n`,
  );
  let child: ChildProcess | null = null;

  async function start(): Promise<void> {
    child = spawn(PROGRAM ?? 'nats-server', ['-c', file], { stdio: 'ignore' });
    const deadline = performance.now() + READY_WITHIN_MS;
    while (!(await isResponding(port))) {
      if (performance.now() > deadline) throw new Error('nats-server did not become ready');
      await sleep(20);
    }
  }

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (child === null) return;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    child = null;
  }

  async function manage<T>(
    work: (manager: JetStreamManager, connection: NatsConnection) => Promise<T>,
  ): Promise<T> {
    const connection = await connect({ servers: url, ...options.connect });
    try {
      return await work(await jetstreamManager(connection), connection);
    } finally {
      await connection.close();
    }
  }

  const url = `nats://127.0.0.1:${port}`;
  await start().catch(async (error) => {
    await stop('SIGKILL');
    throw error;
  });
  return {
    url,
    process: () => child as ChildProcess,
    start,
    stop,
    addStream: (config = {}) =>
      manage(async (manager) => {
        await manager.streams.add({ name: STREAM, subjects: ['gatehouse.>'], ...config });
      }),
    count: (subjects = '>') =>
      manage(async (manager) => {
        const { state } = await manager.streams.info(STREAM, { subjects_filter: subjects });
        return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
      }),
    messages: () =>
      manage(async (manager) => {
        const { state } = await manager.streams.info(STREAM);
        const messages: NatsMessage[] = [];
        for (let seq = state.first_seq; seq > 0 && seq <= state.last_seq; seq += 1) {
          const message = await manager.streams.getMessage(STREAM, { seq });
          if (message === null) continue;
          messages.push({
            subject: message.subject,
            text: message.string(),
            header: (name) => message.header.get(name),
          });
        }
        return messages;
      }),
    [Symbol.asyncDispose]: async () => {
      await stop('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function isResponding(port: number): Promise<boolean> {
  const socket = connectSocket(port, '127.0.0.1');
  const answered = once(socket, 'data').then(
    () => true,
    () => false,
  );
  return answered.finally(() => socket.destroy());
}
