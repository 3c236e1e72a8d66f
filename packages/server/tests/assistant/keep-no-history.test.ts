import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Chat, exchange, openLink } from '../support/assistant/chat.ts';
import { openChatService } from '../support/assistant/chat-service.ts';
import { citing, shownPrompt } from '../support/assistant/shown-prompt.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { allStored } from '../support/storage/stored.ts';

const unique = (prefix: string) => `${prefix}-${randomBytes(12).toString('hex')}`;

test('if a link disables history, no messages are stored on disk and the client’s messages are the history', async () => {
  await using service = await openChatService();
  const { client, session, space, url, model } = service;
  await addDocument(client, session, space.id, { fileName: 'a.txt', text: 'About lamps.' });
  const words = { question: unique('question'), follow: unique('follow'), kept: unique('kept') };
  const answered = unique('answer');
  let say = answered;
  model.behave((request) => ({
    does: 'answer',
    pieces: [say, ...citing(shownPrompt(request).passages)],
  }));
  const off = { spaceId: space.id, sub: 'ada', features: { chatHistory: false } };
  const opened = await openLink(client, session, off);
  const id = unique('chat');
  const chat = new Chat(url, opened.as, id);
  const first = await chat.ask(`lamps ${words.question}`);
  assert.equal(first.metadata?.conversationId, null);
  await chat.ask(words.follow);
  await chat.regenerate();
  const lastRequest = model.requests.at(-1);
  assert.deepEqual(lastRequest && shownPrompt(lastRequest).history, [
    { role: 'user', text: `lamps ${words.question}` },
    { role: 'assistant', text: `${answered} [1]` },
  ]);
  const comment = unique('comment');
  const feedback = { as: opened.as, body: { rating: 'down', comment } };
  assert.equal((await client(`/chat/messages/${first.id}/feedback`, feedback)).status, 404);

  const kept = await openLink(client, session, { spaceId: space.id, sub: 'ada' });
  say = 'Of course.';
  await new Chat(url, kept.as).ask(words.kept);
  const lists = await client('/chat/conversations', { as: opened.as });
  assert.deepEqual(lists.json, { items: [], next: null });
  const again = await exchange(client, opened.linkToken);
  assert.equal(again.conversationId, null);
  const newest = (await exchange(client, kept.linkToken)).conversationId;
  assert.ok(newest);
  const shown = await client(`/chat/conversations/${newest}`, { as: opened.as });
  assert.deepEqual(shown.json['messages'], []);

  const check = async (when: string) => {
    const bytes = await allStored(service.dataDir);
    assert.ok(bytes.includes(words.kept), `stored text is found, ${when}`);
    for (const secret of [words.question, words.follow, answered, comment, id, first.id])
      assert.ok(!bytes.includes(secret), `${secret} was stored ${when}`);
  };
  await check('while it runs');
  const printed = service.logLines.join('');
  for (const secret of [...Object.values(words), answered, comment])
    assert.ok(!printed.includes(secret));
});
