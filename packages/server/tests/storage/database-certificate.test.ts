import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { NO_OPENSSL } from '../support/http/certificate.ts';
import { runService } from '../support/services/run-service.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { ON_POSTGRES } from '../support/storage/backend.ts';
import { DatabaseServer } from './faults/database-server.ts';

const onlyOnce = ON_POSTGRES ? 'runs with the tests on SQLite' : undefined;
const skip = onlyOnce ?? postgresIsMissing ?? (NO_OPENSSL || undefined);
const SECRET = { GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64') };

async function expectProblem(GATEHOUSE_DATABASE_URL: string, problem: string): Promise<void> {
  const env = { GATEHOUSE_DATABASE_URL, ...SECRET, GATEHOUSE_PORT: '0' };
  const { code, stderr } = await runService(env).ended;
  assert.deepEqual([code, stderr], [78, `gatehouse: GATEHOUSE_DATABASE_URL: ${problem}\n`]);
}

test('a database server without TLS is reported if the URL requires TLS', { skip }, async () => {
  await using server = await DatabaseServer.make();
  await expectProblem(
    `${server.url('postgres')}?sslmode=verify-full`,
    'the database server does not accept TLS; enable it on the server, or remove sslmode from the URL',
  );
});

test('a certificate of the database server that is not accepted is reported with the remedy', {
  skip,
}, async () => {
  await using server = await DatabaseServer.make({ acceptsTls: true });
  await server.sql("create database gatehouse encoding 'UTF8' template template0");
  const url = `${server.url('gatehouse')}?sslmode=verify-full`;
  const withCa = `${url}&sslrootcert=${server.certificate}`;
  const problems: Record<string, string> = {
    [url]:
      'the certificate of the database server is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT); append ?sslmode=verify-full&sslrootcert=<file>, where the file contains the certificate of the CA',
    // The resolver of the system accepts this short form of the address as a host name.
    [withCa.replace('127.0.0.1', '127.1')]:
      'the certificate of the database server is not accepted (ERR_TLS_CERT_ALTNAME_INVALID); use a host name that the certificate contains',
    [`${url}&sslrootcert=/missing.pem`]: '/missing.pem: cannot be read (ENOENT)',
  };
  for (const [databaseUrl, problem] of Object.entries(problems))
    await expectProblem(databaseUrl, problem);
  using directory = temporaryDirectory();
  await using service = await startService(directory.path, {
    env: { GATEHOUSE_DATABASE_URL: withCa, ...SECRET },
  });
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  const [used] = await server.sql(
    "select count(*)::int as n from pg_stat_ssl join pg_stat_activity using (pid) where ssl and datname = 'gatehouse'",
  );
  assert.ok(Number(used?.['n']) > 0);
});
