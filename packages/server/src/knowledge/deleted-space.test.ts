import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { matchAll } from '@gatehouse/filter';
import { openNewStore } from '../storage/open-store.suite.ts';
import { addSpace } from '../storage/ports/add-space.suite.ts';
import { batchOf } from '../storage/ports/event-batch.suite.ts';
import { KnowledgeScope } from '../storage/ports/knowledge-scope.ts';
import { knowledgeOver } from './knowledge.suite.ts';

const store = await openNewStore();
let extracted = 0;
/** Each extraction waits for this promise. */
let mayExtract = Promise.resolve();
const knowledge = knowledgeOver(store, {
  onExtract() {
    extracted += 1;
    return mayExtract;
  },
  onError: (error) => assert.fail(String(error)),
});
await knowledge.start();
after(async () => {
  await knowledge[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

async function newSpace(): Promise<KnowledgeScope> {
  const id = randomUUIDv7();
  await addSpace(store, id);
  return new KnowledgeScope(id, matchAll);
}

/** Deletes a space in the same way as the space service. */
async function deleteSpace(id: string): Promise<void> {
  await store.db.deleteFrom('spaces').where('id', '=', id).execute();
  knowledge.removeSpace(id);
}

const add = (scope: KnowledgeScope, name: string) =>
  knowledge.documents.add(scope, {
    fileName: `${name}.txt`,
    mimeType: 'text/plain',
    content: Buffer.from(`What ${name} says.`),
    metadata: { name },
    language: undefined,
  });

const TABLES = ['documents', 'document_parts', 'document_values', 'document_events'] as const;

async function rows(): Promise<number> {
  let count = 0;
  for (const table of TABLES)
    count += (await store.knowledge.db.selectFrom(table).selectAll().execute()).length;
  return count;
}

async function untilEmpty(): Promise<void> {
  for (let wait = 0; wait < 200; wait += 1) {
    if ((await rows()) === 0) return;
    await sleep(50);
  }
  assert.fail('rows of a deleted space remain');
}

test('an upload after the deletion of its space is rejected and leaves no rows', async () => {
  const scope = await newSpace();
  await add(scope, 'early');
  await deleteSpace(scope.spaceId);
  await assert.rejects(add(scope, 'late'), { status: 403, code: 'access.forbidden' });
  await untilEmpty();
});

test('a deletion hint about a space that still exists removes nothing', async () => {
  const scope = await newSpace();
  const { document } = await add(scope, 'kept');
  knowledge.removeSpace(scope.spaceId);
  await add(scope, 'later');
  await sleep(200);
  assert.equal((await knowledge.documents.show(scope, document.id)).id, document.id);
  await deleteSpace(scope.spaceId);
  await untilEmpty();
});

test('uploads before, during and after the deletion of their space leave no rows', async () => {
  const scope = await newSpace();
  const statusOf = (name: string) =>
    add(scope, name).then(
      () => 201,
      (error: { status: number }) => error.status,
    );
  const uploads = Array.from({ length: 40 }, (_, index) => statusOf(`racer ${index}`));
  await uploads[9];
  await deleteSpace(scope.spaceId);
  for (const status of await Promise.all(uploads)) assert.ok(status === 201 || status === 403);
  await untilEmpty();
  assert.equal(await statusOf('last'), 403);
  assert.equal(await rows(), 0);
});

test('the documents of a deleted space are removed without being indexed first', async () => {
  const scope = await newSpace();
  const open = Promise.withResolvers<void>();
  mayExtract = open.promise;
  for (let index = 0; index < 120; index += 1) await add(scope, `unread ${index}`);
  await deleteSpace(scope.spaceId);
  extracted = 0;
  open.resolve();
  await untilEmpty();
  assert.ok(extracted < 10, `${extracted} documents were extracted`);
});

test('deleting a space removes its document events', async () => {
  const { spaceId } = await newSpace();
  const data = { fileName: 'a.txt', text: 'Told.', metadata: { team: 'a' } };
  const eventOf = (type: string, subject: string) => ({
    id: `${type} ${subject}`,
    type,
    subject,
    data,
  });
  const batch = batchOf(spaceId, [
    eventOf('gatehouse.document.upserted', 'a'),
    eventOf('gatehouse.document.upserted', 'b'),
    eventOf('gatehouse.document.deleted', 'b'),
  ]);
  await store.events.append([{ ...batch, feedsKnowledge: true }]);
  // Events of different subjects are applied concurrently, so their order is not defined.
  const recorded = async () => {
    const rows = await store.knowledge.db
      .selectFrom('document_events')
      .where('space_id', '=', spaceId)
      .select('type')
      .execute();
    return rows.map(({ type }) => type).sort();
  };
  for (let wait = 0; (await recorded()).join() !== 'deleted,upserted'; wait += 1) {
    assert.ok(wait < 1000, 'the events are not applied');
    await sleep(10);
  }
  await deleteSpace(spaceId);
  await untilEmpty();
});
