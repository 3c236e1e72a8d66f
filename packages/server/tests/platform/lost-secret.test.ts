import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ingest, makeEvent, postEvents } from '../support/events/events.ts';
import { ALLOW_RECEIVERS, startReceiver, verify } from '../support/events/receiver.ts';
import { registerSource, signedEvent, webhookHeaders } from '../support/events/signing.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import { clientOf } from '../support/http/client.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { runCommand, runService } from '../support/services/run-service.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { backendOf, SQLITE_ONLY, withoutWarnings } from '../support/storage/backend.ts';
import { mountSmallDisk } from '../support/storage/small-disk.ts';
import { until } from '../support/until.ts';

const SOURCE = 'urn:shop';

const newSecret = () => ({ GATEHOUSE_SECRET: randomBytes(32).toString('base64') });

/** Assigns a new secret to the database and returns the setting with this secret. */
async function loseSecret(dataDir: string) {
  const other = newSecret();
  const env = { GATEHOUSE_DATA_DIR: dataDir, ...(await backendOf(dataDir)), ...other };
  const replaced = await runCommand(['replace-secret'], env).ended;
  assert.equal(replaced.code, 0, replaced.stderr);
  return other;
}

test('the service does not start with a different secret and explains the consequences', async () => {
  using directory = temporaryDirectory();
  const first = newSecret();
  const other = newSecret();
  const dataDir = { GATEHOUSE_DATA_DIR: directory.path, ...(await backendOf(directory.path)) };
  const env = { ...dataDir, ...other };
  let link = '';
  let session = '';
  let widget = '';
  {
    await using service = await startService(directory.path, { env: first });
    const client = clientOf(service.url);
    session = await signIn(client);
    const { id: spaceId } = await makeSpace(client, session);
    link = (await makeLink(client, session, { spaceId })).token;
    widget = await exchangeLink(client, link);
    const early = await runCommand(['replace-secret'], env).ended;
    assert.equal(early.code, 75, 'the service is running');
    assert.match(early.stderr, /running/);
  }
  const { code, stdout, stderr } = await runService(env).ended;
  assert.deepEqual([code, withoutWarnings(stdout)], [78, '']);
  assert.match(stderr, /^gatehouse: GATEHOUSE_SECRET: is not the secret of this database/);
  for (const word of ['replace-secret', 'event sources', 'subscriptions', 'links'])
    assert.ok(stderr.includes(word), word);
  assert.ok(!stderr.includes(other.GATEHOUSE_SECRET));
  assert.equal((await runCommand(['rotate-signing-key'], env).ended).code, 78);

  assert.equal((await runCommand(['replace-secret'], env).ended).code, 0);
  const again = await runCommand(['replace-secret'], env).ended;
  assert.deepEqual([again.code, again.stdout], [64, '']);
  await using second = await startService(directory.path, { env: other });
  const client = clientOf(second.url);
  assert.equal((await client('/spaces', { as: session })).status, 200, 'user sessions stay valid');
  const rejected = await client('/chat/conversations', { as: widget });
  assert.deepEqual([rejected.status, rejected.json['code']], [401, 'links.session-invalid']);
  const renewed = await exchangeLink(client, link);
  assert.equal((await client('/chat/conversations', { as: renewed })).status, 200);
});

test('a missing secret file of an existing database is reported as missing, and the failed start leaves no directory', {
  skip: SQLITE_ONLY,
}, async () => {
  using directory = temporaryDirectory();
  {
    await using _ = await startService(directory.path);
  }
  const keys = join(directory.path, 'keys');
  const secret = readFileSync(join(keys, 'secret'));
  const env = { GATEHOUSE_DATA_DIR: directory.path, GATEHOUSE_PORT: '0' };
  rmSync(keys, { recursive: true });
  for (const running of [() => runService(env), () => runCommand(['rotate-signing-key'], env)]) {
    const { code, stderr } = await running().ended;
    assert.equal(code, 78, stderr);
    assert.ok(
      stderr.startsWith(`gatehouse: ${join(keys, 'secret')}: is missing; restore it`),
      stderr,
    );
    for (const word of ['backup', 'GATEHOUSE_SECRET', 'replace-secret'])
      assert.ok(stderr.includes(word), word);
    assert.ok(!existsSync(keys));
  }
  mkdirSync(keys, { mode: 0o700 });
  assert.equal((await runService(env).ended).code, 78);
  assert.ok(existsSync(keys), 'a directory of the operator stays');
  writeFileSync(join(keys, 'secret'), secret, { mode: 0o600 });
  await using _ = await startService(directory.path);
});

test('a first start that fails creates no secret', { skip: SQLITE_ONLY }, async (context) => {
  using disk = mountSmallDisk(1);
  if (disk === null) return context.skip('SKIPPED: mounting a file system requires root');
  const dataDir = join(disk.path, 'data');
  const { code, stderr } = await runService({ GATEHOUSE_DATA_DIR: dataDir, GATEHOUSE_PORT: '0' })
    .ended;
  assert.deepEqual([code, stderr.includes('the disk is full')], [75, true], stderr);
  assert.ok(existsSync(join(dataDir, 'gatehouse.db')));
  assert.ok(!existsSync(join(dataDir, 'keys')));
});

test('after a lost secret, signatures of an event source are rejected and logged until the source has a new secret', async () => {
  using directory = temporaryDirectory();
  await using first = await startService(directory.path, { env: newSecret() });
  const before = clientOf(first.url);
  const session = await signIn(before);
  const { id: spaceId } = await makeSpace(before, session);
  const key = await makeKey(before, session, spaceId, ['events:write']);
  const { id, secret } = await registerSource(before, session, spaceId, { source: SOURCE });
  const body = JSON.stringify({ events: [makeEvent({ source: SOURCE })] });
  await ingest(before, { body, headers: webhookHeaders(body, secret) });
  await first.stop();
  const other = await loseSecret(directory.path);

  await using second = await startService(directory.path, { env: other, capture: true });
  const client = clientOf(second.url);
  const again = await signIn(client);
  const rejected = await postEvents(client, { body, headers: webhookHeaders(body, secret) });
  assert.equal(rejected.json['code'], 'events.signature-refused');
  await ingest(client, { as: key, body });
  const path = `/spaces/${spaceId}/event-sources/${id}`;
  assert.equal((await client(path, { as: again })).status, 200);
  const rotated = await client(`${path}/secrets`, { as: again, body: {} });
  const event = signedEvent(makeEvent({ source: SOURCE }), String(rotated.json['secret']));
  await ingest(client, { body: { events: [event] } });
  await second.stop();
  const line = second
    .output()
    .stdout.split('\n')
    .find((text) => text.includes('cannot be decrypted'));
  assert.equal((JSON.parse(line ?? '{}') as { sourceId?: string }).sourceId, id);
});

test('after a lost secret, a subscription is held and logged until the subscription has a new secret', async () => {
  using directory = temporaryDirectory();
  await using receiver = await startReceiver();
  await using first = await startService(directory.path, {
    env: { ...ALLOW_RECEIVERS, ...newSecret() },
  });
  const before = clientOf(first.url);
  const { id: spaceId } = await makeSpace(before, await signIn(before));
  const { subscribe } = subscribingIn(before, await signIn(before), spaceId);
  const { id } = await subscribe({ url: receiver.url });
  await first.stop();
  const other = await loseSecret(directory.path);

  await using second = await startService(directory.path, {
    env: { ...ALLOW_RECEIVERS, ...other },
    capture: true,
  });
  const client = clientOf(second.url);
  const session = await signIn(client);
  const { show, ask } = subscribingIn(client, session, spaceId);
  const key = await makeKey(client, session, spaceId);
  await ingest(client, { as: key, body: { events: [makeEvent()] } });
  assert.match(String((await show(id)).held), /cannot be decrypted/);
  const tested = await ask('POST', `/${id}/test`);
  assert.deepEqual([tested.json['delivered'], tested.json['status']], [false, null]);
  assert.equal(receiver.received.length, 0);
  const { json } = await ask('POST', `/${id}/secrets`, { keepOldSeconds: 60 });
  await until('the event was delivered', () => receiver.taken().length === 1);
  const [one] = receiver.received;
  assert.ok(one);
  verify(one, String(json['secret']));
  assert.equal((await show(id)).held, null);
  await second.stop();
  const lines = second.output().stdout.split('\n');
  assert.ok(lines.some((line) => line.includes('cannot be decrypted') && line.includes(id)));
});
