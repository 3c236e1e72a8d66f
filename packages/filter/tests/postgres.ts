import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export interface PrivatePostgres extends AsyncDisposable {
  /** Options for `pg`. `host` is the directory of a Unix socket. There is no password and no TCP port. */
  readonly connection: { readonly host: string; readonly user: string; readonly database: string };
}

/** The reason why PostgreSQL is not available for tests, or `undefined` if it is available. */
export const postgresIsMissing: string | undefined = missingReason();

function missingReason(): string | undefined {
  if (process.env['GATEHOUSE_TEST_WITHOUT_POSTGRES'] === '1') return 'runs in npm test';
  return binaries() === undefined
    ? 'PostgreSQL is not installed; install the Debian package postgresql'
    : undefined;
}

/**
 * Creates and starts a private server in a temporary directory. The server's encoding is UTF-8. In PostgreSQL 15 and
 * later, the server's default collation does not sort by code point, so tests detect queries that rely on the default.
 * The server stops when the returned object is disposed or this process ends.
 *
 * @param durable `true` to sync commits to disk. Otherwise a crash can lose data.
 * @throws {Error} if PostgreSQL is missing, or does not start within 60 seconds. The error message contains the
 *   server's log.
 */
export async function startPostgres(durable = false): Promise<PrivatePostgres> {
  const folder = binaries();
  if (folder === undefined) throw new Error(postgresIsMissing);
  const home = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'));
  const owner = unprivileged();
  if (owner !== undefined) chownSync(home, owner.uid, owner.gid);
  const data = join(home, 'data');
  initialise(join(folder, 'initdb'), data, owner);
  const fsync = durable ? 'on' : 'off';
  const settings = {
    listen_addresses: '',
    unix_socket_directories: home,
    fsync,
    // Otherwise, an immediate shutdown leaves segments in /dev/shm.
    dynamic_shared_memory_type: 'mmap',
    // Many tests share the server, and up to 24 services are connected at the same time.
    max_connections: '800',
    // Each test has its own database. Vacuuming all databases would slow the tests down.
    ...(durable ? {} : { autovacuum_naptime: '1h' }),
  };
  // The shell stops the server when the shell's standard input ends, which happens even if this process is killed.
  // The shell runs in its own process group, so that Ctrl-C does not stop the shell before the clean-up.
  const guard = spawn(
    'sh',
    [
      '-c',
      '"$@" & cat >/dev/null; kill -QUIT $!; wait $!; rm -rf "$0"',
      home,
      join(folder, 'postgres'),
      '-D',
      data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...owner, cwd: home, detached: true, stdio: ['pipe', 'ignore', 'pipe'], env: environment() },
  );
  const ended = new Promise<void>((resolve) => guard.on('close', () => resolve()));
  async function stop(): Promise<void> {
    guard.stdin.end();
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
  try {
    await waitUntilReady(guard.stderr);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    connection: { host: home, user: 'gatehouse', database: 'postgres' },
    [Symbol.asyncDispose]: stop,
  };
}

/** Returns the directory with the server programs: from `PATH`, or Debian's newest version. */
export function binaries(): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  const debian = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => version(b) - version(a));
  return [...onPath, '/usr/local/bin', ...debian].find((folder) =>
    ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))),
  );
}

function version(folder: string): number {
  return Number(folder.split('/').at(-2));
}

/** If this process runs as root, returns another user for PostgreSQL, because PostgreSQL refuses to run as root. */
export function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = ['postgres', 'nobody'].find((name) => spawnSync('id', [name]).status === 0);
  if (user === undefined)
    throw new Error(
      'PostgreSQL cannot run as root, and neither the user postgres nor nobody exists',
    );
  function id(kind: '-u' | '-g'): number {
    return Number(execFileSync('id', [kind, user ?? ''], { encoding: 'utf8' }));
  }
  return { uid: id('-u'), gid: id('-g') };
}

/** Creates a cluster with the superuser `gatehouse` and without passwords. */
export function initialise(
  initdb: string,
  data: string,
  owner: ReturnType<typeof unprivileged>,
  more: readonly string[] = [],
): void {
  const common = ['-D', data, '-U', 'gatehouse', '-A', 'trust', '-E', 'UTF8', '--no-sync', ...more];
  // Use the first locale that the installation supports.
  const locales = [
    ['--locale=C', '--locale-provider=icu', '--icu-locale=und'],
    ['--locale=C.UTF-8'],
    ['--locale=C'],
  ];
  const failures: string[] = [];
  for (const locale of locales) {
    const options = { ...owner, cwd: '/', env: environment(), encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync(initdb, [...common, ...locale], options);
    if (status === 0) return;
    failures.push(stderr);
    rmSync(data, { recursive: true, force: true });
  }
  throw new Error(failures.join('\n'));
}

/** Returns an environment without `PGDATA` and similar variables, and with English messages, which `waitUntilReady` parses. */
export function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C' };
}

function waitUntilReady(log: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`PostgreSQL did not start:\n${text}`)), 60_000);
    log.on('data', (piece: Buffer) => {
      text += piece.toString();
      if (/FATAL/.test(text)) reject(new Error(`PostgreSQL did not start:\n${text}`));
      if (!/ready to accept connections/.test(text)) return;
      clearTimeout(timer);
      text = '';
      resolve();
    });
  });
}
