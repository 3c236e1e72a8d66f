import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, test } from 'node:test';
import { matchAll } from '@gatehouse/filter';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import {
  KnowledgeScope,
  type StoredEvent,
  type WriteAtomically,
} from '../../storage/ports/index.ts';
import { createDocuments } from '../documents/document.service.ts';
import { createApplyEvent } from './apply-event.service.ts';
import { createDocumentEventRepository } from './document-event.repository.ts';
import { createSynchronisedDocuments } from './synchronised-document.repository.ts';

const store = await openNewStore();
after(() => store[Symbol.asyncDispose]());

const RECEIVED_AT = Date.UTC(2026, 10, 22, 9);
const APPLIED_AT = RECEIVED_AT + 1000;
const DATA = { fileName: 'a.txt', text: 'One.', metadata: { team: 'a' } };

interface Faults {
  /** Replaces `writeAtomically`. Its argument performs the original write. */
  readonly write?: (originalWrite: () => Promise<void>) => Promise<void>;
  readonly clock?: () => number;
}

async function newSpace({ write, clock = () => APPLIED_AT }: Faults = {}) {
  const spaceId = randomUUIDv7();
  await addSpace(store, spaceId);
  const errors: unknown[] = [];
  let notified = 0;
  const writeAtomically: WriteAtomically = (writes) => {
    const originalWrite = () => store.writeAtomically(writes);
    return write === undefined ? originalWrite() : write(originalWrite);
  };
  const engine = store.knowledge;
  const events = createDocumentEventRepository(engine.db);
  const apply = createApplyEvent({
    documents: createSynchronisedDocuments({ engine, writeAtomically }),
    events,
    clock,
    onWork() {
      notified += 1;
    },
    onError: (error) => errors.push(error),
  });
  const scope = new KnowledgeScope(spaceId, matchAll);
  const documents = createDocuments({ engine, clock: () => APPLIED_AT, onWork() {} });
  return {
    spaceId,
    scope,
    documents,
    errors,
    notified: () => notified,
    apply: (event: StoredEvent) => apply(spaceId, event),
    all: async () => (await documents.list(scope, {})).items,
    recorded: () => events.list(spaceId, { after: null, count: 100 }),
  };
}

function upserted(position: number, data: object, subject = 'a'): StoredEvent {
  return eventOf(position, 'gatehouse.document.upserted', subject, data);
}

function deleted(position: number, subject = 'a'): StoredEvent {
  return eventOf(position, 'gatehouse.document.deleted', subject);
}

function eventOf(position: number, type: string, subject: string, data?: object): StoredEvent {
  const id = `e${position}`;
  const text = JSON.stringify({ specversion: '1.0', id, source: 'cms', type, subject, data });
  return { position, receivedAt: RECEIVED_AT, text };
}

test('events create, change and delete a document', async () => {
  const { apply, all, recorded, notified } = await newSpace();
  assert.equal(await apply(upserted(1, DATA)), 'applied');
  const [created] = await all();
  assert.ok(created);
  assert.equal(created.updatedAt, new Date(APPLIED_AT).toISOString());
  assert.equal(await apply(upserted(2, { ...DATA, text: 'Two, longer.' })), 'applied');
  const [changed] = await all();
  assert.deepEqual([changed?.id, changed?.bytes], [created.id, 12]);
  assert.equal(await apply(deleted(3)), 'applied');
  assert.deepEqual(await all(), []);
  assert.equal(notified(), 3);
  const [event] = await recorded();
  assert.deepEqual(
    [event?.event_id, event?.state, event?.received_at, event?.updated_at],
    ['e3', 'applied', RECEIVED_AT, APPLIED_AT],
  );
});

test('an event with the same file and other metadata changes only the metadata', async () => {
  const { apply, all } = await newSpace();
  await apply(upserted(1, { ...DATA, language: 'de' }));
  assert.equal(await apply(upserted(2, { ...DATA, metadata: { team: 'b' } })), 'applied');
  const [document] = await all();
  assert.deepEqual([document?.metadata, document?.language], [{ team: 'b' }, 'de']);
});

test('a redelivered event or an event older than the last one of its subject changes nothing', async () => {
  const { apply, all } = await newSpace();
  assert.equal(await apply(upserted(2, DATA)), 'applied');
  assert.equal(await apply(upserted(2, DATA)), 'passed');
  assert.equal(await apply(deleted(1)), 'passed');
  assert.equal((await all()).length, 1);
  assert.equal(await apply(upserted(1, { ...DATA, text: 'Other.' }, 'b')), 'applied');
  assert.equal((await all()).length, 2);
});

test('an event of another type, without a subject or of a deleted space is ignored', async () => {
  const { apply, spaceId, recorded } = await newSpace();
  assert.equal(await apply(eventOf(1, 'order.placed', 'a', DATA)), 'passed');
  assert.equal(await apply(upserted(2, DATA, '')), 'passed');
  await store.db.deleteFrom('spaces').where('id', '=', spaceId).execute();
  assert.equal(await apply(upserted(3, DATA)), 'passed');
  assert.deepEqual(await recorded(), []);
});

test('an invalid event is recorded with its problems and changes nothing else', async () => {
  const { apply, all, recorded, errors, notified } = await newSpace();
  await apply(upserted(1, DATA));
  assert.equal(await apply(upserted(2, { fileName: 'a.txt' })), 'failed');
  const [event] = await recorded();
  assert.deepEqual([event?.event_id, event?.state], ['e2', 'failed']);
  assert.match(event?.failure ?? '', /knowledge\.invalid.*data\.text: exactly one of/);
  assert.equal((await all()).length, 1);
  assert.deepEqual([errors, notified()], [[], 1]);
});

test('an event cannot change the document of another subject', async () => {
  const { apply, all, recorded } = await newSpace();
  const documentId = randomUUIDv7();
  await apply(upserted(1, { ...DATA, documentId }));
  assert.equal(await apply(upserted(2, { ...DATA, documentId }, 'b')), 'failed');
  const failed = (await recorded()).find(({ subject }) => subject === 'b');
  assert.match(failed?.failure ?? '', /knowledge\.other-subject/);
  assert.deepEqual(
    (await all()).map(({ id }) => id),
    [documentId],
  );
});

test('an uploaded document belongs to the subject of the first event that contains its ID', async () => {
  const { apply, all, documents, scope } = await newSpace();
  const content = Buffer.from(DATA.text);
  const { fileName, metadata } = DATA;
  const sent = { fileName, mimeType: 'text/plain', content, metadata, language: undefined };
  const { document } = await documents.add(scope, sent);
  assert.equal(await apply(upserted(1, { ...DATA, documentId: document.id })), 'applied');
  assert.equal(await apply(deleted(2)), 'applied');
  assert.deepEqual(await all(), []);
});

test('an event is applied despite concurrent changes of its document', async () => {
  let attempts = 0;
  const space = await newSpace({
    async write(originalWrite) {
      attempts += 1;
      const [document] = await space.all();
      if (document !== undefined && attempts < 4)
        await space.documents.change(space.scope, document.id, { metadata: { attempts } });
      await originalWrite();
    },
  });
  await space.apply(upserted(1, DATA));
  assert.equal(await space.apply(upserted(2, { ...DATA, metadata: { team: 'b' } })), 'applied');
  assert.deepEqual((await space.all())[0]?.metadata, { team: 'b' });
  assert.equal(attempts, 4);
  assert.deepEqual(space.errors, []);
});

test('an event without a language does not remove the language that the indexer has just found', async () => {
  let isIndexed = false;
  const space = await newSpace({
    async write(originalWrite) {
      if (isIndexed)
        await store.knowledge.db
          .updateTable('documents')
          .set({ language: 'de' })
          .where('space_id', '=', space.spaceId)
          .execute();
      await originalWrite();
    },
  });
  await space.apply(upserted(1, DATA));
  isIndexed = true;
  assert.equal(await space.apply(upserted(2, { ...DATA, metadata: { team: 'b' } })), 'applied');
  const [document] = await space.all();
  assert.deepEqual([document?.metadata, document?.language], [{ team: 'b' }, 'de']);
});

test('an event is applied although its document is created concurrently', async () => {
  const documentId = randomUUIDv7();
  let attempts = 0;
  const space = await newSpace({
    async write(originalWrite) {
      attempts += 1;
      if (attempts === 1) await space.apply(upserted(1, { ...DATA, documentId }));
      await originalWrite();
    },
  });
  assert.equal(await space.apply(upserted(2, { ...DATA, text: 'Two.', documentId })), 'applied');
  assert.equal((await space.all()).length, 1);
  assert.equal(attempts, 3);
});

test('an event fails if its document changes during each of ten attempts', async () => {
  let attempts = 0;
  const space = await newSpace({
    async write(originalWrite) {
      attempts += 1;
      const [document] = await space.all();
      if (document !== undefined)
        await space.documents.change(space.scope, document.id, { metadata: { attempts } });
      await originalWrite();
    },
  });
  await space.apply(upserted(1, DATA));
  assert.equal(await space.apply(deleted(2)), 'failed');
  assert.equal(attempts, 11);
  const [event] = await space.recorded();
  assert.match(event?.failure ?? '', /knowledge\.event-failed/);
  assert.equal(space.errors.length, 1);
});

test('a programming error during the write is reported after a single attempt', async () => {
  const bug = new TypeError('a bug');
  let attempts = 0;
  const space = await newSpace({
    async write() {
      attempts += 1;
      throw bug;
    },
  });
  assert.equal(await space.apply(upserted(1, DATA)), 'failed');
  assert.equal(attempts, 1);
  assert.deepEqual(space.errors, [bug]);
  const [event] = await space.recorded();
  assert.match(event?.failure ?? '', /knowledge\.event-failed/);
});

test('a programming error before the write is reported after a single attempt', async () => {
  const bug = new TypeError('a bug');
  let calls = 0;
  const space = await newSpace({
    clock() {
      calls += 1;
      if (calls === 1) throw bug;
      return APPLIED_AT;
    },
  });
  assert.equal(await space.apply(upserted(1, DATA)), 'failed');
  assert.deepEqual(space.errors, [bug]);
});

test('unavailable storage rejects after a single attempt and records nothing', async () => {
  const unavailable = new StorageUnavailable('unwritable');
  let attempts = 0;
  const space = await newSpace({
    async write() {
      attempts += 1;
      throw unavailable;
    },
  });
  await assert.rejects(space.apply(upserted(1, DATA)), unavailable);
  assert.equal(attempts, 1);
  assert.deepEqual([await space.recorded(), space.errors], [[], []]);
});
