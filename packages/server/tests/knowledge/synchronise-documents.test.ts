import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Document } from '@gatehouse/contract';
import { ingest } from '../support/events/events.ts';
import { incompressible } from '../support/incompressible.ts';
import {
  documentEvent,
  documentEvents,
  sendDocumentEvents,
  untilHandled,
} from '../support/knowledge/document-events.ts';
import { untilIndexed } from '../support/knowledge/knowledge.ts';
import { newSynchronisedSpace } from '../support/knowledge/synchronised-space.ts';
import { exchangeLink, makeKey, makeLink, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { client } = await serviceOfThisFile();
const session = await signIn(client);
const newSpace = () => newSynchronisedSpace(client, session);

test('events from another system create, change and delete a document', async () => {
  const { sendChanges, documents, found } = await newSpace();
  const metadata = { team: 'support' };
  const data = { fileName: 'returns.md', markdown: '# Returns\n\nWithin 30 days.', metadata };
  const [event] = await sendChanges({ subject: 'wiki/1', data });
  const [made] = await documents();
  assert.ok(made);
  assert.deepEqual([event?.state, event?.failure, event?.documentId], ['applied', null, made.id]);
  assert.deepEqual(
    [made.fileName, made.mimeType, made.title, made.state, made.metadata],
    ['returns.md', 'text/markdown', 'Returns', 'ready', metadata],
  );
  assert.deepEqual(await found('returns within'), ['Within 30 days.']);

  await sendChanges({
    subject: 'wiki/1',
    data: { fileName: 'refunds.txt', text: 'After 60 days.' },
  });
  const [changed, ...others] = await documents();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [changed?.id, changed?.fileName, changed?.mimeType, changed?.metadata, changed?.createdAt],
    [made.id, 'refunds.txt', 'text/plain', {}, made.createdAt],
  );
  assert.deepEqual(await found('within returns'), []);
  assert.deepEqual(await found('days'), ['After 60 days.']);

  const [gone] = await sendChanges({ subject: 'wiki/1' });
  assert.deepEqual([gone?.state, gone?.documentId], ['applied', null]);
  assert.deepEqual(await documents(), []);
  assert.deepEqual(await found('days'), []);

  await sendChanges({ subject: 'wiki/1', data });
  const [recreated] = await documents();
  assert.notEqual(recreated?.id, made.id, 'a new document');
});

test('document events of a subject are applied in order of acceptance, and redelivered events have no effect', async () => {
  const { spaceId, sendChanges, documents } = await newSpace();
  const versionOf = (subject: string, version: number, id = `${subject}-${version}`) => ({
    subject,
    id,
    data: { fileName: `${subject}.txt`, text: `Version ${version} of ${subject}.` },
  });
  const events = [
    versionOf('a', 1),
    versionOf('b', 1),
    versionOf('a', 2),
    { subject: 'c', id: 'c-0' },
    versionOf('b', 2),
    versionOf('c', 1),
    versionOf('a', 3),
    { subject: 'b', id: 'b-3' },
  ];
  await sendChanges(...events);
  await sendDocumentEvents(client, session, spaceId, events.toReversed());
  await sendChanges(versionOf('d', 1));
  const texts = new Map<string, string>();
  for (const { id, fileName } of await documents())
    texts.set(
      fileName,
      (await client(`/spaces/${spaceId}/documents/${id}/content`, { as: session })).text,
    );
  assert.deepEqual(
    texts,
    new Map([
      ['a.txt', 'Version 3 of a.'],
      ['c.txt', 'Version 1 of c.'],
      ['d.txt', 'Version 1 of d.'],
    ]),
  );
});

test('two subjects and an upload with the same file content create three documents', async () => {
  const { path, sendChanges, documents, found } = await newSpace();
  const file = { fileName: 'readme.txt', text: 'The same quokka.' };
  await sendChanges(
    { subject: 'one', data: { ...file, metadata: { team: 'a' } } },
    { subject: 'two', data: { ...file, metadata: { team: 'b' } } },
  );
  const uploaded = await client(path, { as: session, body: { ...file, metadata: { team: 'c' } } });
  assert.equal(uploaded.status, 201, uploaded.text);
  const teams = (await documents()).map(({ metadata }) => metadata['team']);
  assert.deepEqual(teams.sort(), ['a', 'b', 'c']);
  await sendChanges({ subject: 'one' });
  assert.equal((await found('quokka')).length, 2);
});

test('document events can contain text, HTML, Markdown and files in every event format', async () => {
  const { spaceId, sendChanges, documents } = await newSpace();
  const contentBase64 = Buffer.from('name,price\nquokka,3\n').toString('base64');
  await sendChanges(
    { subject: 'text', data: { fileName: 'a', text: 'Text.' } },
    { subject: 'html', data: { fileName: 'b', html: '<p>HTML.</p>' } },
    { subject: 'markdown', data: { fileName: 'c', markdown: '*Markdown.*', language: 'de' } },
    { subject: 'file', data: { fileName: 'd.csv', contentBase64, mimeType: 'text/csv' } },
    { subject: 'file/2', data: { fileName: 'e', contentBase64, mimeType: 'text/csv' } },
  );
  const encoded = Buffer.from(JSON.stringify({ fileName: 'f', text: 'Encoded.' }));
  const { data: _, ...event } = documentEvent({ subject: 'encoded', data: 0 });
  await ingest(
    client,
    {
      as: session,
      headers: { 'content-type': 'application/cloudevents+json' },
      body: JSON.stringify({ ...event, data_base64: encoded.toString('base64') }),
    },
    `?spaceId=${spaceId}`,
  );
  const { id, source, type, specversion } = documentEvent({ subject: 'binary', data: 0 });
  await ingest(
    client,
    {
      as: session,
      headers: {
        'ce-id': String(id),
        'ce-source': String(source),
        'ce-type': String(type),
        'ce-specversion': String(specversion),
        'ce-subject': 'binary',
      },
      body: { fileName: 'g', text: 'Binary.' },
    },
    `?spaceId=${spaceId}`,
  );
  for (const subject of ['encoded', 'binary']) {
    const { state, failure } = await untilHandled(client, session, spaceId, subject);
    assert.deepEqual([state, failure], ['applied', null]);
  }
  await untilIndexed(client, session, spaceId);
  const kinds = (await documents()).map(({ fileName, mimeType, state, language }) =>
    [fileName, mimeType, state, language].join(' '),
  );
  assert.deepEqual(kinds.sort(), [
    'a text/plain ready ',
    'b text/html ready ',
    'c text/markdown ready de',
    'd.csv text/csv ready ',
    'e text/csv ready ',
    'f text/plain ready ',
    'g text/plain ready ',
  ]);
});

test('permission filters immediately use metadata from a document event, whether or not the text changes', async () => {
  const { spaceId, sendChanges, found } = await newSpace();
  const permissionFilter = { level: { eq: 'open' } };
  const link = await makeLink(client, session, { spaceId, permissionFilter });
  const as = await exchangeLink(client, link.token);
  const planOf = (text: string, level: string) => ({
    subject: 'plan',
    data: { fileName: 'plan.txt', text, metadata: { level } },
  });
  await sendChanges(planOf('The zebra plan.', 'open'));
  assert.equal((await found('zebra', as)).length, 1);
  await sendChanges(planOf('The zebra plan.', 'closed'));
  assert.deepEqual(await found('zebra', as), []);
  assert.equal((await found('zebra')).length, 1);
  await sendChanges(planOf('The okapi plan.', 'open'));
  assert.deepEqual(await found('zebra', as), []);
  assert.equal((await found('okapi', as)).length, 1);
  const closed = planOf('The tapir plan.', 'closed');
  const [eventId = ''] = await sendDocumentEvents(client, session, spaceId, [closed]);
  await untilHandled(client, session, spaceId, 'plan', eventId);
  assert.deepEqual(await found('okapi', as), [], 'before the new text is indexed');
  await untilIndexed(client, session, spaceId);
  assert.deepEqual(await found('tapir', as), []);
  assert.equal((await found('tapir')).length, 1);
});

test('a document event with the ID of an uploaded document takes over that document', async () => {
  const { path, sendChanges, documents, found } = await newSpace();
  const body = { fileName: 'up.txt', text: 'The uploaded lynx.', metadata: { team: 'a' } };
  const uploaded = await client(path, { as: session, body });
  const documentId = String(uploaded.json['id']).toUpperCase();
  await sendChanges({
    subject: 'x',
    data: { documentId, fileName: 'ev.txt', text: 'The known lynx.' },
  });
  const [{ id, fileName, metadata } = {} as Partial<Document>, ...others] = await documents();
  assert.deepEqual([id, fileName, metadata, others], [uploaded.json['id'], 'ev.txt', {}, []]);
  assert.deepEqual(await found('lynx'), ['The known lynx.']);
  await sendChanges({ subject: 'x' });
  assert.deepEqual(await documents(), []);
});

test('a subject may have 2,400 bytes, and an event with a longer subject is rejected', async () => {
  const { spaceId, sendChanges, found } = await newSpace();
  const subject = incompressible(800);
  const data = { fileName: 'a.txt', text: 'The longest subject.' };
  const [applied] = await sendChanges({ subject, data });
  assert.equal(applied?.state, 'applied');
  assert.equal((await found('longest subject')).length, 1);
  const body = { events: [documentEvent({ subject: `${subject}a`, data })] };
  const { errors } = await ingest(client, { as: session, body }, `?spaceId=${spaceId}`);
  assert.deepEqual(errors, [
    { index: 0, error: 'subject: must have at most 2400 bytes in UTF-8 with this type' },
  ]);
  await sendChanges({ subject });
  assert.deepEqual(await found('longest subject'), []);
});

test('the next event overwrites manual changes and recreates a deleted document', async () => {
  const { path, sendChanges, documents, found } = await newSpace();
  const data = { fileName: 'a.txt', text: 'The tapir.', metadata: { team: 'a' } };
  await sendChanges({ subject: 'a', data });
  const [made] = await documents();
  const change = { method: 'PATCH', as: session, body: { metadata: { team: 'b' } } };
  assert.equal((await client(`${path}/${made?.id}`, change)).status, 200);
  await sendChanges({ subject: 'a', data });
  assert.deepEqual((await documents())[0]?.metadata, { team: 'a' });
  await client(`${path}/${made?.id}`, { method: 'DELETE', as: session });
  assert.deepEqual(await found('tapir'), []);
  const [{ documentId } = {} as { documentId?: unknown }] = await sendChanges({ subject: 'b' });
  assert.equal(documentId, null);
  await sendChanges({ subject: 'a', data });
  const [recreated, ...others] = await documents();
  assert.deepEqual(others, []);
  assert.notEqual(recreated?.id, made?.id);
  assert.deepEqual(await found('tapir'), ['The tapir.']);
});

test('after concurrent changes of many subjects, each document matches the last event of its subject', async () => {
  const { spaceId, documents } = await newSpace();
  const key = await makeKey(client, session, spaceId, ['events:write', 'knowledge:write', 'read']);
  const SUBJECTS = 150;
  for (const version of [1, 2]) {
    const events = Array.from({ length: SUBJECTS }, (_, index) => ({
      subject: `s${index}`,
      data: {
        fileName: `s${index}.txt`,
        text: `Version ${version}.`,
        metadata: { version, half: index % 2 },
      },
    }));
    for (let at = 0; at < SUBJECTS; at += 50)
      await sendDocumentEvents(client, key, spaceId, events.slice(at, at + 50));
  }
  const last = await sendDocumentEvents(client, key, spaceId, [{ subject: 's0' }]);
  await untilHandled(client, key, spaceId, 's0', last[0]);
  await untilIndexed(client, session, spaceId);
  const all = await documents();
  assert.equal(all.length, SUBJECTS - 1);
  assert.ok(all.every(({ metadata, bytes }) => metadata['version'] === 2 && bytes === 10));
  const events = await documentEvents(client, key, spaceId);
  assert.equal(events.length, SUBJECTS);
  assert.ok(events.every(({ state }) => state === 'applied'));
});

test('the metrics count document events by outcome', async () => {
  const { sendChanges } = await newSpace();
  const read = async () => {
    const { text } = await client('/metrics');
    const of = (outcome: string) =>
      Number(
        new RegExp(`^gatehouse_document_events_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(
          text,
        )?.[1] ?? 0,
      );
    return { applied: of('applied'), failed: of('failed') };
  };
  const before = await read();
  await sendChanges(
    { subject: 'a', data: { fileName: 'a', text: 'x' } },
    { subject: 'b', data: {} },
  );
  const now = await read();
  assert.deepEqual(now, { applied: before.applied + 1, failed: before.failed + 1 });
});
