import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Document } from '@gatehouse/contract';
import {
  type DocumentNews,
  documentEvent,
  documentEvents,
  sendDocumentEvents,
  whenLookedAt,
} from './support/document-events.ts';
import { ingest } from './support/events.ts';
import { serviceOfThisFile } from './support/file-service.ts';
import { untilRead } from './support/knowledge.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from './support/provision.ts';

const { client } = await serviceOfThisFile();
const session = await signIn(client);

/** A space of its own, and another system that tells it of its documents. */
async function newSpace() {
  const { id: spaceId } = await makeSpace(client, session);
  const path = `/spaces/${spaceId}/documents`;
  /** Sends news and waits until the last of each subject was looked at and read. */
  const tell = async (...news: DocumentNews[]) => {
    const ids = await sendDocumentEvents(client, session, spaceId, news);
    const last = new Map(news.map(({ subject }, index) => [subject, ids[index]]));
    const looked = [];
    for (const [subject, id] of last)
      looked.push(await whenLookedAt(client, session, spaceId, subject, id));
    await untilRead(client, session, spaceId);
    return looked;
  };
  const documents = async () =>
    (await client(`${path}?limit=200`, { as: session })).json['items'] as Document[];
  const found = async (query: string, as = session) => {
    const answer = await client(`/spaces/${spaceId}/search`, { as, body: { query } });
    assert.equal(answer.status, 200, answer.text);
    return (answer.json['items'] as { text: string }[]).map(({ text }) => text);
  };
  return { spaceId, path, tell, documents, found };
}

const failures = (spaceId: string) => documentEvents(client, session, spaceId, '&state=failed');

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

test('an event that cannot be applied is shown with every reason, changes nothing, and stops no other', async () => {
  const { spaceId, tell, documents } = await newSpace();
  const good = { fileName: 'good.txt', text: 'Good.' };
  await tell({ subject: 'kept', data: good });
  const bad: readonly (readonly [string, unknown, RegExp])[] = [
    ['no data', null, /^data: must be an object$/],
    ['no name', { text: 'x' }, /^data\.fileName: is required$/],
    ['nothing', { fileName: 'a' }, /^data\.text: exactly one of/],
    ['two', { fileName: 'a', text: 'x', html: 'y' }, /^data\.text: exactly one of/],
    ['misspelt', { ...good, metdata: {} }, /^data\.metdata: unknown member; did you mean metadata/],
    ['reserved', { ...good, metadata: { search: 1 } }, /^data\.metadata\.search: is a name/],
    ['base64', { fileName: 'a.txt', contentBase64: 'x' }, /^data\.contentBase64: must be base64/],
    [
      'no pdf',
      { fileName: 'a.pdf', contentBase64: 'eHg=' },
      /^data\.contentBase64: the file ends in \.pdf, but/,
    ],
    ['path', { fileName: '../a', text: 'x' }, /^data\.fileName: must be a name without a path$/],
    ['a type', { ...good, mimeType: 'text/html' }, /^data\.mimeType: must be text\/plain/],
  ];
  await tell(
    ...bad.map(([subject, data]) => ({ subject, data })),
    { subject: 'kept', data: { fileName: 'kept.txt' } },
    { subject: 'other', data: good },
  );
  const failed = new Map((await failures(spaceId)).map((event) => [event.subject, event]));
  for (const [subject, , reason] of bad) {
    const { failure, type, documentId } = failed.get(subject) ?? {};
    assert.equal(failure?.code, 'knowledge.invalid', subject);
    assert.match(failure?.issues?.[0]?.message ?? '', reason);
    assert.match(failure?.message ?? '', /^The event has a problem: data.*\.$/);
    assert.deepEqual([type, documentId], ['gatehouse.document.upserted', null]);
  }
  const unknown = { fileName: 'a.xyz', contentBase64: 'eHg=', mimeType: 'application/x' };
  const [{ failure } = { failure: null }] = await tell({ subject: 'unknown', data: unknown });
  assert.equal(failure?.code, 'knowledge.format-unknown');
  assert.equal(failed.size, bad.length + 1);
  assert.ok(failed.get('kept')?.documentId);
  assert.deepEqual(
    (await documents()).map(({ fileName }) => fileName),
    ['good.txt', 'good.txt'],
  );
});

test('a name that is given twice in data fails, since one of the two would be lost', async () => {
  const { spaceId } = await newSpace();
  const event = JSON.stringify(documentEvent({ subject: 'twice', data: 0 })).replace(
    '"data":0',
    '"data":{"fileName":"a","text":"x","metadata":{"team":"a","team":"b"}}',
  );
  const body = `{"events":[${event}]}`;
  assert.equal((await ingest(client, { as: session, body }, `?spaceId=${spaceId}`)).failed, 0);
  const { failure } = await whenLookedAt(client, session, spaceId, 'twice');
  assert.deepEqual(failure?.issues, [{ message: 'data.metadata.team: is given twice' }]);
});

test('a failure is superseded by the next good event of its subject', async () => {
  const { spaceId, tell, documents } = await newSpace();
  const [failed] = await tell({ subject: 'a', data: {} });
  assert.equal(failed?.state, 'failed');
  const [mended] = await tell({ subject: 'a', data: { fileName: 'a.txt', text: 'Mended.' } });
  assert.deepEqual([mended?.id, mended?.state, mended?.failure], [failed?.id, 'applied', null]);
  assert.deepEqual(await failures(spaceId), []);
  assert.equal((await documents()).length, 1);
  const retry = `/spaces/${spaceId}/document-events/${mended?.id}/retry`;
  const again = await client(retry, { as: session, method: 'POST' });
  assert.deepEqual([again.status, again.json], [200, mended], 'nothing is left to try');
});

test('failed events are tried again when what kept them is gone, one or all', async () => {
  const { spaceId, tell, documents } = await newSpace();
  const documentId = randomUUID();
  const data = { documentId, fileName: 'a.txt', text: 'Whose?' };
  const text = (name: string) => ({ ...data, fileName: `${name}.txt` });
  await tell({ subject: 'first', data });
  await tell({ subject: 'second', data: text('second') });
  await tell({ subject: 'third', data: text('third') });
  const events = `/spaces/${spaceId}/document-events`;
  const [second, third] = await failures(spaceId);
  assert.equal(second?.failure?.code, 'knowledge.other-subject');
  const retried = await client(`${events}/${second?.id}/retry`, { as: session, method: 'POST' });
  assert.deepEqual(
    [retried.status, retried.json['state'], retried.json['eventId']],
    [200, 'failed', second?.eventId],
  );
  await tell({ subject: 'first' });
  const good = await client(`${events}/${second?.id}/retry`, { as: session, method: 'POST' });
  assert.deepEqual([good.json['state'], good.json['documentId']], ['applied', documentId]);
  const all = await client(`${events}/retry`, { as: session, method: 'POST' });
  assert.deepEqual(all.json, { applied: 0, failed: 1, next: null });
  await tell({ subject: 'second' });
  const rest = await client(`${events}/retry?limit=1`, { as: session, method: 'POST' });
  assert.deepEqual(rest.json, { applied: 1, failed: 0, next: null });
  assert.deepEqual(
    (await documents()).map(({ id, fileName }) => [id, fileName]),
    [[documentId, 'third.txt']],
  );
  const shown = await client(`${events}/${third?.id}`, { as: session });
  assert.deepEqual([shown.json['state'], shown.json['failure']], ['applied', null]);
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
