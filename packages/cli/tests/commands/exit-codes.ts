import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Gatehouse } from '@gatehouse/client';
import { startTestServer } from '../../../server/tests/support/http/test-server.ts';
import { temporaryDirectory } from '../../../server/tests/support/services/service.ts';
import { commandReference } from '../../src/reference.ts';
import { CACHE, commandLine, MAIN } from '../command-line.ts';
import { token, url } from '../service.ts';

const home = temporaryDirectory();
after(() => home[Symbol.dispose]());
const FULL_DISK = '/dev/full';

/** Runs `spaces list` against a service that gives one answer to all requests. */
const listSpaces = (status: number, body: string) => runAgainst(['spaces', 'list'], status, body);

/** Runs a command against a service that gives one answer to all requests. */
async function runAgainst(args: readonly string[], status: number, body: string) {
  await using server = await startTestServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end(body);
  });
  const cli = commandLine({
    XDG_CONFIG_HOME: home.path,
    GATEHOUSE_URL: server.origin,
    GATEHOUSE_KEY: 'gh_x',
  });
  return await cli.run(args);
}

for (const [status, code] of [
  [429, 'rate_limited'],
  [503, 'unavailable'],
] as const)
  test(`a service that answers ${status} until the last retry gives exit code 75`, async () => {
    const ended = await listSpaces(
      status,
      JSON.stringify({ code, message: 'Try again later.', issues: [] }),
    );
    assert.deepEqual([ended.code, ended.out], [75, ''], ended.err);
    assert.match(ended.err, /^gatehouse: .*later/);
  });

test('a service that answers with an error of its own gives exit code 69', async () => {
  assert.equal((await listSpaces(500, '{}')).code, 69);
});

test('an https URL of a service without TLS gives exit code 69 and a message of one line', async () => {
  const secure = url.replace('http:', 'https:');
  const cli = commandLine({ XDG_CONFIG_HOME: home.path, GATEHOUSE_URL: secure });
  const { code, err } = await cli.with({ GATEHOUSE_KEY: 'gh_x' }).run(['links', 'list']);
  assert.equal(code, 69, err);
  assert.equal(err.split('\n').length, 2, err);
});

test('only an error about the own credential suggests to sign in again', async () => {
  const cli = commandLine({ XDG_CONFIG_HOME: home.path, GATEHOUSE_URL: url });
  const ofLink = await cli.run(['ask', '--link', 'x'.repeat(43), 'Hello?']);
  assert.equal(ofLink.code, 77);
  assert.match(ofLink.err, /No link has this token/);
  assert.doesNotMatch(ofLink.err, /gatehouse login/);
  const { path } = home;
  mkdirSync(join(path, 'ended/gatehouse'), { recursive: true });
  writeFileSync(join(path, 'ended/gatehouse/config.json'), JSON.stringify({ url, token: 'ended' }));
  const ofSession = await cli.with({ XDG_CONFIG_HOME: join(path, 'ended') }).run(['links', 'list']);
  assert.equal(ofSession.code, 77);
  assert.match(ofSession.err, /Run "gatehouse login"/);
});

test('the error about an API key names the option or variable with the key', async () => {
  const cli = commandLine({ XDG_CONFIG_HOME: home.path, GATEHOUSE_URL: url });
  const ofVariable = await cli.with({ GATEHOUSE_KEY: 'gh_unknown' }).run(['links', 'list']);
  assert.match(ofVariable.err, /unknown, expired or revoked\. Correct GATEHOUSE_KEY, or remove it/);
  const ofOption = await cli.run(['links', 'list', '--key', 'gh_unknown']);
  assert.match(ofOption.err, /Correct --key, or remove it/);
});

for (const args of [
  ['keys', 'create', 'ci', '--scope', 'read', '--expires-in', '999999999d'],
  ['conversations', 'list', '--from', '999999999d'],
])
  test(`${args.at(-2)} with a duration beyond the range of dates gives exit code 64`, async () => {
    const { code, err } = await runAgainst(args, 200, '{}');
    assert.equal(code, 64, err);
    assert.match(err, /Use at most 36500d/);
  });

for (const value of ['', '..'])
  test(`the ID "${value}", as of a variable that is not set, gives exit code 64`, async () => {
    const commands = commandReference().flatMap((command) => {
      const words = [command.parent?.name(), command.name()].filter((one) => one !== 'gatehouse');
      const names = command.registeredArguments.map((one) => one.name());
      return names.some((name) => name.endsWith('-id')) ? [[...words, value] as string[]] : [];
    });
    assert.ok(commands.length >= 8, `${commands.length} commands have an ID`);
    const options = ['deliveries', 'list', '--subscription', value];
    for (const args of [...commands, options, ['--space', value, 'documents', 'list']]) {
      const { code, err } = await runAgainst(args, 200, '{}');
      assert.deepEqual([code, err.includes('Use an ID')], [64, true], `${args}: ${err}`);
    }
  });

test('a file of an option that cannot be read gives exit code 66, as other files do', async () => {
  const missing = join(home.path, 'missing.json');
  for (const [args, problem] of [
    [
      ['links', 'create', '--permission-filter', `@${missing}`],
      `${missing} does not exist. Check the path.`,
    ],
    [
      ['events', 'send', '--type', 'a.b', '--data', `@${home.path}`],
      `${home.path} is a folder. Name a file.`,
    ],
  ] as const) {
    const { code, err } = await runAgainst(args, 200, '{}');
    assert.deepEqual([code, err], [66, `gatehouse: ${problem}\n`]);
  }
});

test('an API key with an invalid character gives exit code 64, and is not printed', async () => {
  const cli = commandLine({ XDG_CONFIG_HOME: home.path, GATEHOUSE_URL: url });
  for (const ended of [
    await cli.with({ GATEHOUSE_KEY: 'gh_a\nb' }).run(['whoami']),
    await cli.with({ GATEHOUSE_KEY: '"gh_a"' }).run(['whoami']),
    await cli.run(['--key', '', 'whoami']),
    await cli.run(['login', '--with-key'], 'gh_a\u00fc'),
  ]) {
    assert.equal(ended.code, 64, ended.err);
    assert.match(ended.err, /^gatehouse: The API key is empty, or contains .*\n$/);
    assert.ok(!ended.err.includes('gh_a'));
  }
});

test('environment variables may end with a line break, as the content of a file does', async () => {
  const admin = new Gatehouse({ url, token });
  const { id } = await admin.spaces.create({ name: 'Line breaks' });
  const { key } = await admin.apiKeys.create({ name: 'ci', scopes: ['read'] }, { spaceId: id });
  const env = {
    GATEHOUSE_URL: `${url}\r\n`,
    GATEHOUSE_KEY: `${key}\n`,
    GATEHOUSE_SPACE: `${id}\r`,
  };
  const { code, err } = await commandLine({ XDG_CONFIG_HOME: home.path, ...env }).run([
    'documents',
    'list',
  ]);
  assert.equal(code, 0, err);
});

test('--all and --limit together give exit code 64', async () => {
  const { code, err } = await runAgainst(['links', 'list', '--all', '--limit', '3'], 200, '{}');
  assert.equal(code, 64, err);
  assert.match(err, /'--all' cannot be used with option '--limit <n>'/);
});

test('an operator command after an option that it does not have gives exit code 64', async () => {
  const cli = commandLine({ XDG_CONFIG_HOME: home.path });
  const { code, err } = await cli.run(['--url', url, 'admin', 'backup', join(home.path, 'backup')]);
  assert.equal(code, 64, err);
  assert.match(err, /Write "gatehouse admin backup" without other options before it/);
});

for (const command of [['admin', 'backup'], ['backup']])
  test(`--json may be before ${command.join(' ')}`, async () => {
    const cli = commandLine({ XDG_CONFIG_HOME: home.path });
    const before = await cli.run(['--json', ...command]);
    assert.deepEqual(before, await cli.run([...command, '--json']));
    assert.match(before.err, /^{"/);
  });

test('a closed standard error does not change the exit code', async () => {
  const child = spawn(process.execPath, [MAIN, 'nonsense'], {
    env: { HOME: home.path, NODE_COMPILE_CACHE: CACHE },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.destroy();
  await once(child, 'close');
  assert.equal(child.exitCode, 64);
});

test('a command that changes data continues after standard output is closed', async () => {
  const folder = join(home.path, 'closed');
  mkdirSync(folder);
  const names = Array.from({ length: 20 }, (_, n) => `${n}.txt`);
  for (const name of names) writeFileSync(join(folder, name), name);
  const { id } = await new Gatehouse({ url, token }).spaces.create({ name: 'Closed' });
  const { apiKeys, documents } = new Gatehouse({ url, token, spaceId: id });
  const scopes = ['read', 'knowledge:write', 'events:write'] as const;
  const { key } = await apiKeys.create({ name: 'closed', scopes });
  const env = {
    HOME: home.path,
    NODE_COMPILE_CACHE: CACHE,
    GATEHOUSE_URL: url,
    GATEHOUSE_KEY: key,
  };
  const run = async (args: readonly string[], input = '') => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdout.destroy();
    child.stdin.end(input);
    await once(child, 'close');
    return child.exitCode;
  };
  assert.equal(await run(['documents', 'push', folder, '--parallel', '1']), 0);
  const { items } = await documents.list({ limit: 200 });
  assert.deepEqual(items.map(({ fileName }) => fileName).sort(), names.sort());
  const [first = '', second = ''] = items.map((document) => document.id);
  assert.equal(await run(['documents', 'delete', first, second, 'missing']), 65);
  assert.equal((await documents.list({ limit: 200 })).items.length, names.length - 2);
  assert.equal(await run(['events', 'send'], '{"type":"a.b"}'), 1);
  // A command that only reads ends when nobody reads its output.
  assert.equal(await run(['documents', 'list']), 0);
});

test('a result that cannot be written gives exit code 70 and names the reason', {
  skip: !existsSync(FULL_DISK) && `${FULL_DISK} does not exist`,
}, () => {
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', `"$@" --help > ${FULL_DISK}`, 'sh', process.execPath, MAIN],
    {
      env: {
        PATH: process.env['PATH'],
        HOME: home.path,
        GATEHOUSE_URL: url,
        NODE_COMPILE_CACHE: CACHE,
      },
    },
  );
  assert.equal(status, 70);
  assert.match(String(stderr), /^gatehouse: ENOSPC: .*\n$/);
});
