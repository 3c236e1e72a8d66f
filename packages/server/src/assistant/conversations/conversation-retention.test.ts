import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { addLink } from './add-link.suite.ts';
import { createConversationRepository } from './conversation.repository.ts';
import { createConversationRemoval } from './conversation-retention.repository.ts';

const ANSWER = {
  text: 'An answer.',
  state: 'finished',
  failure: null,
  sources: '[]',
  documents: '[]',
  filter_digest: null,
  input_tokens: null,
  output_tokens: null,
  model: null,
  cost_millionths: null,
  answered: 1,
} as const;

test('conversations without a message since a time are removed in steps, with answers and feedback', async () => {
  await using store = await openNewStore();
  const { db } = store;
  for (const spaceId of ['a', 'b']) {
    await addSpace(store, spaceId);
    await addLink(store, { spaceId, id: `link of ${spaceId}` });
  }
  const conversations = createConversationRepository(db, store.writeAtomically);
  const ask = async (spaceId: string, id: string, asked: number, answered: number) => {
    const owner = { spaceId, name: 'sub:ada', linkId: null };
    const conversation = { id, chat_id: id, title: 'One?' };
    const question = { id: `${id} q`, sent_id: null, text: 'One?', link_id: `link of ${spaceId}` };
    await conversations.saveQuestion(owner, { conversation, question }, asked);
    const key = { spaceId, conversationId: id };
    const answer = { ...ANSWER, id: `${id} a`, created_at: answered };
    await conversations.saveAnswer(key, question.id, answer);
    await conversations.rate(owner, answer.id, { rating: 'up', comment: 'Thanks.' });
  };
  await ask('a', 'old', 1, 9);
  await ask('b', 'other old', 9, 9);
  await ask('a', 'continued', 1, 10);
  const many = Array.from({ length: 250 }, (_, index) => ({
    ...{ space_id: 'b', id: `many ${index}`, owner: 'link:x', link_id: null, title: '' },
    ...{ chat_id: `many ${index}`, created_at: 5, updated_at: 5 },
  }));
  await db.insertInto('conversations').values(many).execute();

  const removeSomeBefore = createConversationRemoval(db);
  assert.equal(await removeSomeBefore(5), false);
  assert.equal(await removeSomeBefore(10), true);
  assert.equal(await removeSomeBefore(10), false);
  const left = await db.selectFrom('conversations').select('id').execute();
  assert.deepEqual(
    left.map(({ id }) => id),
    ['continued'],
  );
  const messages = await db.selectFrom('messages').select(['id', 'rating']).orderBy('id').execute();
  assert.deepEqual(
    messages.map(({ id, rating }) => [id, rating]),
    [
      ['continued a', 'up'],
      ['continued q', null],
    ],
  );
});
