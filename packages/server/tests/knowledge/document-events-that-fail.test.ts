import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { documentEvent, documentEvents, whenLookedAt } from '../support/document-events.ts';
import { ingest } from '../support/events.ts';
import { serviceOfThisFile } from '../support/file-service.ts';
import { signIn } from '../support/provision.ts';
import { newSpaceInStep } from '../support/space-in-step.ts';

const { client } = await serviceOfThisFile();
const session = await signIn(client);
const newSpace = () => newSpaceInStep(client, session);
const failures = (spaceId: string) => documentEvents(client, session, spaceId, '&state=failed');

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
