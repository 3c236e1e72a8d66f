import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientOf } from '../support/http/client.ts';
import { signIn } from '../support/provision.ts';
import { inheritedVariables, startChild } from '../support/services/child-server.ts';
import { freePort, occupyPort } from '../support/services/free-port.ts';
import { startInProcess } from '../support/services/in-process-service.ts';
import { MAIN, programOfService } from '../support/services/program.ts';
import { runCommand, runService } from '../support/services/run-service.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import {
  backendOf,
  ON_POSTGRES,
  SQLITE_ONLY,
  withoutWarnings,
} from '../support/storage/backend.ts';
import { until } from '../support/until.ts';

const NEW_INSTALLATION = /created a new installation in .*correct GATEHOUSE_DATA/g;
const SECRET = 'hunter2-and-more';

/** Starts a server without the settings that define the first administrator, and with the password hashing of production. */
async function startPlain(program: string, dataDir: string) {
  return startChild(program, { capture: true, env: await plainEnv(dataDir) });
}

async function plainEnv(dataDir: string) {
  return { GATEHOUSE_DATA_DIR: dataDir, ...(await backendOf(dataDir, 'empty')) };
}

const EVE = { email: 'eve@example.com', name: 'Eve', password: 'a long first password' };

function tokenIn(text: string, purpose: string): string {
  const [, token = ''] = new RegExp(`/console#${purpose}=([\\w-]{43})`).exec(text) ?? [];
  assert.notEqual(token, '', text);
  return token;
}

test('the log of a first start without administrator settings names the command that prints a setup link', async () => {
  using directory = temporaryDirectory();
  const env = await plainEnv(directory.path);
  // The source files and the installed packages, which all other services of the tests load from a bundle.
  const first = await startPlain(MAIN, directory.path);
  const client = clientOf(first.url);
  const setUp = await runCommand(['setup-link'], env).ended;
  assert.deepEqual([setUp.code, withoutWarnings(setUp.stderr)], [0, '']);
  const token = tokenIn(setUp.stdout, 'setup');
  const redeemed = await client('/auth/redeem', { body: { token, ...EVE } });
  assert.equal(redeemed.status, 200, redeemed.text);
  assert.equal((await client('/users', { as: String(redeemed.json['token']) })).status, 200);

  const reset = await runCommand(['reset-password', 'EVE@example.com'], env).ended;
  assert.equal(reset.code, 0, reset.stderr);
  assert.equal(await first.stop(), 0);
  const log = first.output().stdout;
  assert.match(log, /there is no administrator: run .*setup-link/);
  assert.equal(log.match(NEW_INSTALLATION)?.length, 1);
  assert.ok(!log.includes(token) && !log.includes('#setup='));
  assert.equal(first.output().stderr, '');

  const signIn = await runCommand(['sign-in-link', 'eve@example.com'], env).ended;
  assert.equal(signIn.code, 0, signIn.stderr);
  const late = await runCommand(['setup-link'], env).ended;
  assert.deepEqual([late.code, late.stdout], [64, '']);
  assert.match(late.stderr, /an administrator exists/);
  const unknown = await runCommand(['reset-password', 'nobody@example.com'], env).ended;
  assert.deepEqual([unknown.code, unknown.stdout], [64, '']);

  await using second = await startPlain(programOfService(), directory.path);
  const again = clientOf(second.url);
  const signedIn = await again('/auth/redeem', {
    body: { token: tokenIn(signIn.stdout, 'sign-in') },
  });
  assert.equal(signedIn.status, 200, signedIn.text);
  const password = 'a long second password';
  const body = { token: tokenIn(reset.stdout, 'reset'), password };
  assert.equal((await again('/auth/redeem', { body })).status, 200);
  assert.equal((await again('/auth/redeem', { body })).status, 410);
  assert.doesNotMatch(second.output().stdout, /setup-link/);
  assert.doesNotMatch(second.output().stdout, NEW_INSTALLATION);
});

test('the log of a start with administrator settings names the place of a new installation, which can be a wrong data directory', async () => {
  using directory = temporaryDirectory();
  const administrator = {
    GATEHOUSE_ADMIN_EMAIL: EVE.email,
    GATEHOUSE_ADMIN_PASSWORD: EVE.password,
  };
  const env = { ...(await plainEnv(directory.path)), ...administrator };
  await using service = await startChild(MAIN, { capture: true, env });
  const { stdout } = service.output();
  assert.equal(stdout.match(NEW_INSTALLATION)?.length, 1, stdout);
  assert.ok(ON_POSTGRES || stdout.includes(directory.path), stdout);
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

test('a first start on a terminal prints a setup link', {
  skip: existsSync('/usr/bin/script') ? SQLITE_ONLY : 'requires the program script',
}, async () => {
  using directory = temporaryDirectory();
  const port = await freePort();
  const command = `"${process.execPath}" "${programOfService()}"`;
  const run = spawn('/usr/bin/script', ['-qefc', command, '/dev/null'], {
    env: {
      ...inheritedVariables(),
      ...(await plainEnv(directory.path)),
      GATEHOUSE_PORT: String(port),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let printed = '';
  run.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await until('the service is ready', async () => /ready/.test(printed));
  const client = clientOf(`http://127.0.0.1:${port}`);
  const body = { token: tokenIn(printed, 'setup'), ...EVE };
  assert.equal((await client('/auth/redeem', { body })).status, 200);
  // The terminal sends SIGINT.
  run.stdin.write('\x03');
  await once(run, 'close');
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
