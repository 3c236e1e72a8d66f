import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../services/free-port.ts';
import { until } from '../until.ts';

/** Debian installs the program in a directory that is not in the `PATH` of ordinary users. */
const PROGRAM = ['pgbouncer', '/usr/sbin/pgbouncer'].find(
  (program) => spawnSync(program, ['--version']).status === 0,
);

export const NO_PGBOUNCER: string | false = PROGRAM === undefined ? 'pgbouncer is missing' : false;

export interface PgBouncer extends AsyncDisposable {
  /** URL of the database through the pooler. */
  readonly url: string;
}

/**
 * Starts PgBouncer in transaction mode as the pooler of a test database. Each transaction uses one of four server
 * connections. Disposing the result stops the process.
 *
 * @param databaseUrl URL from `newDatabase`.
 */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  await using opened = new AsyncDisposableStack();
  const { host, database } = partsOf(databaseUrl);
  const home = mkdtempSync(join(tmpdir(), 'gatehouse-pgbouncer-'));
  const port = await freePort();
  const file = join(home, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=${host} user=gatehouse
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`,
  );
  // PgBouncer runs as the user of the database server, because it refuses to run as root and only this user may access the socket.
  const { uid, gid } = statSync(host);
  chownSync(home, uid, gid);
  const child = spawn(PROGRAM ?? 'pgbouncer', [file], { uid, gid, stdio: 'ignore' });
  const exited = once(child, 'exit');
  opened.defer(async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(home, { recursive: true, force: true });
  });
  const url = `postgres://gatehouse@127.0.0.1:${port}/${database}`;
  await until('PgBouncer responds', () => isResponding(url));
  const all = opened.move();
  return { url, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function partsOf(databaseUrl: string): { host: string; database: string } {
  const { pathname, searchParams } = new URL(databaseUrl);
  return { host: searchParams.get('host') ?? '', database: pathname.slice(1) };
}

async function isResponding(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
