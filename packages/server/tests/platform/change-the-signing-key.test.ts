import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type Client, clientOf } from '../support/http/client.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { startInProcess } from '../support/services/in-process-service.ts';
import { runCommand } from '../support/services/run-service.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import {
  backendOf,
  ON_POSTGRES,
  SQLITE_ONLY,
  withoutWarnings,
} from '../support/storage/backend.ts';

const MINUTE = 60_000;
const ALONE = { skip: SQLITE_ONLY };

const kidOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid as string;

const published = async (client: Client) =>
  ((await client('/.well-known/jwks.json')).json['keys'] as { kid: string }[]).map(
    ({ kid }) => kid,
  );

/** Returns 200 if a widget session is valid, otherwise the error code of the response. */
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

test('widget sessions stay valid while the signing key is rotated, even across a restart', async () => {
  using directory = temporaryDirectory();
  let later = 0;
  const clock = () => Date.now() + later;
  let service = await startInProcess(directory.path, { clock });
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
    service = await startInProcess(directory.path, { clock });
    assert.deepEqual(await states(), expected);
    later = 16 * MINUTE;
    assert.equal(await stateOf(client, first), 'links.session-expired');
    later = 25 * 60 * MINUTE;
    assert.deepEqual(await published(client), [made]);
  } finally {
    await service.stop();
  }
});

test('an immediate rotation ends all widget sessions, but links can be exchanged again', async () => {
  using directory = temporaryDirectory();
  let later = 0;
  const service = await startInProcess(directory.path, { clock: () => Date.now() + later });
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

test('during a rotation, replicas sign with the same key and accept each other’s widget sessions', {
  skip: ON_POSTGRES ? false : 'replicas require PostgreSQL',
}, async () => {
  using directory = temporaryDirectory();
  let later = 0;
  const options = { clock: () => Date.now() + later };
  await backendOf(directory.path);
  const services = await Promise.all([1, 2].map(() => startInProcess(directory.path, options)));
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

/**
 * Exchanges a link at each replica and returns the IDs of the signing keys. Asserts that every replica accepts every
 * session.
 */
async function exchangeAtAll(clients: readonly Client[], link: string): Promise<Set<string>> {
  const made = await Promise.all(clients.map((client) => exchangeLink(client, link)));
  for (const client of clients)
    for (const session of made) assert.equal(await stateOf(client, session), 200);
  return new Set(made.map(kidOf));
}

test('if GATEHOUSE_SECRET is set, no key is written to the data directory', ALONE, async () => {
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
    /code 78.*keys\/secret: is missing/,
  );
  await using _ = await startService(directory.path, { env });
});
