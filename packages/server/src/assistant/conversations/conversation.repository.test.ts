import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { ON_POSTGRES } from '../../../tests/support/storage/backend.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { largeReads, plansOf, recordQueries } from '../../storage/query-plans.suite.ts';
import { addLink } from './add-link.suite.ts';
import { createConversationRepository } from './conversation.repository.ts';
import { ownerOfSub } from './owner.rules.ts';

test('saving a question creates its conversation again if it was deleted, unless its link was revoked', async () => {
  await using store = await openNewStore();
  await addSpace(store, 'space');
  await addLink(store, { spaceId: 'space', id: 'link' });
  const conversations = createConversationRepository(store.db, store.writeAtomically);
  const owner = { spaceId: 'space', name: 'sub:ada', linkId: null };
  const conversation = { id: 'c', chat_id: 'chat', title: 'One?' };
  const ask = (id: string, now: number) => {
    const question = { id, sent_id: null, link_id: 'link', text: `${id}?` };
    return conversations.saveQuestion(owner, { conversation, question }, now);
  };
  await ask('One', 1);
  await ask('Two', 2);
  const found = await conversations.find(owner, 'chat');
  assert.deepEqual([found?.created_at, found?.updated_at], [1, 2]);
  await conversations.remove(owner, 'c');
  await ask('Three', 3);
  const texts = (
    await conversations.messages({ space_id: owner.spaceId, id: conversation.id }, 10)
  ).map(({ text }) => text);
  assert.deepEqual(texts, ['Three?']);
  assert.equal((await conversations.find(owner, 'c'))?.created_at, 3);
  await store.db.updateTable('links').set({ revoked_at: 4 }).execute();
  await conversations.remove(owner, 'c');
  await ask('Four', 5);
  assert.equal(await conversations.find(owner, 'c'), null);
  assert.deepEqual(await store.db.selectFrom('messages').select('id').execute(), []);
});

test('a person whose sub is too long for an index has conversations', async () => {
  await using store = await openNewStore();
  await addSpace(store, 'space');
  await addLink(store, { spaceId: 'space', id: 'link' });
  const conversations = createConversationRepository(store.db, store.writeAtomically);
  // Random, because PostgreSQL compresses long values.
  const ideographs = (count: number) => {
    const codes = crypto.getRandomValues(new Uint16Array(count));
    return String.fromCharCode(...codes.map((code) => 0x4e00 + (code % 20_000)));
  };
  for (const length of [500, 501, 5000]) {
    const owner = ownerOfSub('space', ideographs(length));
    const conversation = { id: `c${length}`, chat_id: ideographs(200), title: 'One?' };
    const question = { id: `q${length}`, sent_id: null, link_id: 'link', text: 'One?' };
    await conversations.saveQuestion(owner, { conversation, question }, 1);
    assert.equal((await conversations.find(owner, conversation.chat_id))?.id, conversation.id);
  }
});

test('questions and answers read and write only the messages of their conversation', {
  skip: ON_POSTGRES,
}, async () => {
  await using store = await openNewStore();
  const { db } = store;
  const queries: CompiledQuery[] = [];
  const repository = createConversationRepository(db, async (writes) => {
    queries.push(...writes.map((write) => write.compile()));
  });
  const owner = { spaceId: 'space', name: 'sub:ada', linkId: null };
  const conversation = { id: 'c', chat_id: 'chat', title: 'One?' };
  const question = { id: 'q', sent_id: null, link_id: 'link', text: 'One?' };
  await repository.saveQuestion(owner, { conversation, question, attachmentIds: ['a'] }, 1);
  await repository.saveAnswer({ spaceId: 'space', conversationId: 'c' }, 'q', {
    ...{ id: 'a', text: 'Yes.', state: 'finished', failure: null, sources: '[]', documents: '[]' },
    filter_digest: null,
    ...{ input_tokens: null, output_tokens: null, model: null, cost_millionths: null },
    ...{ answered: 1, created_at: 2 },
  });
  assert.equal(queries.length, 9);
  assert.deepEqual(await largeReads(db, queries, ['messages', 'conversations', 'attachments']), []);
  // The conversation says whether it was ever handed over, so its messages are not searched for those of a handoff.
  const searches = queries.filter(({ sql }) => sql.includes('"handoff_id" is not null'));
  assert.equal(searches.length, 4);
  for (const query of searches)
    assert.match(
      await plansOf(db, [query]),
      /SEARCH conversations USING INDEX \S+ \((?:space_id=\? AND )?id=\?\)/,
    );
});

test('a rating reads no other conversations of the person', { skip: ON_POSTGRES }, async () => {
  await using store = await openNewStore();
  const { db, queries } = recordQueries(store.db);
  const repository = createConversationRepository(db, store.writeAtomically);
  const rating = { rating: 'up', comment: null } as const;
  assert.equal(await repository.rate(ownerOfSub('space', 'ada'), 'answer', rating), false);
  const plan = await plansOf(store.db, queries);
  assert.match(plan, /SEARCH conversations USING INDEX \S+ \((?:space_id=\? AND )?id=\?\)/);
});
