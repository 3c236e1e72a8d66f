/** Answers that run while a document becomes invisible for their link, or while an editor loses the right to a preview. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Chat, openLink } from '../support/assistant/chat.ts';
import { openChatService } from '../support/assistant/chat-service.ts';
import type { ModelRequest } from '../support/assistant/fake-model.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { giveRole, makeUser, signIn } from '../support/provision.ts';

const service = await openChatService();
after(() => service[Symbol.asyncDispose]());
const { client, session, space, model } = service;

const CHANGES = {
  deleted: { method: 'DELETE' },
  hidden: { method: 'PATCH', body: { metadata: { audience: 'board' } } },
};

/** Changes a document while the model has it and its answer is incomplete. Returns the answer. */
async function answerAround(change: object, fileName: string, resumable: boolean) {
  const text = 'The bonus of zephyrs is paid in May.';
  const document = { fileName, text, metadata: { audience: 'staff' } };
  const { id } = await addDocument(client, session, space.id, document);
  const begun = Promise.withResolvers<ModelRequest>();
  model.behave((request) => {
    begun.resolve(request);
    return { does: 'stall', pieces: ['The bonus '] };
  });
  const permissionFilter = { fileName: { eq: fileName }, audience: { eq: 'staff' } };
  const { as } = await openLink(client, session, { spaceId: space.id, permissionFilter });
  const chat = new Chat(service.url, as, undefined, { resumable });
  const asking = chat.ask('zephyrs');
  const request = await begun.promise;
  assert.match(request.text, /paid in May/);
  const path = `/spaces/${space.id}/documents/${id}`;
  const changed = await client(path, { as: session, ...change });
  assert.ok(changed.status < 300, changed.text);
  return { as, request, answer: await asking };
}

for (const [name, change] of Object.entries(CHANGES))
  for (const kind of ['plain', 'resumable'])
    test(`a ${kind} answer ends when a document that was available to it is ${name}`, async () => {
      const fileName = `${kind}-${name}.txt`;
      const { as, request, answer } = await answerAround(change, fileName, kind === 'resumable');
      const { state, code, conversationId } = answer.metadata ?? {};
      assert.deepEqual([state, code], ['failed', 'chat.permissions-changed']);
      assert.equal(await request.ended, false, 'the connection to the model is closed');
      const shown = await client(`/chat/conversations/${conversationId}`, { as });
      const [, kept] = shown.json['messages'] as { metadata: { state?: string } }[];
      assert.equal(kept?.metadata.state, 'hidden');
    });

test('a preview is rejected if its editor is removed from the space while the model answers', async () => {
  const document = { fileName: 'preview.txt', text: 'The bonus of zephyrs is paid in May.' };
  await addDocument(client, session, space.id, document);
  const editor = await makeUser(client, session, 'former-editor');
  await giveRole(client, session, space.botId, editor.id, 'editor');
  const begun = Promise.withResolvers<void>();
  const removed = Promise.withResolvers<void>();
  model.behave(async () => {
    begun.resolve();
    await removed.promise;
    return { does: 'answer', pieces: ['In May [1].'] };
  });
  const asking = client(`/spaces/${space.id}/access-preview/ask`, {
    as: await signIn(client, editor),
    body: { permissionFilter: {}, question: 'When is the bonus of zephyrs paid?' },
  });
  await begun.promise;
  const member = `/bots/${space.botId}/members/${editor.id}`;
  assert.equal((await client(member, { method: 'DELETE', as: session })).status, 204);
  removed.resolve();
  const answer = await asking;
  assert.equal(answer.status, 403, answer.text);
  assert.equal(answer.json['code'], 'access.forbidden');
});
