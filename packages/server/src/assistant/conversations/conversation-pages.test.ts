import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MAX_MESSAGES_SHOWN } from '@gatehouse/contract';
import { encodeCursor } from '../../http/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import { createSpaceConversationRepository } from '../space-conversations/space-conversation.repository.ts';
import { addLink } from './add-link.suite.ts';
import { createConversationRepository } from './conversation.repository.ts';
import { createConversations } from './conversation.service.ts';
import { ownerOfSub } from './owner.rules.ts';

const store = await openNewStore();
const repository = createConversationRepository(store.db, store.writeAtomically);
const conversations = createConversations(repository, { named: async () => new Map() });
const owner = ownerOfSub('space', 'ada');
const scope = {} as KnowledgeScope;
const NOW = 1_700_000_000_000;
const idOf = (number: number) => `0199f3a2-0000-7000-8000-${String(number).padStart(12, '0')}`;

before(async () => {
  await addSpace(store, 'space');
  await addLink(store, { spaceId: 'space', id: 'link' });
});
after(() => store[Symbol.asyncDispose]());

const ID = idOf(1);

/** Adds questions until the conversation has `count` messages. */
async function extendTo(count: number): Promise<void> {
  for (; length < count; length++)
    await repository.saveQuestion(
      owner,
      {
        conversation: { id: ID, chat_id: ID, title: 'Long' },
        question: { id: idOf(1000 + length), sent_id: null, text: `${length}`, link_id: 'link' },
      },
      NOW,
    );
}
let length = 0;

async function textsOf(earlier: string | null) {
  const request = earlier === null ? {} : { before: earlier };
  const page = await conversations.show(owner, scope, ID, request);
  const texts = page.messages.map(({ parts }) => (parts[0]?.type === 'text' ? parts[0].text : ''));
  return { texts, earlier: page.earlier };
}

for (const count of [MAX_MESSAGES_SHOWN - 1, MAX_MESSAGES_SHOWN, MAX_MESSAGES_SHOWN + 1])
  test(`all ${count} messages of a conversation can be read`, async () => {
    await extendTo(count);
    const newest = await textsOf(null);
    assert.equal(newest.texts.length, Math.min(count, MAX_MESSAGES_SHOWN));
    assert.equal(newest.earlier !== null, count > MAX_MESSAGES_SHOWN);
    const before = newest.earlier === null ? [] : (await textsOf(newest.earlier)).texts;
    const expected = Array.from({ length: count }, (_, number) => `${number}`);
    assert.deepEqual([...before, ...newest.texts], expected);
  });

test('the cursor with the largest position is after all messages', async () => {
  const largest = 9_999_999_999_999_998;
  assert.deepEqual(await textsOf(encodeCursor(String(largest))), await textsOf(null));
  const ofSpace = createSpaceConversationRepository(store.db);
  assert.deepEqual(await ofSpace.messages('space', ID, largest, 1), []);
});

test('an invalid cursor is rejected, and a cursor shows no messages of another owner', async () => {
  const { earlier } = await textsOf(null);
  await assert.rejects(textsOf('x'), { status: 400, code: 'http.invalid' });
  const other = ownerOfSub('space', 'grace');
  const shown = await conversations.show(other, scope, ID, { before: String(earlier) });
  assert.deepEqual([shown.messages, shown.earlier], [[], null]);
});
