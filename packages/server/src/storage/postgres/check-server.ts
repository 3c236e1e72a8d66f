import { StorageUnavailable } from '../../lib/threads/index.ts';
import { DatabaseUnavailable, UnusableDatabase } from '../ports/store.ts';
import type { Pool } from './pool.ts';

const OLDEST_VERSION = 130_000;
/** Values of `synchronous_commit` with which an acknowledged commit can be lost. */
const UNSAFE_SYNCHRONOUS_COMMIT: ReadonlySet<unknown> = new Set(['off', 'local']);

/**
 * Checks the version, encoding, durability and isolation settings of the server.
 *
 * @throws `DatabaseUnavailable` if the server is unreachable or a standby, `UnusableDatabase` if its version or configuration is unsuitable.
 */
export async function checkServer(pool: Pool, onWarning: (text: string) => void): Promise<void> {
  const { rows } = await pool
    .run(
      `select current_setting('server_version_num')::int as version,
        current_setting('server_encoding') as encoding,
        current_setting('synchronous_commit') as "synchronousCommit",
        current_setting('default_transaction_isolation') as isolation,
        current_setting('fsync') as fsync,
        current_setting('full_page_writes') as "fullPageWrites",
        pg_is_in_recovery() as standby`,
    )
    .catch((error: unknown) => {
      throw failureOf(error);
    });
  const server = rows[0] ?? {};
  const { version, encoding, synchronousCommit, standby } = server;
  if (Number(version) < OLDEST_VERSION)
    throw new UnusableDatabase(
      `the database server is PostgreSQL ${Math.floor(Number(version) / 10_000)}; use version 13 or later`,
    );
  if (encoding !== 'UTF8')
    throw new UnusableDatabase(
      `the encoding of the database is ${encoding}; create the database with: create database … encoding 'UTF8' template template0`,
    );
  if (UNSAFE_SYNCHRONOUS_COMMIT.has(synchronousCommit))
    throw new UnusableDatabase(
      `synchronous_commit is ${synchronousCommit}, so acknowledged events can be lost; run: alter database … set synchronous_commit = on`,
    );
  if (standby === true)
    throw new DatabaseUnavailable(
      'the database server is a read-only standby; connect to the primary',
    );
  if (server['isolation'] !== 'read committed')
    onWarning(
      `default_transaction_isolation is ${server['isolation']}, so requests can fail with status 503; run: alter database … set default_transaction_isolation = 'read committed'`,
    );
  for (const [name, value] of Object.entries({
    fsync: server['fsync'],
    full_page_writes: server['fullPageWrites'],
  }))
    if (value === 'off')
      onWarning(
        `the database server runs with ${name} = off: a power failure can corrupt the database; set ${name} = on`,
      );
}

/** Codes of TLS for a certificate that this process does not accept. */
const REJECTED_CERTIFICATE =
  /^(CERT_|DEPTH_ZERO_|ERR_TLS_CERT_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY))/;
/** Advice for each code. Default: the CA is unknown. */
const CERTIFICATE_ADVICE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'renew the certificate',
  CERT_NOT_YET_VALID: 'check the clocks of both machines',
  ERR_TLS_CERT_ALTNAME_INVALID: 'use a host name that the certificate contains',
};
const UNKNOWN_CA =
  'append ?sslmode=verify-full&sslrootcert=<file>, where the file contains the certificate of the CA';

/** A retry does not help if authentication failed (class 28), the database does not exist (class 3D) or TLS is misconfigured. */
function failureOf(error: unknown): Error {
  const cause = error instanceof StorageUnavailable ? error.cause : error;
  const { code = '', message = String(cause), path } = cause as NodeJS.ErrnoException;
  const reason = message === '' ? code : message;
  if (REJECTED_CERTIFICATE.test(code))
    return new UnusableDatabase(
      `GATEHOUSE_DATABASE_URL: the certificate of the database server is not accepted (${code}); ${CERTIFICATE_ADVICE[code] ?? UNKNOWN_CA}`,
      { cause },
    );
  // The driver has no code for this error.
  if (message === 'The server does not support SSL connections')
    return new UnusableDatabase(
      'GATEHOUSE_DATABASE_URL: the database server does not accept TLS; enable it on the server, or remove sslmode from the URL',
      { cause },
    );
  if (/^(28|3D)/.test(code))
    return new UnusableDatabase(
      `GATEHOUSE_DATABASE_URL: the server rejected the connection: ${reason}`,
      { cause },
    );
  // The files of `sslrootcert`, `sslcert` and `sslkey`.
  if (path !== undefined)
    return new UnusableDatabase(`GATEHOUSE_DATABASE_URL: ${path}: cannot be read (${code})`, {
      cause,
    });
  return new DatabaseUnavailable(
    `GATEHOUSE_DATABASE_URL: the database server cannot be reached: ${reason}`,
    { cause },
  );
}
