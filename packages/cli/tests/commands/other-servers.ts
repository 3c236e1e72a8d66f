import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  type Behaviour,
  breakOff,
  json,
  startHostileServer,
} from '../../../client/tests/hostile-server.ts';
import { temporaryDirectory } from '../../../server/tests/support/services/service.ts';
import { commandReference } from '../../src/reference.ts';
import { commandLine } from '../command-line.ts';

const home = temporaryDirectory();
after(() => home[Symbol.dispose]());
const folder = join(home.path, 'folder');
mkdirSync(folder);
writeFileSync(join(folder, 'a.txt'), 'a');

const ID = '0199f3a2-8e30-7d12-a5b6-c7d8e9f0a1b2';
/** Commands that do not send requests, or whose result does not depend on the form of the response. */
const OTHERS = ['admin', 'api', 'completion', 'logout'];
const COMMANDS: readonly (readonly string[])[] = [
  ['login', '--with-key'],
  ['login', '--email', 'ada@example.com'],
  ['whoami'],
  ['spaces', 'list'],
  ['spaces', 'create', 'Shop'],
  ['spaces', 'show', ID],
  ['spaces', 'use', ID],
  ['links', 'create'],
  ['links', 'list'],
  ['links', 'show', ID],
  ['links', 'revoke', ID],
  ['links', 'revoke', '--sub', 'customer-42'],
  ['links', 'explain', ID],
  ['links', 'explain', ID, '--document', ID],
  ['keys', 'create', 'ci', '--scope', 'read'],
  ['keys', 'list'],
  ['keys', 'revoke', ID],
  ['documents', 'push', folder],
  ['documents', 'list'],
  ['documents', 'show', ID],
  ['documents', 'show', 'key'],
  ['documents', 'delete', ID],
  ['documents', 'retry', ID],
  ['documents', 'retry', '--all'],
  ['events', 'send', '--type', 'example.note'],
  ['events', 'tail'],
  ['listen', '--forward', 'http://127.0.0.1:9/'],
  ['subscriptions', 'list'],
  ['deliveries', 'list'],
  ['deliveries', 'list', '--subscription', ID],
  ['deliveries', 'retry', '--subscription', ID, ID],
  ['deliveries', 'retry', '--subscription', ID, '--parked'],
  ['deliveries', 'replay', '--subscription', ID, '--from', '2h'],
  ['ask', '--link', 'x'.repeat(43), 'Hello?'],
  ['conversations', 'list'],
  ['conversations', 'show', ID],
  ['conversations', 'export'],
];
/** A deletion has an empty response with status 204 in Gatehouse, too. */
const DELETIONS = [`links revoke ${ID}`, `keys revoke ${ID}`];

const answer =
  (status: number, body: string, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers });
    response.end(body);
  };

const SERVERS: Readonly<Record<string, Behaviour>> = {
  'status 204': answer(204, ''),
  'an empty page': answer(200, ''),
  'a page': answer(200, '<h1>Sign in</h1>'),
  'a page with status 404': answer(404, '<h1>Not found</h1>'),
  'a redirect': answer(302, '', { location: 'http://portal.example/' }),
  'a stream': answer(200, 'data: 7\n\n', { 'content-type': 'text/event-stream' }),
  '{}': json(200, {}),
  null: json(200, null),
  '7': json(200, 7),
  'a list without items': json(200, { items: 7, next: null }),
  'a list of other items': json(200, { items: [{}], next: null }),
  'a list without an end': json(200, { items: [] }),
  'members of other types': json(200, { id: 7, url: null, user: 'x', visible: [], processed: '1' }),
};

async function runAt(url: string, args: readonly string[]) {
  const config = join(home.path, 'config', 'gatehouse');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.json'), JSON.stringify({ url, token: 'token' }));
  const env = { XDG_CONFIG_HOME: join(home.path, 'config'), GATEHOUSE_URL: url };
  // `login` selects the only space if no other is selected.
  const space = args[0] === 'login' ? {} : { GATEHOUSE_SPACE: ID };
  return commandLine({ ...env, ...space }).run(args, 'secret');
}

for (const [name, behaviour] of Object.entries(SERVERS))
  test(`each command reports a server that answers all requests with ${name}`, async () => {
    await using server = await startHostileServer(behaviour);
    for (const args of COMMANDS) {
      if (name === 'status 204' && DELETIONS.includes(args.join(' '))) continue;
      const { code, err } = await runAt(server.url, args);
      assert.equal(code, 69, `${args.join(' ')}: ${err}`);
      assert.match(
        err,
        /^gatehouse: The server is not a Gatehouse service.* (Check the URL|Set url)/m,
      );
    }
  });

test('the commands of these tests are all commands', () => {
  const tested = new Set(COMMANDS.flatMap(([one, two]) => [one, `${one} ${two}`]));
  const names = commandReference().map((command) => {
    const parent = command.parent?.name() ?? '';
    return parent === 'gatehouse' ? command.name() : `${parent} ${command.name()}`;
  });
  const missing = names.filter(
    (one) => !tested.has(one) && !OTHERS.includes(one.split(' ')[0] ?? ''),
  );
  assert.deepEqual(missing, []);
});

test('logout says that a server that is not Gatehouse has not ended the session', async () => {
  await using server = await startHostileServer(json(200, {}));
  const { code, err } = await runAt(server.url, ['logout']);
  assert.equal(code, 0);
  assert.match(err, /the service did not confirm the end of the session/);
});

test('https:// in the URL of a server without TLS gives exit code 69, and names http://', async () => {
  await using server = await startHostileServer(json(200, {}));
  const { code, err } = await runAt(server.url.replace('http:', 'https:'), ['whoami']);
  assert.equal(code, 69);
  assert.match(err, /^gatehouse: The server does not use TLS at this address. Use http:/);
});

test('a response that breaks off gives exit code 69', async () => {
  await using server = await startHostileServer(breakOff);
  for (const args of [['whoami'], ['ask', '--link', 'x'.repeat(43), 'Hello?']]) {
    const { code, err } = await runAt(server.url, args);
    assert.equal(code, 69, err);
    assert.match(err, /^gatehouse: The service does not respond \(.*\n$/);
  }
});
