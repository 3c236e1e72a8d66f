import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { backendOf, ON_POSTGRES, SQLITE_ALONE, withoutWarnings } from '../support/backend.ts';
import { type Client, clientOf } from '../support/client.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { runCommand } from '../support/run-service.ts';
import { startService, temporaryDirectory } from '../support/service.ts';
import { startHere } from '../support/service-here.ts';

const MINUTE = 60_000;
const ALONE = { skip: SQLITE_ALONE };

const kidOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid as string;

const published = async (client: Client) =>
  ((await client('/.well-known/jwks.json')).json['keys'] as { kid: string }[]).map(
    ({ kid }) => kid,
  );

/** What a widget session may do: 200, or the code of the refusal. */
async function stateOf(client: Client, session: string): Promise<unknown> {
  const { status, json } = await client('/chat/conversations', { as: session });
  return status === 200 ? 200 : json['code'];
}

async function rotate(dataDir: string, ...options: string[]): Promise<string> {
  const args = ['rotate-signing-key', ...options];
  const env = { GATEHOUSE_DATA_DIR: dataDir, ...(await backendOf(dataDir)) };
  const { code, stdout, stderr } = await runCommand(args, env).ended;
  assert.deepEqual([code, withoutWarnings(stderr)], [0, '']);
  return /key (\S+)/.exec(stdout)?.[1] ?? stdout;
}

async function newLink(client: Client): Promise<string> {
  const session = await signIn(client);
  const { id: spaceId } = await makeSpace(client, session);
  return (await makeLink(client, session, { spaceId })).token;
}

test('sessions go on while the key is changed beside the running service, also over a restart', async () => {
  using directory = temporaryDirectory();
  let later = 0;
  const clock = () => Date.now() + later;
  let service = await startHere(directory.path, { clock });
  try {
    const client: Client = (path, send) => clientOf(service.url)(path, send);
    const link = await newLink(client);
    const first = await exchangeLink(client, link);
    const made = await rotate(directory.path);
    assert.notEqual(made, kidOf(first));
    later = 11_000;
    assert.deepEqual(await published(client), [made, kidOf(first)]);
    const second = await exchangeLink(client, link);
    assert.equal(kidOf(second), kidOf(first));

    later = 12 * MINUTE;
    const third = await exchangeLink(client, link);
    assert.equal(kidOf(third), made);
    const expected = [200, 200, 200];
    const states = () => Promise.all([first, second, third].map((one) => stateOf(client, one)));
    assert.deepEqual(await states(), expected);
    await service.stop();
    service = await startHere(directory.path, { clock });
    assert.deepEqual(await states(), expected);
    later = 16 * MINUTE;
    assert.equal(await stateOf(client, first), 'links.session-expired');
    later = 25 * 60 * MINUTE;
    assert.deepEqual(await published(client), [made]);
  } finally {
    await service.stop();
  }
});

test('a key that is changed at once ends all sessions, and links are exchanged for new ones', async () => {
  using directory = temporaryDirectory();
  let later = 0;
  const service = await startHere(directory.path, { clock: () => Date.now() + later });
  try {
    const client = clientOf(service.url);
    const link = await newLink(client);
    const before = await exchangeLink(client, link);
    const made = await rotate(directory.path, '--at-once');
    later = 11_000;
    assert.equal(await stateOf(client, before), 'links.session-invalid');
    const session = await exchangeLink(client, link);
    assert.deepEqual([kidOf(session), await stateOf(client, session)], [made, 200]);
    assert.deepEqual(await published(client), [made]);
  } finally {
    await service.stop();
  }
});

test('replicas take each other’s sessions while the key is changed, and sign with one key at any time', {
  skip: ON_POSTGRES ? false : 'nobody else has the embedded store',
}, async () => {
  using directory = temporaryDirectory();
  let later = 0;
  const options = { clock: () => Date.now() + later };
  await backendOf(directory.path);
  const services = await Promise.all([1, 2].map(() => startHere(directory.path, options)));
  try {
    const clients = services.map(({ port }) => clientOf(`http://127.0.0.1:${port}`));
    const [one] = clients;
    assert.ok(one);
    const link = await newLink(one);
    const [first, ...others] = await exchangeAtAll(clients, link);
    assert.deepEqual(others, []);
    const made = await rotate(directory.path);
    for (later = 0; later < 9 * MINUTE; later += 3 * MINUTE)
      assert.deepEqual(await exchangeAtAll(clients, link), new Set([first]));
    const before = await exchangeLink(one, link);
    later = 10 * MINUTE + 1000;
    assert.deepEqual(await exchangeAtAll(clients, link), new Set([made]));
    for (const client of clients) assert.equal(await stateOf(client, before), 200);
    const atOnce = await rotate(directory.path, '--at-once');
    later += 11_000;
    for (const client of clients)
      assert.equal(await stateOf(client, before), 'links.session-invalid');
    assert.deepEqual(await exchangeAtAll(clients, link), new Set([atOnce]));
  } finally {
    for (const service of services) await service.stop();
  }
});

/** The ids of the keys of new sessions, each of which is good at all replicas. */
async function exchangeAtAll(clients: readonly Client[], link: string): Promise<Set<string>> {
  const made = await Promise.all(clients.map((client) => exchangeLink(client, link)));
  for (const client of clients)
    for (const session of made) assert.equal(await stateOf(client, session), 200);
  return new Set(made.map(kidOf));
}

test('with a secret that is given, no key is written to the data directory', ALONE, async () => {
  using directory = temporaryDirectory();
  const env = { GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64') };
  {
    await using service = await startService(directory.path, { env });
    assert.equal((await published(clientOf(service.url))).length, 1);
  }
  assert.ok(!existsSync(join(directory.path, 'keys')));
  const db = new DatabaseSync(join(directory.path, 'gatehouse.db'), { readOnly: true });
  assert.equal(db.prepare('select count(*) as n from signing_keys').get()?.['n'], 1);
  db.close();
  await assert.rejects(
    startService(directory.path, { capture: true }),
    /code 78.*is not the secret/,
  );
  await using _ = await startService(directory.path, { env });
});
