import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, test } from 'node:test';
import type { DocumentEvent } from '@gatehouse/contract';
import { openGuide, parseRequest, skipWithout } from '../support/guides/guide.ts';
import { untilHandled } from '../support/knowledge/document-events.ts';
import { makeKey } from '../support/provision.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';

const guide = openGuide('synchronise-documents');

const { client, session, space, service, ...shop } = await startChildWithSpace();
after(() => shop[Symbol.asyncDispose]());
const key = await makeKey(client, session, space.id, ['events:write', 'knowledge:write', 'read']);

function run(script: string): Record<string, unknown> {
  const env = {
    ...process.env,
    GATEHOUSE_URL: service.url,
    GATEHOUSE_KEY: key,
    SPACE_ID: space.id,
  };
  const { status, stdout, stderr } = spawnSync('sh', ['-euc', script], { env, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('the commands in the guide succeed when run in order', {
  skip: skipWithout('curl', 'sh'),
}, async () => {
  const whenApplied = (subject: string) => untilHandled(client, session, space.id, subject);

  assert.deepEqual(run(guide.next('sh'))['eventIds'], ['wiki-42-revision-7']);
  const { documentId } = await whenApplied('wiki/42');
  const changed = run(guide.next('sh'));
  assert.deepEqual([changed['processed'], changed['failed']], [3, 0]);
  for (const subject of ['wiki/43', 'wiki/44']) await whenApplied(subject);
  const revised = await untilHandled(client, session, space.id, 'wiki/42', 'wiki-42-revision-8');
  assert.equal(revised.documentId, documentId);
  const listed = run(guide.next('sh')) as { items: DocumentEvent[] };
  const { items } = listed;
  guide.compareNext(listed);
  assert.deepEqual(
    items.map(({ subject, eventId, failure }) => [subject, eventId, failure?.issues]),
    [['wiki/44', 'wiki-44-revision-1', [{ message: 'data.fileName: is required' }]]],
  );
  assert.deepEqual(run(guide.next('sh')), { applied: 0, failed: 1, next: null });
  assert.equal(run(guide.next('sh'))['key'], 'wiki/45');
});

test('the request in the guide permits an event source to change documents', async () => {
  const source = { name: 'wiki', source: 'https://wiki.example' };
  const sources = `/spaces/${space.id}/event-sources`;
  const { json } = await client(sources, { as: session, body: source });
  const { method, path, body } = parseRequest(guide.next('http'));
  const changed = await client(
    path.replace('{spaceId}', space.id).replace('{sourceId}', String(json['id'])),
    { method, as: session, body },
  );
  assert.equal(changed.json['feedsKnowledge'], true, changed.text);
});
