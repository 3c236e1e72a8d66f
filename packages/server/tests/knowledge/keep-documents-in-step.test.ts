import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Document } from '@gatehouse/contract';
import {
  documentEvent,
  documentEvents,
  sendDocumentEvents,
  whenLookedAt,
} from '../support/document-events.ts';
import { ingest } from '../support/events.ts';
import { serviceOfThisFile } from '../support/file-service.ts';
import { untilRead } from '../support/knowledge.ts';
import { exchangeLink, makeKey, makeLink, signIn } from '../support/provision.ts';
import { newSpaceInStep } from '../support/space-in-step.ts';

const { client } = await serviceOfThisFile();
const session = await signIn(client);
const newSpace = () => newSpaceInStep(client, session);

test('a document comes, changes and goes as another system says', async () => {
  const { tell, documents, found } = await newSpace();
  const metadata = { team: 'support' };
  const said = { fileName: 'returns.md', markdown: '# Returns\n\nWithin 30 days.', metadata };
  const [event] = await tell({ subject: 'wiki/1', data: said });
  const [made] = await documents();
  assert.ok(made);
  assert.deepEqual([event?.state, event?.failure, event?.documentId], ['applied', null, made.id]);
  assert.deepEqual(
    [made.fileName, made.mimeType, made.title, made.state, made.metadata],
    ['returns.md', 'text/markdown', 'Returns', 'ready', metadata],
  );
  assert.deepEqual(await found('returns within'), ['Within 30 days.']);

  await tell({ subject: 'wiki/1', data: { fileName: 'refunds.txt', text: 'After 60 days.' } });
  const [changed, ...others] = await documents();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [changed?.id, changed?.fileName, changed?.mimeType, changed?.metadata, changed?.createdAt],
    [made.id, 'refunds.txt', 'text/plain', {}, made.createdAt],
  );
  assert.deepEqual(await found('within returns'), []);
  assert.deepEqual(await found('days'), ['After 60 days.']);

  const [gone] = await tell({ subject: 'wiki/1' });
  assert.deepEqual([gone?.state, gone?.documentId], ['applied', null]);
  assert.deepEqual(await documents(), []);
  assert.deepEqual(await found('days'), []);

  await tell({ subject: 'wiki/1', data: said });
  const [again] = await documents();
  assert.notEqual(again?.id, made.id, 'it is another document');
});

test('the order of acceptance counts for each subject, and what comes again changes nothing', async () => {
  const { spaceId, tell, documents } = await newSpace();
  const say = (subject: string, version: number, id = `${subject}-${version}`) => ({
    subject,
    id,
    data: { fileName: `${subject}.txt`, text: `Version ${version} of ${subject}.` },
  });
  const news = [
    say('a', 1),
    say('b', 1),
    say('a', 2),
    { subject: 'c', id: 'c-0' },
    say('b', 2),
    say('c', 1),
    say('a', 3),
    { subject: 'b', id: 'b-3' },
  ];
  await tell(...news);
  // The same events, late and in another order.
  await sendDocumentEvents(client, session, spaceId, news.toReversed());
  await tell(say('d', 1));
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

test('two subjects with the same file are two documents, and neither is one that was uploaded', async () => {
  const { path, tell, documents, found } = await newSpace();
  const file = { fileName: 'readme.txt', text: 'The same quokka.' };
  await tell(
    { subject: 'one', data: { ...file, metadata: { team: 'a' } } },
    { subject: 'two', data: { ...file, metadata: { team: 'b' } } },
  );
  const uploaded = await client(path, { as: session, body: { ...file, metadata: { team: 'c' } } });
  assert.equal(uploaded.status, 201, uploaded.text);
  const teams = (await documents()).map(({ metadata }) => metadata['team']);
  assert.deepEqual(teams.sort(), ['a', 'b', 'c']);
  await tell({ subject: 'one' });
  assert.equal((await found('quokka')).length, 2);
});

test('text, HTML, Markdown and files are taken from every door and in either form of data', async () => {
  const { spaceId, tell, documents } = await newSpace();
  const contentBase64 = Buffer.from('name,price\nquokka,3\n').toString('base64');
  await tell(
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
    const { state, failure } = await whenLookedAt(client, session, spaceId, subject);
    assert.deepEqual([state, failure], ['applied', null]);
  }
  await untilRead(client, session, spaceId);
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

test('changed metadata governs the very next search of a link, with the old text or a new one', async () => {
  const { spaceId, tell, found } = await newSpace();
  const permissionFilter = { level: { eq: 'open' } };
  const link = await makeLink(client, session, { spaceId, permissionFilter });
  const as = await exchangeLink(client, link.token);
  const say = (text: string, level: string) => ({
    subject: 'plan',
    data: { fileName: 'plan.txt', text, metadata: { level } },
  });
  await tell(say('The zebra plan.', 'open'));
  assert.equal((await found('zebra', as)).length, 1);
  await tell(say('The zebra plan.', 'closed'));
  assert.deepEqual(await found('zebra', as), []);
  assert.equal((await found('zebra')).length, 1);
  await tell(say('The okapi plan.', 'open'));
  assert.deepEqual(await found('zebra', as), []);
  assert.equal((await found('okapi', as)).length, 1);
  const [{ eventId } = { eventId: '' }] = [
    {
      eventId:
        (
          await sendDocumentEvents(client, session, spaceId, [say('The tapir plan.', 'closed')])
        )[0] ?? '',
    },
  ];
  await whenLookedAt(client, session, spaceId, 'plan', eventId);
  assert.deepEqual(await found('okapi', as), [], 'before the new text is read');
  await untilRead(client, session, spaceId);
  assert.deepEqual(await found('tapir', as), []);
  assert.equal((await found('tapir')).length, 1);
});

test('an uploaded document is taken over by its id, and keeps it', async () => {
  const { path, tell, documents, found } = await newSpace();
  const body = { fileName: 'up.txt', text: 'The uploaded lynx.', metadata: { team: 'a' } };
  const uploaded = await client(path, { as: session, body });
  const documentId = String(uploaded.json['id']).toUpperCase();
  await tell({ subject: 'x', data: { documentId, fileName: 'ev.txt', text: 'The known lynx.' } });
  const [{ id, fileName, metadata } = {} as Partial<Document>, ...others] = await documents();
  assert.deepEqual([id, fileName, metadata, others], [uploaded.json['id'], 'ev.txt', {}, []]);
  assert.deepEqual(await found('lynx'), ['The known lynx.']);
  await tell({ subject: 'x' });
  assert.deepEqual(await documents(), []);
});

test('what somebody changes by hand holds until the next event, and what they delete comes back with it', async () => {
  const { path, tell, documents, found } = await newSpace();
  const data = { fileName: 'a.txt', text: 'The tapir.', metadata: { team: 'a' } };
  await tell({ subject: 'a', data });
  const [made] = await documents();
  const change = { method: 'PATCH', as: session, body: { metadata: { team: 'b' } } };
  assert.equal((await client(`${path}/${made?.id}`, change)).status, 200);
  await tell({ subject: 'a', data });
  assert.deepEqual((await documents())[0]?.metadata, { team: 'a' });
  await client(`${path}/${made?.id}`, { method: 'DELETE', as: session });
  assert.deepEqual(await found('tapir'), []);
  const [{ documentId } = {} as { documentId?: unknown }] = await tell({ subject: 'b' });
  assert.equal(documentId, null);
  await tell({ subject: 'a', data });
  const [again, ...others] = await documents();
  assert.deepEqual(others, []);
  assert.notEqual(again?.id, made?.id);
  assert.deepEqual(await found('tapir'), ['The tapir.']);
});

test('many subjects come and change at once, and each ends as it was said last', async () => {
  const { spaceId, documents } = await newSpace();
  const key = await makeKey(client, session, spaceId, ['events:write', 'knowledge:write', 'read']);
  const SUBJECTS = 150;
  for (const version of [1, 2]) {
    const news = Array.from({ length: SUBJECTS }, (_, index) => ({
      subject: `s${index}`,
      data: {
        fileName: `s${index}.txt`,
        text: `Version ${version}.`,
        metadata: { version, half: index % 2 },
      },
    }));
    for (let at = 0; at < SUBJECTS; at += 50)
      await sendDocumentEvents(client, key, spaceId, news.slice(at, at + 50));
  }
  const last = await sendDocumentEvents(client, key, spaceId, [{ subject: 's0' }]);
  await whenLookedAt(client, key, spaceId, 's0', last[0]);
  await untilRead(client, session, spaceId);
  const all = await documents();
  assert.equal(all.length, SUBJECTS - 1);
  assert.ok(all.every(({ metadata, bytes }) => metadata['version'] === 2 && bytes === 10));
  const events = await documentEvents(client, key, spaceId);
  assert.equal(events.length, SUBJECTS);
  assert.ok(events.every(({ state }) => state === 'applied'));
});

test('the metrics count what became of events', async () => {
  const { tell } = await newSpace();
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
  await tell({ subject: 'a', data: { fileName: 'a', text: 'x' } }, { subject: 'b', data: {} });
  const now = await read();
  assert.deepEqual(now, { applied: before.applied + 1, failed: before.failed + 1 });
});
