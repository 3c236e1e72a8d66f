import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Scope } from '@gatehouse/contract';
import { ingest, makeEvent } from '../support/events/events.ts';
import { registerSource, signedEvent, webhookHeaders } from '../support/events/signing.ts';
import { documentEvent, untilHandled } from '../support/knowledge/document-events.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { client } = await serviceOfThisFile();
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const source = 'https://wiki.example';
const good = (subject: string) =>
  documentEvent({ subject, source, data: { fileName: 'a.txt', text: 'x' } });
const keyWith = (...scopes: Scope[]) => makeKey(client, session, spaceId, scopes);

test('a key without knowledge:write may send all events except document events', async () => {
  const key = await keyWith('events:write', 'read');
  const deletion = documentEvent({ subject: 'a' });
  const events = [makeEvent(), good('a'), makeEvent(), deletion];
  const expected = [1, 3].map((index) => ({
    index,
    error: 'type: events of this type change documents; the key needs the scope knowledge:write',
  }));
  const byHeader = await ingest(client, { as: key, body: { events } });
  assert.deepEqual([byHeader.processed, byHeader.errors], [2, expected]);
  const byBody = await ingest(client, { body: { events, auth: { apiKey: key } } });
  assert.deepEqual([byBody.processed, byBody.errors], [2, expected]);
  const byEvent = await ingest(client, {
    body: { events: events.map((event) => ({ ...event, auth: { apiKey: key } })) },
  });
  assert.deepEqual([byEvent.processed, byEvent.errors], [2, expected]);
  const shown = await client(`/spaces/${spaceId}/document-events`, { as: key });
  assert.deepEqual(shown.json['items'], []);
});

test('a key with events:write and knowledge:write, or an editor of the space, may send document events', async () => {
  const key = await keyWith('events:write', 'knowledge:write');
  assert.equal((await ingest(client, { as: key, body: { events: [good('by key')] } })).failed, 0);
  const body = { events: [good('by session')] };
  assert.equal((await ingest(client, { as: session, body }, `?spaceId=${spaceId}`)).failed, 0);
  for (const subject of ['by key', 'by session'])
    assert.equal((await untilHandled(client, session, spaceId, subject)).state, 'applied');
});

test('a signed event can change documents if its event source is allowed to change knowledge', async () => {
  const { id, secret } = await registerSource(client, session, spaceId, { source });
  const sendWhole = async (subject: string) => {
    const body = JSON.stringify({ events: [good(subject)] });
    return ingest(client, { body, headers: webhookHeaders(body, secret) });
  };
  const sendEach = async (subject: string) =>
    ingest(client, { body: { events: [signedEvent(good(subject), secret)] } });
  const rejected = [
    {
      index: 0,
      error:
        'type: events of this type change documents; the event source needs feedsKnowledge: true',
    },
  ];
  assert.deepEqual((await sendWhole('whole')).errors, rejected);
  assert.deepEqual((await sendEach('each')).errors, rejected);
  const path = `/spaces/${spaceId}/event-sources/${id}`;
  const change = { method: 'PATCH', as: session, body: { feedsKnowledge: true } };
  assert.equal((await client(path, change)).json['feedsKnowledge'], true);
  assert.equal((await sendWhole('whole')).failed, 0);
  assert.equal((await sendEach('each')).failed, 0);
  for (const subject of ['whole', 'each'])
    assert.equal((await untilHandled(client, session, spaceId, subject)).state, 'applied');
});

test('a document event is rejected if its subject is missing or too long', async () => {
  const key = await keyWith('events:write', 'knowledge:write');
  const { subject: _, ...without } = good('x');
  const events = [without, good('x'.repeat(1001)), good('x'.repeat(1000)), makeEvent()];
  const { errors } = await ingest(client, { as: key, body: { events } });
  assert.deepEqual(errors, [
    {
      index: 0,
      error: 'subject: is required with this type because it identifies the document',
    },
    { index: 1, error: 'subject: must have at most 1000 characters with this type' },
  ]);
});
