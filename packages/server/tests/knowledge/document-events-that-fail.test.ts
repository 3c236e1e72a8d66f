import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { DocumentEvent } from '@gatehouse/contract';
import { ingest } from '../support/events/events.ts';
import {
  documentEvent,
  documentEvents,
  untilHandled,
} from '../support/knowledge/document-events.ts';
import { newSynchronisedSpace } from '../support/knowledge/synchronised-space.ts';
import { signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { client } = await serviceOfThisFile();
const session = await signIn(client);
const newSpace = () => newSynchronisedSpace(client, session);
const failures = (spaceId: string) => documentEvents(client, session, spaceId, '&state=failed');

test('an invalid document event is listed with all its problems, has no effect and does not block other events', async () => {
  const { spaceId, sendChanges, documents } = await newSpace();
  const good = { fileName: 'good.txt', text: 'Good.' };
  await sendChanges({ subject: 'kept', data: good });
  const bad: readonly (readonly [string, unknown, RegExp])[] = [
    ['no data', null, /^data: must be an object$/],
    ['no name', { text: 'x' }, /^data\.fileName: is required$/],
    ['nothing', { fileName: 'a' }, /^data\.text: exactly one of/],
    ['two', { fileName: 'a', text: 'x', html: 'y' }, /^data\.text: exactly one of/],
    [
      'misspelt',
      { ...good, metdata: {} },
      /^data\.metdata: unknown member \(did you mean metadata/,
    ],
    [
      'reserved',
      { ...good, metadata: { search: 1 } },
      /^data\.metadata\.search: is a reserved name/,
    ],
    ['base64', { fileName: 'a.txt', contentBase64: 'x' }, /^data\.contentBase64: must be base64/],
    [
      'no pdf',
      { fileName: 'a.pdf', contentBase64: 'eHg=' },
      /^data\.contentBase64: the file has the extension \.pdf, but/,
    ],
    ['path', { fileName: '../a', text: 'x' }, /^data\.fileName: must be a name without a path$/],
    ['a type', { ...good, mimeType: 'text/html' }, /^data\.mimeType: must be text\/plain/],
  ];
  await sendChanges(
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
  const [{ failure } = { failure: null }] = await sendChanges({
    subject: 'unknown',
    data: unknown,
  });
  assert.equal(failure?.code, 'knowledge.format-unknown');
  assert.equal(failed.size, bad.length + 1);
  assert.ok(failed.get('kept')?.documentId);
  assert.deepEqual(
    (await documents()).map(({ fileName }) => fileName),
    ['good.txt', 'good.txt'],
  );
});

test('a document event fails if its data has a duplicate member', async () => {
  const { spaceId } = await newSpace();
  const event = JSON.stringify(documentEvent({ subject: 'twice', data: 0 })).replace(
    '"data":0',
    '"data":{"fileName":"a","text":"x","metadata":{"team":"a","team":"b"}}',
  );
  const body = `{"events":[${event}]}`;
  assert.equal((await ingest(client, { as: session, body }, `?spaceId=${spaceId}`)).failed, 0);
  const { failure } = await untilHandled(client, session, spaceId, 'twice');
  assert.deepEqual(failure?.issues, [{ message: 'data.metadata.team: is given twice' }]);
});

test('the failure of a document event lists all problems of its data', async () => {
  const { sendChanges } = await newSpace();
  const [text] = await sendChanges({
    subject: 'text',
    data: { text: 'x', mimeType: 'text/html', language: 'de_DE', metadata: { search: 1 } },
  });
  assert.deepEqual(messagesOf(text), [
    'data.fileName: is required',
    'data.language: must be a language tag such as de or pt-BR',
    'data.metadata.search: is a reserved name of the filter language; use a different name',
    'data.mimeType: must be text/plain; other types require contentBase64',
  ]);
  const [file] = await sendChanges({
    subject: 'file',
    data: { fileName: 1, contentBase64: 'x', text: 'x', url: 'a' },
  });
  assert.deepEqual(messagesOf(file), [
    'data.fileName: must be a string',
    'data.contentBase64: must not be combined with text, html or markdown',
    'data.contentBase64: must be base64 with padding (RFC 4648)',
    'data.url: must be an absolute URL that starts with https:// or http://',
  ]);
});

function messagesOf(change: DocumentEvent | undefined): string[] | undefined {
  return change?.failure?.issues?.map(({ message }) => message);
}

test('the next valid event of the same subject supersedes a failed event', async () => {
  const { spaceId, sendChanges, documents } = await newSpace();
  const [failed] = await sendChanges({ subject: 'a', data: {} });
  assert.equal(failed?.state, 'failed');
  const [valid] = await sendChanges({ subject: 'a', data: { fileName: 'a.txt', text: 'Valid.' } });
  assert.deepEqual([valid?.id, valid?.state, valid?.failure], [failed?.id, 'applied', null]);
  assert.deepEqual(await failures(spaceId), []);
  assert.equal((await documents()).length, 1);
  const retry = `/spaces/${spaceId}/document-events/${valid?.id}/retry`;
  const retried = await client(retry, { as: session, method: 'POST' });
  assert.deepEqual([retried.status, retried.json], [200, valid], 'there is nothing to retry');
});

test('a single failed event or all failed events can be retried after the cause is fixed', async () => {
  const { spaceId, sendChanges, documents } = await newSpace();
  const documentId = randomUUID();
  const data = { documentId, fileName: 'a.txt', text: 'Whose?' };
  const text = (name: string) => ({ ...data, fileName: `${name}.txt` });
  await sendChanges({ subject: 'first', data });
  await sendChanges({ subject: 'second', data: text('second') });
  await sendChanges({ subject: 'third', data: text('third') });
  const events = `/spaces/${spaceId}/document-events`;
  const [second, third] = await failures(spaceId);
  assert.equal(second?.failure?.code, 'knowledge.other-subject');
  const retried = await client(`${events}/${second?.id}/retry`, { as: session, method: 'POST' });
  assert.deepEqual(
    [retried.status, retried.json['state'], retried.json['eventId']],
    [200, 'failed', second?.eventId],
  );
  await sendChanges({ subject: 'first' });
  const good = await client(`${events}/${second?.id}/retry`, { as: session, method: 'POST' });
  assert.deepEqual([good.json['state'], good.json['documentId']], ['applied', documentId]);
  const all = await client(`${events}/retry`, { as: session, method: 'POST' });
  assert.deepEqual(all.json, { applied: 0, failed: 1, next: null });
  await sendChanges({ subject: 'second' });
  const rest = await client(`${events}/retry?limit=1`, { as: session, method: 'POST' });
  assert.deepEqual(rest.json, { applied: 1, failed: 0, next: null });
  assert.deepEqual(
    (await documents()).map(({ id, fileName }) => [id, fileName]),
    [[documentId, 'third.txt']],
  );
  const shown = await client(`${events}/${third?.id}`, { as: session });
  assert.deepEqual([shown.json['state'], shown.json['failure']], ['applied', null]);
});
