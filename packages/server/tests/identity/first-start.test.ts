import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { backendOf, SQLITE_ALONE } from '../support/backend.ts';
import { freePort, startChild } from '../support/child-server.ts';
import { clientOf } from '../support/client.ts';
import { signIn } from '../support/provision.ts';
import { MAIN, runService } from '../support/run-service.ts';
import { startService, temporaryDirectory } from '../support/service.ts';

const SECRET = 'hunter2-and-more';

/** Starts without settings for the first administrator. */
async function startPlain(dataDir: string) {
  return startChild(MAIN, { capture: true, env: await plainEnv(dataDir) });
}

async function plainEnv(dataDir: string) {
  return { GATEHOUSE_DATA_DIR: dataDir, ...(await backendOf(dataDir, 'empty')) };
}

function printedAdministrator(text: string): { email: string; password: string } | null {
  const email = /e-mail\s+(\S+)/.exec(text)?.[1];
  const password = /password\s+(\S+)/.exec(text)?.[1];
  return email === undefined || password === undefined ? null : { email, password };
}

test('a first start without administrator settings prints a password once, and it works', async () => {
  using directory = temporaryDirectory();
  const first = await startPlain(directory.path);
  assert.equal(await first.stop(), 0);
  const administrator = printedAdministrator(first.output().stderr);
  assert.ok(administrator, first.output().stderr);
  assert.ok(!first.output().stdout.includes(administrator.password), 'the log has it');

  await using second = await startPlain(directory.path);
  await signIn(clientOf(second.url), administrator);
  assert.equal(second.output().stderr, '');
});

test('a first start that cannot listen does not lose the password it made', async () => {
  using directory = temporaryDirectory();
  using elsewhere = temporaryDirectory();
  await using other = await startService(elsewhere.path);
  const env = { ...(await plainEnv(directory.path)), GATEHOUSE_PORT: String(other.port) };
  const { stderr } = await runService(env).ended;

  await using second = await startPlain(directory.path);
  const printed = printedAdministrator(stderr + second.output().stderr);
  assert.ok(printed, stderr);
  await signIn(clientOf(second.url), printed);
});

test('a port that is in use is told, with the exit code for trying later', async () => {
  using directory = temporaryDirectory();
  using elsewhere = temporaryDirectory();
  await using first = await startService(directory.path);
  const env = { ...(await plainEnv(elsewhere.path)), GATEHOUSE_PORT: String(first.port) };
  const { code, stderr } = await runService({
    ...env,
    GATEHOUSE_ADMIN_EMAIL: 'root@example.com',
    GATEHOUSE_ADMIN_PASSWORD: SECRET,
  }).ended;
  assert.equal(code, 75);
  assert.match(
    stderr,
    new RegExp(`^gatehouse: cannot listen on port ${first.port} \\(EADDRINUSE\\); .*\\n$`),
  );
});

test('a second start on the same data directory says so and ends, while the first goes on', {
  skip: SQLITE_ALONE,
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

test('wrong settings end the start with a line for each, showing no value and making nothing', async () => {
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
  const told = lines.map((line) => /^gatehouse: (GATEHOUSE_\w+): ./.exec(line)?.[1]);
  assert.deepEqual(told.toSorted(), [
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
