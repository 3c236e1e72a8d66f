import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { binaries, environment, initialise, unprivileged } from '@gatehouse/filter/tests/postgres';
import pg from 'pg';
import { makeCertificate } from '../../support/http/certificate.ts';
import { freePort } from '../../support/services/free-port.ts';
import { until } from '../../support/until.ts';

const owner = unprivileged();
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  // Otherwise, a killed server leaves segments in /dev/shm.
  dynamic_shared_memory_type: 'mmap',
  // Interval between attempts of a standby to reconnect. A promotion waits for the end of an attempt.
  wal_retrieve_retry_interval: '200ms',
};

export interface DatabaseServerOptions {
  /** Data directory, for example on a small disk. If set, the write-ahead log is stored in another directory. */
  readonly dataIn?: string;
  /** Archive directory for completed files of the write-ahead log. */
  readonly archiveIn?: string;
  /** The server also accepts TLS, with a self-signed certificate for 127.0.0.1. */
  readonly acceptsTls?: boolean;
}

export class DatabaseServer implements AsyncDisposable {
  readonly port: number;
  readonly #home: string;
  readonly #data: string;
  readonly #settings: Readonly<Record<string, string>>;
  #guard: ChildProcess | null = null;

  private constructor(
    port: number,
    home: string,
    data: string,
    settings: Readonly<Record<string, string>> = {},
  ) {
    this.port = port;
    this.#home = home;
    this.#data = data;
    this.#settings = settings;
  }

  static async make(options: DatabaseServerOptions = {}): Promise<DatabaseServer> {
    const { dataIn, archiveIn, acceptsTls = false } = options;
    const home = newHome();
    const data = join(dataIn ?? home, 'data');
    if (dataIn !== undefined) {
      own(dataIn);
      own(mkdirIn(home, 'log'));
    }
    const walOption = dataIn === undefined ? [] : ['--waldir', join(home, 'log')];
    initialise(program('initdb'), data, owner, walOption);
    if (archiveIn !== undefined) own(archiveIn);
    const archiving = {
      archive_mode: 'on',
      archive_command: `test ! -f ${archiveIn}/%f && cp %p ${archiveIn}/%f`,
    };
    const settings = {
      ...(archiveIn === undefined ? {} : archiving),
      ...(acceptsTls ? tlsSettings(home) : {}),
    };
    const server = new DatabaseServer(await freePort(), home, data, settings);
    await server.start();
    return server;
  }

  /** Starts a new server from a base backup and the archived write-ahead log. */
  static async restore(base: string, archive: string): Promise<DatabaseServer> {
    const home = newHome();
    const data = join(home, 'data');
    execFileSync('cp', ['-a', base, data]);
    writeFileSync(join(data, 'recovery.signal'), '');
    execFileSync('chown', ['-R', '--reference', home, data]);
    const settings = { restore_command: `cp ${archive}/%f %p` };
    const server = new DatabaseServer(await freePort(), home, data, settings);
    await server.start();
    await until('the server has replayed the archived log', async () => {
      const [row] = await server.sql('select pg_is_in_recovery() as recovering');
      return row?.['recovering'] === false;
    });
    return server;
  }

  /** The file of the certificate, if the server accepts TLS. */
  get certificate(): string {
    return join(this.#home, 'cert.pem');
  }

  url(database: string, port = this.port): string {
    return `postgres://gatehouse@127.0.0.1:${port}/${database}`;
  }

  async sql(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url(database) });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async start(): Promise<void> {
    const settings = {
      ...SETTINGS,
      ...this.#settings,
      port: String(this.port),
      unix_socket_directories: this.#home,
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    // The shell stops the server when this process ends, even after a crash.
    const guard = spawn(
      'sh',
      [
        '-c',
        'exec 3<&0; "$@" & server=$!; (cat <&3 >/dev/null; kill -QUIT $server) & wait $server; kill $!',
        'sh',
        program('postgres'),
        '-D',
        this.#data,
        ...options,
      ],
      {
        ...owner,
        cwd: this.#home,
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
        env: environment(),
      },
    );
    this.#guard = guard;
    await until('the database accepts connections', () => this.#answers());
  }

  /** `fast` shuts down cleanly and aborts open transactions. `kill` sends SIGKILL to all processes of the server. */
  async stop(mode: 'fast' | 'kill'): Promise<void> {
    const guard = this.#guard;
    if (guard === null) return;
    this.#guard = null;
    const ended = guard.exitCode === null ? once(guard, 'exit') : null;
    const pid = this.#pid();
    if (guard.exitCode === null && pid !== null) {
      if (mode === 'kill') await killAll(pid);
      else signal(pid, 'SIGINT');
    }
    await ended;
  }

  backUp(to: string): void {
    own(dirname(to));
    const from = `host=127.0.0.1 port=${this.port} user=gatehouse`;
    const options = { ...owner, cwd: this.#home, env: environment(), stdio: 'ignore' } as const;
    execFileSync(program('pg_basebackup'), ['-D', to, '-c', 'fast', '-d', from], options);
  }

  async archive(): Promise<void> {
    const [row] = await this.sql('select pg_walfile_name(pg_switch_wal()) as name');
    await until('the log is archived', async () => {
      const [archived] = await this.sql('select last_archived_wal as name from pg_stat_archiver');
      return String(archived?.['name']) >= String(row?.['name']);
    });
  }

  /**
   * Creates a synchronous standby. From then on, each commit waits until the standby has written the commit to disk.
   */
  async makeStandby(): Promise<DatabaseServer> {
    const home = newHome();
    const data = join(home, 'data');
    const from = `host=127.0.0.1 port=${this.port} user=gatehouse application_name=standby`;
    const options = { ...owner, cwd: home, env: environment(), stdio: 'ignore' } as const;
    const args = ['-D', data, '-R', '-X', 'stream', '-c', 'fast', '-d', from];
    const [code] = await once(spawn(program('pg_basebackup'), args, options), 'exit');
    if (code !== 0) throw new Error(`pg_basebackup ended with ${code}`);
    const standby = new DatabaseServer(await freePort(), home, data);
    await standby.start();
    await this.sql("alter system set synchronous_standby_names = 'standby'");
    await this.sql('select pg_reload_conf()');
    await until('the standby is synchronous', async () => {
      const [row] = await this.sql('select sync_state from pg_stat_replication');
      return row?.['sync_state'] === 'sync';
    });
    return standby;
  }

  /** Promotes this standby to a primary without standbys. */
  async promote(): Promise<void> {
    await this.sql("alter system set synchronous_standby_names = ''");
    await this.sql('select pg_reload_conf(), pg_promote()');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('kill');
    rmSync(this.#data, { recursive: true, force: true });
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #answers(): Promise<boolean> {
    if (this.#guard?.exitCode !== null) throw new Error('the database server exited');
    return this.sql('select 1').then(
      () => true,
      () => false,
    );
  }

  #pid(): number | null {
    try {
      const [pid] = readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n', 1);
      return Number(pid) || null;
    } catch {
      return null;
    }
  }
}

function program(name: string): string {
  const folder = binaries();
  if (folder === undefined) throw new Error('PostgreSQL is missing');
  // This folder may contain links to only some of the PostgreSQL programs.
  return join(dirname(realpathSync(join(folder, 'postgres'))), name);
}

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'gatehouse-database-'));
  own(home);
  return home;
}

function tlsSettings(home: string): Readonly<Record<string, string>> {
  const { certificate, key } = makeCertificate(home);
  own(key);
  own(certificate);
  return { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key };
}

function mkdirIn(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

function own(path: string): void {
  if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
}

/**
 * Kills a process and its children, and waits until the children have ended: a server does not start while a child of
 * its predecessor uses the data directory. The process is stopped first, so that it cannot create further children.
 */
async function killAll(pid: number): Promise<void> {
  signal(pid, 'SIGSTOP');
  // The signal takes effect a little later, so the process could still create a child, which would survive.
  await until('the server is stopped', () => !/^State:\s+[RSD]/m.test(statusOf(pid)));
  const children = childrenOf(pid);
  for (const one of [pid, ...children]) signal(one, 'SIGKILL');
  await until('all processes of the server have ended', () =>
    children.every((child) => !isRunning(child)),
  );
}

function childrenOf(pid: number): number[] {
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return listed === '' ? [] : listed.split(' ').map(Number);
  } catch {
    return [];
  }
}

/** Returns `false` for a process that has ended, although its parent may not yet have asked for its exit status. */
function isRunning(pid: number): boolean {
  const status = statusOf(pid);
  return status !== '' && !/^State:\s+[ZX]/m.test(status);
}

/** Returns the status that Linux shows of a process, or an empty text if there is no such process. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}
