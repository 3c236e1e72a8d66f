/** A private PostgreSQL server for tests. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export interface PrivatePostgres extends AsyncDisposable {
  /** For `pg`. `host` is the folder of a Unix socket; there is no password, and no port on the network. */
  readonly connection: { readonly host: string; readonly user: string; readonly database: string };
}

/** Why there is no PostgreSQL to test with, as the reason to skip a test; undefined when there is one. */
export const postgresIsMissing: string | undefined = reasonWithout();

function reasonWithout(): string | undefined {
  if (process.env['GATEHOUSE_TEST_WITHOUT_POSTGRES'] === '1') return 'runs in npm test';
  return binaries() === undefined ? 'PostgreSQL is not installed (Debian: postgresql)' : undefined;
}

/**
 * Makes a server of its own in a temporary directory and starts it. Its encoding is UTF-8 and its default
 * collation a natural language's where it can be (from PostgreSQL 15), so that an order by code points has
 * to be asked for.
 *
 * @param durable whether commits are synced; without, a crash loses its data.
 * It ends with the returned object, and also when this process dies, however that happens.
 *
 * @throws {Error} when PostgreSQL is missing or does not start in 60 s; the message has its log.
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
    // Many tests may share it.
    max_connections: '400',
    // Each test has a database of its own; vacuuming all of them in turn would take the time of the tests.
    ...(durable ? {} : { autovacuum_naptime: '1h' }),
  };
  // The shell waits for its standard input to end, as it does whatever we die of. It is a process group of its
  // own, so that a signal to ours, Ctrl-C for one, leaves it to do its work.
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
    await isReady(guard.stderr);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    connection: { host: home, user: 'gatehouse', database: 'postgres' },
    [Symbol.asyncDispose]: stop,
  };
}

/** The folder of the server's programs: on the path, or where Debian keeps its newest. */
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

/** Whom PostgreSQL runs as when we are root, since it refuses to be. */
export function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = ['postgres', 'nobody'].find((name) => spawnSync('id', [name]).status === 0);
  if (user === undefined) throw new Error('PostgreSQL cannot run as root: no user to run it as');
  function id(kind: '-u' | '-g'): number {
    return Number(execFileSync('id', [kind, user ?? ''], { encoding: 'utf8' }));
  }
  return { uid: id('-u'), gid: id('-g') };
}

/** Makes a cluster whose superuser is `gatehouse`, let in without a password. */
export function initialise(
  initdb: string,
  data: string,
  owner: ReturnType<typeof unprivileged>,
  more: readonly string[] = [],
): void {
  const common = ['-D', data, '-U', 'gatehouse', '-A', 'trust', '-E', 'UTF8', '--no-sync', ...more];
  // The first that it knows and was built with.
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

/** No `PGDATA` and the like; messages in English, since one of them is awaited. */
export function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C' };
}

function isReady(log: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(
      () => reject(new Error(`PostgreSQL does not start:\n${text}`)),
      60_000,
    );
    log.on('data', (piece: Buffer) => {
      text += piece.toString();
      if (/FATAL/.test(text)) reject(new Error(`PostgreSQL does not start:\n${text}`));
      if (!/ready to accept connections/.test(text)) return;
      clearTimeout(timer);
      text = '';
      resolve();
    });
  });
}
