import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConversationsAccess } from '../../identity/index.ts';
import { actingFrom, NOBODY } from '../../platform/audit/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { addLink } from '../conversations/add-link.suite.ts';
import { createConversationRepository } from '../conversations/conversation.repository.ts';
import { createErasureRepository } from '../erasure/erasure.repository.ts';
import { createListQuestions } from './questions.service.ts';
import { createSpaceConversationRepository } from './space-conversation.repository.ts';
import { createSpaceConversations } from './space-conversation.service.ts';

const ID = '0199f3a2-b1c0-7e44-8d21-7f6e5d4c3b2a';

async function openReads() {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await openNewStore());
  await addSpace(store, 'space');
  await addLink(store, { spaceId: 'space', id: 'link' });
  const owner = { spaceId: 'space', name: 'sub:ada', linkId: null };
  const conversation = { id: ID, chat_id: 'chat', title: 'One?' };
  const question = { id: 'question', sent_id: null, text: 'One?', link_id: 'link' };
  await createConversationRepository(store.db, store.writeAtomically).saveQuestion(
    owner,
    { conversation, question },
    1,
  );
  const repository = createSpaceConversationRepository(store.db);
  const conversations = createSpaceConversations(repository, { named: async () => new Map() });
  const listQuestions = createListQuestions(repository);
  const space = { spaceId: 'space', caller: { kind: 'user', userId: 'u' } } as ConversationsAccess;
  const reads: Readonly<Record<string, () => Promise<unknown>>> = {
    list: () => conversations.list(space, {}),
    show: () => conversations.show(space, ID, {}),
    export: () => conversations.export(space, {}, 'jsonl', async () => {}),
    questions: () => listQuestions(space, { state: 'unanswered' }),
  };
  const exportTo = (recheck: () => Promise<void>) =>
    actingFrom(ORIGIN, () => conversations.export(space, {}, 'jsonl', recheck));
  const all = opened.move();
  return { db: store.db, reads, exportTo, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const ORIGIN = { actor: NOBODY, address: '203.0.113.7' };

test('a read fails if its entry cannot be written to the audit', async () => {
  await using opened = await openReads();
  const { db, reads } = opened;
  for (const read of Object.values(reads)) await actingFrom(ORIGIN, read);
  const { count } = await db
    .selectFrom('audit_entries')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  assert.equal(Number(count), 4);
  await db.schema.alterTable('audit_entries').renameTo('lost_entries').execute();
  for (const [name, read] of Object.entries(reads))
    await assert.rejects(actingFrom(ORIGIN, read), name);
});

test('a read during the erasure of the person leaves no entry with the name of the person', async () => {
  await using opened = await openReads();
  const { db, reads } = opened;
  const erasing = createErasureRepository(db).erase({
    ...{ spaceId: 'space', sub: 'ada', pseudonym: 'erased', sealedSub: '', now: 2 },
    ...{ removedEvents: null, removalsOfResponses: [] },
  });
  await Promise.allSettled([
    erasing,
    ...Array.from({ length: 5 }, () => actingFrom(ORIGIN, reads['show'] ?? assert.fail)),
  ]);
  assert.equal((await erasing).conversations, 1);
  const entries = await db.selectFrom('audit_entries').select(['action', 'sub']).execute();
  assert.deepEqual(
    entries.filter(({ sub }) => sub === 'ada'),
    [],
  );
});

test('a read without an origin fails', async () => {
  await using opened = await openReads();
  for (const read of Object.values(opened.reads))
    await assert.rejects(read(), /no origin that the audit could record/);
});

test('an export ends when its reader loses the right', async () => {
  await using store = await openNewStore();
  await addSpace(store, 'space');
  await addLink(store, { spaceId: 'space', id: 'link' });
  const conversations = Array.from({ length: 150 }, (_, index) => ({
    id: `c${String(index).padStart(3, '0')}`,
    space_id: 'space',
    owner: 'sub:ada',
    link_id: null,
    chat_id: `c${index}`,
    title: 'One?',
    created_at: index,
    updated_at: index,
  }));
  await store.db.insertInto('conversations').values(conversations).execute();
  const repository = createSpaceConversationRepository(store.db);
  const service = createSpaceConversations(repository, { named: async () => new Map() });
  const space = { spaceId: 'space', caller: { kind: 'user', userId: 'u' } } as ConversationsAccess;
  const lines = await actingFrom(ORIGIN, () =>
    service.export(space, {}, 'csv', () => Promise.reject(new Error('no right'))),
  );
  await assert.rejects(Array.fromAsync(lines), /no right/);
});

test('a client that reads an export slowly gets no message after it lost the right', async () => {
  await using opened = await openReads();
  const { db, exportTo } = opened;
  const message = (position: number) => ({
    id: `later ${position}`,
    space_id: 'space',
    conversation_id: ID,
    position,
    role: 'user' as const,
    sent_id: null,
    text: `Message ${position}`,
    state: 'finished' as const,
    sources: '[]',
    documents: '[]',
    link_id: 'link',
    created_at: position,
  });
  await db
    .insertInto('messages')
    .values(Array.from({ length: 120 }, (_, at) => message(at + 1)))
    .execute();
  let isRevoked = false;
  const lines = await exportTo(async () => {
    if (isRevoked) throw new Error('no right');
  });
  assert.match(String((await lines.next()).value), /Message 1/);
  isRevoked = true;
  // The right is confirmed again after 100 ms.
  await sleep(200);
  await assert.rejects(lines.next(), /no right/);
});
