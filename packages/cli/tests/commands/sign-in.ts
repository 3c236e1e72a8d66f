import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Gatehouse } from '@gatehouse/client';
import { codeAt } from '../../../server/tests/support/identity/authenticator.ts';
import { freePort } from '../../../server/tests/support/services/free-port.ts';
import { ADMIN, temporaryDirectory } from '../../../server/tests/support/services/service.ts';
import { CACHE, commandLine, MAIN, parseAll } from '../command-line.ts';
import { token, url } from '../service.ts';
import { NO_TERMINAL, openTerminal } from '../terminal.ts';

const home = temporaryDirectory();
after(() => home[Symbol.dispose]());
const admin = new Gatehouse({ url, token });
const { id: spaceId } = await admin.spaces.create({ name: 'Shop' });
const gatehouse = new Gatehouse({ url, token, spaceId });

/** Returns a command line with its own configuration folder. */
function newUser(name: string) {
  const folder = join(home.path, name);
  return {
    cli: commandLine({ XDG_CONFIG_HOME: folder }),
    file: join(folder, 'gatehouse/config.json'),
  };
}

const unused = `http://127.0.0.1:${await freePort()}`;
const ada = newUser('ada');
const signedIn = await ada.cli.run(
  ['login', '--url', url, '--email', ADMIN.email, '--space', spaceId],
  `${ADMIN.password}\n`,
);

test('login stores the session in a file that only its owner can read', () => {
  assert.deepEqual([signedIn.code, signedIn.err], [0, '']);
  assert.equal(statSync(ada.file).mode & 0o777, 0o600);
  assert.equal(statSync(join(ada.file, '..')).mode & 0o777, 0o700);
  const { token: stored, ...rest } = JSON.parse(readFileSync(ada.file, 'utf8'));
  assert.equal(typeof stored, 'string');
  assert.deepEqual(rest, { url, spaceId });
  for (const secret of [ADMIN.password, stored]) assert.ok(!signedIn.out.includes(secret));
});

test('whoami prints the user of the session, and the prefix of a key but not the key', async () => {
  const [session] = await ada.cli.json<object>(['whoami']);
  assert.partialDeepStrictEqual(session, { url, email: ADMIN.email, spaceId });
  const { key } = await gatehouse.apiKeys.create({ name: 'backend', scopes: ['read'] });
  const { code, out } = await ada.cli.with({ GATEHOUSE_KEY: key }).run(['whoami']);
  assert.equal(code, 0);
  assert.match(out, /spaceName: +Shop/);
  assert.ok(out.includes(key.slice(0, 7)) && !out.includes(key));
});

test('options win over environment variables, which win over the configuration file', async () => {
  const [one, two] = await Promise.all([
    admin.spaces.create({ name: 'One' }),
    admin.spaces.create({ name: 'Two' }),
  ]);
  const show = async (args: readonly string[], env = {}) =>
    (await ada.cli.with(env).json<{ id: string }>(['spaces', 'show', ...args]))[0]?.id;
  assert.equal(await show([]), spaceId);
  assert.equal(await show([], { GATEHOUSE_SPACE: one.id }), one.id);
  assert.equal(await show(['--space', two.id], { GATEHOUSE_SPACE: one.id }), two.id);
  const unreachable = await ada.cli
    .with({ GATEHOUSE_URL: unused, GATEHOUSE_KEY: 'gh_x' })
    .run(['whoami']);
  assert.equal(unreachable.code, 69);
  assert.match(unreachable.err, /does not respond \(.*ECONNREFUSED/);
});

test('a stored credential is not sent to another service', async () => {
  const { code, err } = await ada.cli.with({ GATEHOUSE_URL: unused }).run(['whoami']);
  assert.equal(code, 78);
  assert.match(err, /not signed in at http:\/\/127\.0\.0\.1:\d+\. Run "gatehouse login"/);
});

test('login stores an API key from standard input, and logout deletes it', async () => {
  const grace = newUser('grace');
  const { key } = await gatehouse.apiKeys.create({ name: 'ci', scopes: ['read'] });
  const { code, out, err } = await grace.cli.run(['login', '--url', `${url}/`, '--with-key'], key);
  assert.deepEqual([code, err], [0, '']);
  assert.ok(!out.includes(key));
  assert.equal(statSync(grace.file).mode & 0o777, 0o600);
  assert.partialDeepStrictEqual(await grace.cli.json(['whoami']), [{ spaceId }]);
  assert.equal((await grace.cli.run(['logout'])).code, 0);
  assert.ok(!existsSync(grace.file));
  assert.equal((await grace.cli.run(['whoami'])).code, 78);
});

test('logout ends the session of the service', async () => {
  const alan = newUser('alan');
  await alan.cli.run(['login', '--url', url, '--email', ADMIN.email], ADMIN.password);
  const { token: stored } = JSON.parse(readFileSync(alan.file, 'utf8'));
  assert.equal((await alan.cli.run(['logout'])).code, 0);
  await assert.rejects(new Gatehouse({ url, token: stored }).auth.session(), { status: 401 });
});

test('a wrong password stores nothing, and a damaged configuration file is reported', async () => {
  const eve = newUser('eve');
  const wrong = await eve.cli.run(
    ['login', '--url', url, '--email', ADMIN.email],
    'wrong-password',
  );
  assert.equal(wrong.code, 77);
  assert.ok(!existsSync(eve.file) && !wrong.err.includes('wrong-password'));
  mkdirSync(join(eve.file, '..'), { recursive: true });
  writeFileSync(eve.file, '{"url": 1}');
  const damaged = await eve.cli.run(['whoami']);
  assert.equal(damaged.code, 78);
  assert.match(damaged.err, /config\.json is not a configuration file\. Delete the file/);
});

test('the configuration file is not read if variables give the URL and a key', async () => {
  const { key } = await gatehouse.apiKeys.create({ name: 'ci', scopes: ['read'] });
  const container = commandLine({ XDG_CONFIG_HOME: '/dev/null', GATEHOUSE_URL: url });
  assert.equal((await container.run(['whoami'])).code, 66);
  const { code, err } = await container.with({ GATEHOUSE_KEY: key }).run(['whoami']);
  assert.equal(code, 0, err);
});

/** Creates a user with a second factor. */
async function newUserWithApp(email: string) {
  const password = 'correct horse battery';
  await admin.users.create({ email, name: 'Lin', password });
  const session = await new Gatehouse({ url }).auth.signIn({ email, password });
  const { secondFactor } = new Gatehouse({ url, token: session.token });
  const { secret } = await secondFactor.start({ password });
  const { recoveryCodes } = await secondFactor.confirm({ code: codeAt(secret, Date.now()) });
  return { email, password, recoveryCodes };
}

test('login with a second factor needs a code, which an option gives', async () => {
  const { email, password, recoveryCodes } = await newUserWithApp('lin@example.com');
  const lin = newUser('lin');
  const args = ['login', '--url', url, '--email', email];
  const without = await lin.cli.run(args, password);
  assert.equal(without.code, 64);
  assert.match(without.err, /second factor\. Use --code <code>, or run on a terminal/);
  assert.ok(!existsSync(lin.file));
  const wrong = await lin.cli.run([...args, '--code', 'aaaa-bbbb-cccc-dddd'], password);
  assert.equal(wrong.code, 77);
  const { code, err } = await lin.cli.run([...args, '--code', recoveryCodes[0] ?? ''], password);
  assert.deepEqual([code, err], [0, '']);
  assert.partialDeepStrictEqual(await lin.cli.json(['whoami']), [{ email }]);
});

test('login asks for the code on a terminal', { skip: NO_TERMINAL }, async () => {
  const { email, password, recoveryCodes } = await newUserWithApp('mia@example.com');
  const command = `${process.execPath} ${MAIN} login --url ${url} --email ${email}`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...process.env, XDG_CONFIG_HOME: join(home.path, 'mia'), SHELL: '/bin/sh' },
  });
  const answers = [
    { question: 'Password: ', answer: password },
    { question: 'recovery code: ', answer: recoveryCodes[0] ?? '' },
  ];
  let shown = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (!shown.includes(answers[0]?.question ?? '\0')) return;
    terminal.stdin.write(`${answers.shift()?.answer}\r`);
  });
  const [status] = await once(terminal, 'close');
  assert.equal(status, 0, shown);
  assert.ok(existsSync(join(home.path, 'mia/gatehouse/config.json')));
  assert.ok(!shown.includes(password));
});

test('a password that is typed on a terminal is not shown', { skip: NO_TERMINAL }, async () => {
  const bob = newUser('bob');
  const command = `${process.execPath} ${MAIN} login --url ${url} --email ${ADMIN.email}`;
  await using terminal = openTerminal(command, {
    XDG_CONFIG_HOME: join(home.path, 'bob'),
    NODE_COMPILE_CACHE: CACHE,
  });
  // Types a wrong character and deletes it.
  await terminal.type(`x\u007f${ADMIN.password}\r`, 'Password: ');
  const { code, shown } = await terminal.end();
  assert.equal(code, 0, shown);
  assert.ok(!shown.includes(ADMIN.password) && !shown.includes('*'), shown);
  assert.match(shown, /Password: \r\n/);
  assert.ok(existsSync(bob.file) && parseAll(readFileSync(bob.file, 'utf8')).length === 1);
});
