import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { newSecretText } from '../../src/ingest/sources/secret.rules.ts';
import { feedIds, idsOf, ingest, makeEvent, postEvents } from '../support/events/events.ts';
import {
  eventAuth,
  registerSource,
  signedEvent,
  webhookHeaders,
} from '../support/events/signing.ts';
import { makeKey, makeSpace } from '../support/provision.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const { client, session, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());

const REQUIRED = /^auth\.signature: is required by the source of this event/;

async function newSender() {
  const { id: spaceId } = await makeSpace(client, session);
  const source = `urn:strict:${randomUUID()}`;
  const given = { source, signatureRequired: true };
  const { id, secret } = await registerSource(client, session, spaceId, given);
  const key = await makeKey(client, session, spaceId, ['read', 'events:write']);
  return { spaceId, path: `/spaces/${spaceId}/event-sources/${id}`, key, source, secret };
}

test('rejects unsigned events sent with an API key or a session if their source requires a signature', async () => {
  const { source, key, spaceId } = await newSender();
  const free = makeEvent();
  const body = { events: [makeEvent({ source }), free] };
  for (const [send, query] of [
    [{ as: key, body }, ''],
    [{ headers: { 'x-api-key': key }, body }, ''],
    [{ as: session, body }, `?spaceId=${spaceId}`],
    [{ body: { ...body, auth: { apiKey: key } } }, ''],
  ] as const) {
    const { eventIds, errors } = await ingest(client, send, query);
    assert.deepEqual(eventIds, idsOf([free]));
    assert.deepEqual(
      errors?.map(({ index }) => index),
      [0],
    );
    assert.match(errors?.[0]?.error ?? '', REQUIRED);
  }
  assert.deepEqual(await feedIds(client, key), idsOf([free]));
});

test('rejects unsigned events with their own API key if their source requires a signature', async () => {
  const { source, key } = await newSender();
  const keyed = (members = {}) => makeEvent({ auth: { apiKey: key }, ...members });
  const mixed = await ingest(client, { body: { events: [keyed({ source }), keyed()] } });
  assert.match(mixed.errors?.[0]?.error ?? '', REQUIRED);
  const answer = await postEvents(client, { body: { events: [keyed({ source })] } });
  assert.equal(answer.status, 401);
  assert.match(answer.text, /events\[0\]\.auth\.signature: is required/);
});

test('a valid signature in any supported form satisfies the requirement in a request with an API key', async () => {
  const { source, secret, key } = await newSender();
  const own = makeEvent({ source });
  await ingest(client, { as: key, body: { events: [signedEvent(own, secret)] } });
  const beside = makeEvent({ source });
  const auth = { apiKey: key, ...eventAuth(beside, secret) };
  await ingest(client, { body: { auth, events: [beside] } });
  const within = makeEvent({ source });
  const both = { ...within, auth: { apiKey: key, ...eventAuth(within, secret) } };
  await ingest(client, { body: { events: [both] } });
  const whole = makeEvent({ source });
  const body = JSON.stringify({ events: [whole] });
  await ingest(client, { as: key, body, headers: webhookHeaders(body, secret) });
  const bare = makeEvent({ source });
  const alone = JSON.stringify({ events: [bare] });
  await ingest(client, { body: alone, headers: webhookHeaders(alone, secret) });
  assert.deepEqual(await feedIds(client, key), idsOf([own, beside, within, whole, bare]));
});

test('reports why a signature is invalid in a request with an API key', async () => {
  const { source, key } = await newSender();
  const wrong = newSecretText();
  const event = makeEvent({ source });
  const body = JSON.stringify({ events: [event] });
  const headers = webhookHeaders(body, wrong);
  const whole = await ingest(client, { as: key, body, headers });
  assert.match(whole.errors?.[0]?.error ?? '', REQUIRED);
  const own = await ingest(client, { as: key, body: { events: [signedEvent(event, wrong)] } });
  assert.match(own.errors?.[0]?.error ?? '', /^auth\.signature: does not match the event/);
  assert.deepEqual(await feedIds(client, key), []);
});

test('a change of the signature requirement applies to the next request', async () => {
  const { source, key, path } = await newSender();
  const change = (signatureRequired: boolean) =>
    client(path, { method: 'PATCH', as: session, body: { signatureRequired } });
  const failed = async () =>
    (await ingest(client, { as: key, body: { events: [makeEvent({ source })] } })).failed;
  assert.equal(await failed(), 1);
  await change(false);
  assert.equal(await failed(), 0);
  await change(true);
  assert.equal(await failed(), 1);
  await client(path, { method: 'DELETE', as: session });
  assert.equal(await failed(), 0);
});

test('the most specific source decides whether a signature is required', async () => {
  const { spaceId, key } = await newSender();
  const wide = { source: 'urn:wide', match: 'prefix', signatureRequired: true } as const;
  await registerSource(client, session, spaceId, wide);
  await registerSource(client, session, spaceId, { source: 'urn:wide:free' });
  const events = ['urn:wide:other', 'urn:wide:free', 'urn:wide:free:below', 'urn:wider'].map(
    (source) => makeEvent({ source }),
  );
  const { errors } = await ingest(client, { as: key, body: { events } });
  assert.deepEqual(
    errors?.map(({ index }) => index),
    [0, 2],
  );
});
