import { StorageUnavailable } from '../../lib/threads/index.ts';
import { DatabaseAway, UnusableDatabase } from '../ports/store.ts';
import type { Pool } from './pool.ts';

const OLDEST = 130_000;
/** Under these a commit that was acknowledged can be lost. */
const LOSING: ReadonlySet<unknown> = new Set(['off', 'local']);

/** Throws `DatabaseAway` or `UnusableDatabase` unless the server can be relied on. */
export async function checkServer(pool: Pool, onWarning: (text: string) => void): Promise<void> {
  const { rows } = await pool
    .run(
      `select current_setting('server_version_num')::int as version,
        current_setting('server_encoding') as encoding,
        current_setting('synchronous_commit') as "synchronousCommit",
        current_setting('fsync') as fsync,
        current_setting('full_page_writes') as "fullPageWrites",
        pg_is_in_recovery() as standby`,
    )
    .catch((error: unknown) => {
      throw failureOf(error);
    });
  const server = rows[0] ?? {};
  const { version, encoding, synchronousCommit, standby } = server;
  if (Number(version) < OLDEST)
    throw new UnusableDatabase(
      `the database server is PostgreSQL ${Math.floor(Number(version) / 10_000)}; 13 or later is needed`,
    );
  if (encoding !== 'UTF8')
    throw new UnusableDatabase(
      `the database has the encoding ${encoding}; make it with: create database … encoding 'UTF8' template template0`,
    );
  if (LOSING.has(synchronousCommit))
    throw new UnusableDatabase(
      `synchronous_commit is ${synchronousCommit}, with which acknowledged events can be lost; run: alter database … set synchronous_commit = on`,
    );
  if (standby === true)
    throw new DatabaseAway('the database server is a standby, which takes no writes');
  for (const [name, value] of Object.entries({
    fsync: server['fsync'],
    full_page_writes: server['fullPageWrites'],
  }))
    if (value === 'off')
      onWarning(`the database server runs with ${name} = off: a power cut can lose everything`);
}

function failureOf(error: unknown): Error {
  const cause = error instanceof StorageUnavailable ? error.cause : error;
  const { code, message = String(cause) } = cause as { code?: string; message?: string };
  const said = message === '' ? String(code) : message;
  // 28: not let in; 3D: no such database. Waiting mends neither.
  return /^(28|3D)/.test(code ?? '')
    ? new UnusableDatabase(`GATEHOUSE_DATABASE_URL: the server refused it: ${said}`, { cause })
    : new DatabaseAway(`the database server cannot be reached: ${said}`, { cause });
}
