import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientOf } from './support/client.ts';
import { ingest, makeEvent, postEvents } from './support/events.ts';
import { makeKey, makeSpace, signIn } from './support/provision.ts';
import { ALLOW_RECEIVERS, startReceiver, verify } from './support/receiver.ts';
import { startService, temporaryDirectory } from './support/service.ts';
import { registerSource, signedEvent, webhookHeaders } from './support/signing.ts';
import { subscribingIn } from './support/subscribing.ts';
import { until } from './support/until.ts';

const SOURCE = 'urn:shop';

test('with another keys/secret the signatures of a source are refused, which the log says, until it has a new secret', async () => {
  using directory = temporaryDirectory();
  await using first = await startService(directory.path);
  const before = clientOf(first.url);
  const session = await signIn(before);
  const { id: spaceId } = await makeSpace(before, session);
  const key = await makeKey(before, session, spaceId, ['events:write']);
  const { id, secret } = await registerSource(before, session, spaceId, { source: SOURCE });
  const body = JSON.stringify({ events: [makeEvent({ source: SOURCE })] });
  await ingest(before, { body, headers: webhookHeaders(body, secret) });
  await first.stop();
  writeFileSync(join(directory.path, 'keys/secret'), `${randomBytes(32).toString('base64url')}\n`);

  await using second = await startService(directory.path, { capture: true });
  const client = clientOf(second.url);
  const again = await signIn(client);
  const refused = await postEvents(client, { body, headers: webhookHeaders(body, secret) });
  assert.equal(refused.json['code'], 'events.signature-refused');
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

test('with another keys/secret a subscription is held, which it and the log say, until it has a new secret', async () => {
  using directory = temporaryDirectory();
  await using receiver = await startReceiver();
  await using first = await startService(directory.path, { env: ALLOW_RECEIVERS });
  const before = clientOf(first.url);
  const { id: spaceId } = await makeSpace(before, await signIn(before));
  const { subscribe } = subscribingIn(before, await signIn(before), spaceId);
  const { id } = await subscribe({ url: receiver.url });
  await first.stop();
  writeFileSync(join(directory.path, 'keys/secret'), `${randomBytes(32).toString('base64url')}\n`);

  await using second = await startService(directory.path, { env: ALLOW_RECEIVERS, capture: true });
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
  await until('it came', () => receiver.taken().length === 1);
  const [one] = receiver.received;
  assert.ok(one);
  verify(one, String(json['secret']));
  assert.equal((await show(id)).held, null);
  await second.stop();
  const lines = second.output().stdout.split('\n');
  assert.ok(lines.some((line) => line.includes('cannot be decrypted') && line.includes(id)));
});
