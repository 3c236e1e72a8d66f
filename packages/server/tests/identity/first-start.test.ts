import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientOf } from '../support/http/client.ts';
import { signIn } from '../support/provision.ts';
import { freePort, occupyPort, startChild } from '../support/services/child-server.ts';
import { startInProcess } from '../support/services/in-process-service.ts';
import { MAIN, runService } from '../support/services/run-service.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { backendOf, SQLITE_ONLY } from '../support/storage/backend.ts';

const SECRET = 'hunter2-and-more';

/** Starts a server without the settings that define the first administrator. */
async function startPlain(dataDir: string) {
  return startChild(MAIN, { capture: true, env: await plainEnv(dataDir) });
}

async function plainEnv(dataDir: string) {
  return { GATEHOUSE_DATA_DIR: dataDir, ...(await backendOf(dataDir, 'empty')) };
}

function printedAdministrator(text: string): { email: string; password: string } | null {
  const email = /e-?mail\s+(\S+)/.exec(text)?.[1];
  const password = /password\s+(\S+)/.exec(text)?.[1];
  return email === undefined || password === undefined ? null : { email, password };
}

test('the first start without administrator settings prints a generated password once', async () => {
  using directory = temporaryDirectory();
  const first = await startPlain(directory.path);
  assert.equal(await first.stop(), 0);
  const administrator = printedAdministrator(first.output().stderr);
  assert.ok(administrator, first.output().stderr);
  assert.ok(
    !first.output().stdout.includes(administrator.password),
    'the log contains the password',
  );

  await using second = await startPlain(directory.path);
  await signIn(clientOf(second.url), administrator);
  assert.equal(second.output().stderr, '');
});

test('with password sign-in off, the first start creates no administrator and says who can become one', async () => {
  using directory = temporaryDirectory();
  const lines: string[] = [];
  const env = {
    GATEHOUSE_ADMIN_EMAIL: '',
    GATEHOUSE_ADMIN_PASSWORD: '',
    GATEHOUSE_PASSWORD_SIGN_IN: 'off',
    GATEHOUSE_OIDC_ISSUER: 'https://login.invalid',
    GATEHOUSE_OIDC_CLIENT_ID: 'gatehouse',
    GATEHOUSE_OIDC_CLIENT_SECRET: SECRET,
    GATEHOUSE_OIDC_ALLOWED_GROUPS: 'staff',
    ...(await backendOf(directory.path, 'empty')),
  };
  const options = { env, onLog: (line: string) => void lines.push(line) };
  const service = await startInProcess(directory.path, options);
  try {
    assert.match(lines.join(''), /no administrator exists: set GATEHOUSE_OIDC_ADMIN_GROUPS/);
    const answer = await clientOf(service.url)('/auth/methods');
    assert.deepEqual(answer.json, { password: false, singleSignOn: true });
  } finally {
    await service.stop();
  }
});

test('the generated password is printed even if the port is in use at the first start', async () => {
  using directory = temporaryDirectory();
  await using other = await occupyPort();
  const env = { ...(await plainEnv(directory.path)), GATEHOUSE_PORT: String(other.port) };
  const { stderr } = await runService(env).ended;

  await using second = await startPlain(directory.path);
  const printed = printedAdministrator(stderr + second.output().stderr);
  assert.ok(printed, stderr);
  await signIn(clientOf(second.url), printed);
});

test('a server whose port is in use names the address and the settings, and exits with the code for a temporary failure', async () => {
  using directory = temporaryDirectory();
  await using other = await occupyPort();
  const env = { ...(await plainEnv(directory.path)), GATEHOUSE_PORT: String(other.port) };
  const { code, stderr } = await runService({
    ...env,
    GATEHOUSE_ADMIN_EMAIL: 'root@example.com',
    GATEHOUSE_ADMIN_PASSWORD: SECRET,
  }).ended;
  assert.equal(code, 75);
  const expected = `^gatehouse: cannot listen on 127.0.0.1:${other.port} \\(EADDRINUSE\\): .*GATEHOUSE_PORT.*GATEHOUSE_HOST.*\n$`;
  assert.match(stderr, new RegExp(expected));
});

test('a server names the setting if this machine does not have the configured address', async () => {
  for (const [host, shown, reason] of [
    ['192.0.2.1', '192.0.2.1', 'EADDRNOTAVAIL'],
    ['2001:db8::1', '[2001:db8::1]', 'EADDRNOTAVAIL|EAFNOSUPPORT'],
  ] as const) {
    using directory = temporaryDirectory();
    const env = { ...(await plainEnv(directory.path)), GATEHOUSE_HOST: host };
    const { code, stderr } = await runService({
      ...env,
      GATEHOUSE_ADMIN_EMAIL: 'root@example.com',
      GATEHOUSE_ADMIN_PASSWORD: SECRET,
    }).ended;
    assert.equal(code, 75, stderr);
    assert.ok(stderr.startsWith(`gatehouse: cannot listen on ${shown}:8080 (`), stderr);
    assert.match(stderr, new RegExp(`\\((${reason})\\): .*GATEHOUSE_HOST.*\n$`));
  }
});

test('a second server on the same data directory does not start, and the first server continues to run', {
  skip: SQLITE_ONLY,
}, async () => {
  using directory = temporaryDirectory();
  await using first = await startService(directory.path);
  const client = clientOf(first.url);
  const session = await signIn(client);
  const env = { GATEHOUSE_DATA_DIR: directory.path, GATEHOUSE_PORT: String(await freePort()) };
  const { code, stderr } = await runService(env).ended;
  assert.equal(code, 75);
  assert.equal(stderr.split('\n').length, 2, stderr);
  assert.ok(stderr.startsWith('gatehouse: another Gatehouse is running on the data directory'));
  assert.ok(stderr.includes(directory.path));
  const made = await client('/spaces', { as: session, body: { name: 'Still here' } });
  assert.equal(made.status, 201, made.text);
});

test('a start with invalid settings creates no files and prints one line per invalid setting without its value', async () => {
  using directory = temporaryDirectory();
  const dataDir = join(directory.path, 'data');
  const { code, stdout, stderr } = await runService({
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_PORT: '99999',
    GATEHOUSE_BASE_URL: `https://user:${SECRET}@gate.example/path`,
    GATEHOUSE_DATABASE_URL: `mysql://gate:${SECRET}@db.example/gate`,
    GATEHOUSE_SECRET: SECRET,
    GATEHOUSE_ADMIN_PASSWORD: SECRET,
    GATEHOUSE_LOG_LEVEL: 'loud',
    GATEHOUSE_TRUSTED_PROXIES: '10.0.0.0/8,everyone',
    GATEHOUSE_EVENTS_QUEUE_BYTES: '1k',
    GATEHOUSE_RATE_LIMIT_EXCANGE: '5',
  }).ended;
  assert.equal(code, 78);
  assert.equal(stdout, '');
  const lines = stderr.trimEnd().split('\n');
  const reported = lines.map((line) => /^gatehouse: (GATEHOUSE_\w+): ./.exec(line)?.[1]);
  assert.deepEqual(reported.toSorted(), [
    'GATEHOUSE_ADMIN_EMAIL',
    'GATEHOUSE_BASE_URL',
    'GATEHOUSE_DATABASE_URL',
    'GATEHOUSE_EVENTS_QUEUE_BYTES',
    'GATEHOUSE_LOG_LEVEL',
    'GATEHOUSE_PORT',
    'GATEHOUSE_RATE_LIMIT_EXCANGE',
    'GATEHOUSE_SECRET',
    'GATEHOUSE_TRUSTED_PROXIES',
  ]);
  assert.ok(!stderr.includes(SECRET));
  assert.ok(!existsSync(dataDir));
});
