import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ConversationWithMessages, Erasure } from '@gatehouse/contract';
import { attach, questionWith, sendAttachment } from '../support/assistant/attachments.ts';
import { exchange, openLink } from '../support/assistant/chat.ts';
import { openChatService } from '../support/assistant/chat-service.ts';
import { shownPrompt } from '../support/assistant/shown-prompt.ts';
import { hostileDocuments } from '../support/knowledge/hostile-documents.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { makeSpace } from '../support/provision.ts';
import { until } from '../support/until.ts';

const MINUTE = 60_000;
const HOSTILE: ReadonlySet<string> = new Set(['quotes.md', 'large.csv', 'bomb.docx']);

const service = await openChatService({
  env: {
    GATEHOUSE_RATE_LIMIT_ATTACHMENTS: '0',
    GATEHOUSE_ATTACHMENTS_CONVERSATION: '3',
    GATEHOUSE_ATTACHMENTS_LINK: '4',
    GATEHOUSE_ATTACHMENT_BYTES: '4096',
  },
});
after(() => service[Symbol.asyncDispose]());
const { client, session, url, model } = service;

const INVOICE = { name: 'invoice.txt', content: 'The invoice total is 40 quetzals.' };

async function newLink(link: object = {}) {
  const { id: spaceId } = await makeSpace(client, session);
  const opened = await openLink(client, session, { spaceId, sub: 'ada', ...link });
  return { spaceId, ...opened };
}

/** Sends a question, and returns the answer and the passages that the model received. */
async function ask(as: string, body: object) {
  let fileNames: string[] = [];
  model.behave((request) => {
    const { passages } = shownPrompt(request);
    fileNames = passages.map(({ fileName }) => fileName);
    return { does: 'answer', pieces: ['Yes', ...passages.map(({ number }) => ` [${number}]`)] };
  });
  const { status, text } = await client('/chat', { as, body });
  return { status, text, fileNames };
}

async function conversationOf(as: string): Promise<ConversationWithMessages> {
  const { json } = await client('/chat/conversations', { as });
  const [{ id } = { id: '' }] = json['items'] as { id: string }[];
  const shown = await client(`/chat/conversations/${id}`, { as });
  assert.equal(shown.status, 200, shown.text);
  return shown.json as unknown as ConversationWithMessages;
}

const storedFiles = async () =>
  (await service.rows('select file_name from attachments order by created_at')).map(
    ({ file_name }) => file_name,
  );

test('a visitor’s file is given to the model and cited in later turns of its conversation', async () => {
  const { as, spaceId } = await newLink();
  await addDocument(client, session, spaceId, { fileName: 'a.txt', text: 'Any invoice is here.' });
  const { part, size } = await attach(url, as, 'chat', INVOICE);
  assert.equal(size, INVOICE.content.length);
  const first = await ask(as, questionWith('chat', 'What is this?', [part]));
  assert.equal(first.fileNames[0], 'invoice.txt');
  assert.match(
    first.text,
    /"type":"source-document".*"filename":"invoice.txt".*"attachment":\{"text":"The invoice total is 40 quetzals."\}/,
  );
  const second = await ask(as, questionWith('chat', 'And the invoice total?'));
  assert.deepEqual(second.fileNames.toSorted(), ['a.txt', 'invoice.txt']);

  const { messages, id } = await conversationOf(as);
  assert.deepEqual(messages[0]?.parts, [{ type: 'text', text: 'What is this?' }, part]);
  assert.deepEqual(
    messages[1]?.parts.map(({ type }) => type),
    ['text', 'source-document', 'source-document'],
  );
  const team = await client(`/spaces/${spaceId}/conversations/${id}`, { as: session });
  const [question, answer] = (team.json['messages'] as { items: Record<string, unknown>[] }).items;
  assert.deepEqual(question?.['attachments'], [part]);
  const sources = answer?.['sources'] as { title: string }[] | undefined;
  assert.equal(sources?.[0]?.title, 'invoice.txt');
  const exported = await client(`/spaces/${spaceId}/conversations/export?format=jsonl`, {
    as: session,
  });
  assert.equal(exported.status, 200, exported.text);
});

test('no other conversation, person, search or list contains an attachment', async () => {
  const { as, spaceId } = await newLink();
  const other = await openLink(client, session, { spaceId, sub: 'bob' });
  const unfiltered = await openLink(client, session, { spaceId });
  const sent = await attach(url, as, 'chat', INVOICE);
  await ask(as, questionWith('chat', 'What is the invoice total?', [sent.part]));
  const unsent = await attach(url, as, 'chat', INVOICE);
  const total = 'What is the invoice total?';
  for (const asking of [other.as, unfiltered.as, as])
    for (const { part } of [sent, unsent]) {
      const chat = asking === as ? 'another' : 'chat';
      const named = await ask(asking, questionWith(chat, total, [part]));
      assert.equal(named.status, 400, named.text);
      assert.match(named.text, /"chat.attachment-gone"/);
      const silent = await ask(asking, questionWith(chat, total));
      assert.deepEqual(silent.fileNames, []);
      const removal = `/chat/chat/attachments/${unsent.id}`;
      if (asking !== as)
        assert.equal((await client(removal, { method: 'DELETE', as: asking })).status, 204);
    }
  const reads = [
    [`/spaces/${spaceId}/search`, { query: 'invoice total quetzals' }],
    [`/spaces/${spaceId}/documents`, undefined],
    [`/spaces/${spaceId}/documents/${sent.id}`, undefined],
    [`/spaces/${spaceId}/documents/${sent.id}/passages`, undefined],
    [`/spaces/${spaceId}/documents/${sent.id}/content`, undefined],
    [`/spaces/${spaceId}/metadata-fields`, undefined],
    [`/spaces/${spaceId}/access-preview`, { permissionFilter: {} }],
    [`/spaces/${spaceId}/access-preview/ask`, { permissionFilter: {}, question: total }],
  ] as const;
  for (const [path, body] of reads)
    for (const caller of [session, as]) {
      const { text } = await client(path, { as: caller, ...(body && { body }) });
      assert.ok(!/quetzals|invoice\.txt|http\.not-found/.test(text), `${path} ${text}`);
    }
  const mcp = await client('/mcp', {
    as,
    headers: { accept: 'application/json, text/event-stream' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search', arguments: { query: 'invoice total quetzals' } },
    },
  });
  assert.equal(mcp.status, 200, mcp.text);
  assert.ok(!mcp.text.includes('quetzals'), mcp.text);
  // The other persons could not remove the unsent attachment.
  assert.deepEqual(
    (await ask(as, questionWith('chat', total, [unsent.part]))).fileNames.length > 0,
    true,
  );
});

test('the built-in answerer quotes an attachment', async () => {
  await using builtIn = await openChatService({
    env: { GATEHOUSE_MODEL_URL: '', GATEHOUSE_MODEL_NAME: '' },
  });
  const { id: spaceId } = builtIn.space;
  const { as } = await openLink(builtIn.client, builtIn.session, { spaceId });
  const { part } = await attach(builtIn.url, as, 'chat', INVOICE);
  const body = questionWith('chat', 'What is the total of the invoice?', [part]);
  const { text } = await builtIn.client('/chat', { as, body });
  assert.match(text, /40 quetzals/);
  assert.match(text, /"filename":"invoice.txt"/);
});

test('the files of an edited question replace its earlier files', async () => {
  const { as } = await newLink();
  const old = await attach(url, as, 'chat', { ...INVOICE, name: 'old.txt' });
  const question = questionWith('chat', 'What is the invoice total?', [old.part]);
  await ask(as, question);
  const { part } = await attach(url, as, 'chat', { ...INVOICE, name: 'new.txt' });
  const edited = questionWith('chat', 'What is the invoice total?', [part]);
  const messageId = edited.messages[0]?.id;
  assert.deepEqual((await ask(as, { ...edited, messageId })).fileNames, ['new.txt']);
  const { messages } = await conversationOf(as);
  assert.deepEqual(messages[0]?.parts.slice(1), [part]);
  assert.equal(messages.length, 2);
  const next = await ask(as, questionWith('chat', 'And the total of the invoice?'));
  assert.deepEqual(next.fileNames, ['new.txt']);
});

test('attachments end with their message, their conversation and the erasure of their person', async () => {
  const { as, spaceId } = await newLink();
  const first = await attach(url, as, 'chat', { ...INVOICE, name: 'first.txt' });
  await ask(as, questionWith('chat', 'One?', [first.part]));
  const second = await attach(url, as, 'chat', { ...INVOICE, name: 'second.txt' });
  await ask(as, questionWith('chat', 'Two?', [second.part]));
  const edited = {
    id: 'chat',
    messageId: 'One?',
    messages: [{ id: 'One?', role: 'user', parts: [{ type: 'text', text: 'Changed?' }] }],
  };
  await ask(as, edited);
  const names = await storedFiles();
  assert.ok(names.includes('first.txt') && !names.includes('second.txt'), names.join());

  const unsent = await attach(url, as, 'chat', { ...INVOICE, name: 'unsent.txt' });
  assert.ok((await storedFiles()).includes('unsent.txt'));
  const withdrawn = await attach(url, as, 'chat', { ...INVOICE, name: 'withdrawn.txt' });
  const path = `/chat/chat/attachments/${withdrawn.id}`;
  assert.equal((await client(path, { method: 'DELETE', as })).status, 204);
  assert.ok(!(await storedFiles()).includes('withdrawn.txt'));
  const { id } = await conversationOf(as);
  await client(`/chat/conversations/${id}`, { method: 'DELETE', as });
  const left = await storedFiles();
  assert.ok(!left.includes('first.txt') && !left.includes('unsent.txt'), left.join());
  const gone = await ask(as, questionWith('chat', 'Three?', [unsent.part]));
  assert.match(gone.text, /"chat.attachment-gone"/);

  const third = await attach(url, as, 'chat', { ...INVOICE, name: 'third.txt' });
  await ask(as, questionWith('chat', 'Three?', [third.part]));
  await attach(url, as, 'chat', { ...INVOICE, name: 'fourth.txt' });
  const erased = await client(`/spaces/${spaceId}/subjects/ada`, { method: 'DELETE', as: session });
  assert.equal((erased.json as unknown as Erasure).attachments, 2);
  const remaining = await storedFiles();
  assert.ok(!remaining.includes('third.txt') && !remaining.includes('fourth.txt'));
  const late = await sendAttachment(url, as, 'chat', INVOICE);
  assert.equal(late.status, 410);
});

test('unsent files expire after an hour, and files of a chat without history 15 minutes after its last question', async () => {
  const kept = await newLink();
  const off = await newLink({ features: { chatHistory: false } });
  const unsent = await attach(url, kept.as, 'chat', { ...INVOICE, name: 'unsent.txt' });
  const { part } = await attach(url, off.as, 'chat', { ...INVOICE, name: 'off.txt' });
  const body = questionWith('chat', 'What is the invoice total?', [part]);
  assert.deepEqual((await ask(off.as, body)).fileNames, ['off.txt']);
  try {
    service.skew = 10 * MINUTE;
    const again = questionWith('chat', 'Again, the invoice total?');
    const later = { ...again, messages: [...body.messages, ...again.messages] };
    assert.deepEqual((await ask(off.as, later)).fileNames, ['off.txt']);
    assert.deepEqual((await ask(off.as, again)).fileNames, []);
    service.skew = 26 * MINUTE;
    const { as: renewed } = await exchange(client, off.linkToken);
    assert.deepEqual((await ask(renewed, later)).fileNames, []);
    assert.match((await ask(renewed, body)).text, /"chat.attachment-gone"/);
    const { as } = await exchange(client, kept.linkToken);
    service.skew = 59 * MINUTE;
    const { as: fresh } = await exchange(client, kept.linkToken);
    assert.ok(as !== fresh);
    const used = await ask(fresh, questionWith('chat', 'The invoice?', [unsent.part]));
    assert.deepEqual(used.fileNames, ['unsent.txt']);
  } finally {
    service.skew = 0;
  }
});

test('a file beyond a limit, of an unknown format or without text is rejected and not stored', async () => {
  const { as, spaceId, linkId } = await newLink();
  const rejected = async (chat: string, name: string, content: string | Uint8Array) => {
    const response = await sendAttachment(url, as, chat, { name, content });
    const { code } = (await response.json()) as { code: string };
    return `${response.status} ${code}`;
  };
  assert.equal(await rejected('chat', 'a.txt', 'x'.repeat(4097)), '413 chat.attachment-too-large');
  assert.equal(await rejected('chat', 'a.exe', 'MZ'), '415 knowledge.format-unknown');
  assert.equal(await rejected('chat', 'a.pdf', 'no PDF'), '400 knowledge.invalid');
  assert.equal(await rejected('chat', 'a.txt', '  '), '400 chat.attachment-unreadable');
  const json = await client('/chat/chat/attachments', { as, body: { file: 'a' } });
  assert.equal(json.status, 415, json.text);
  assert.deepEqual(await service.rows(`select 1 from attachments where link_id = '${linkId}'`), []);
  for (let count = 0; count < 3; count += 1) await attach(url, as, 'chat', INVOICE);
  assert.equal(await rejected('chat', 'a.txt', 'Text'), '403 chat.attachments-of-conversation');
  await attach(url, as, 'other', INVOICE);
  assert.equal(await rejected('other', 'a.txt', 'Text'), '403 chat.attachments-of-link');

  const refused = await openLink(client, session, { spaceId, features: { attachments: false } });
  const response = await sendAttachment(url, refused.as, 'chat', INVOICE);
  assert.equal(response.status, 403);
  const features = async (linkToken: string) =>
    (await client('/assistant-link/exchange', { body: { linkToken } })).json['features'] as object;
  assert.deepEqual(await features(refused.linkToken), {
    chatHistory: true,
    attachments: false,
    handoff: false,
  });
});

test('an attachment with the parts of a document is rejected, because they would have no effect', async () => {
  const { as, linkId } = await newLink();
  const parts = {
    metadata: '{"team":"a"}',
    title: 'Invoice',
    url: 'https://a.example',
    language: 'en',
  };
  const response = await sendAttachment(url, as, 'chat', INVOICE, parts);
  assert.equal(response.status, 400);
  const { issues } = (await response.json()) as { issues: { message: string }[] };
  assert.deepEqual(
    issues.map(({ message }) => message),
    Object.keys(parts).map((name) => `"${name}": unknown part; the only known part is file`),
  );
  assert.deepEqual(await service.rows(`select 1 from attachments where link_id = '${linkId}'`), []);
});

test('hostile files fail with a reason and are not stored', async () => {
  await using strict = await openChatService({
    env: { GATEHOUSE_ATTACHMENT_BYTES: '26214400', GATEHOUSE_RATE_LIMIT_ATTACHMENTS: '0' },
  });
  const { as } = await openLink(strict.client, strict.session, { spaceId: strict.space.id });
  // A sample, because the parsers reject the others in the same way as documents.
  const sample = hostileDocuments().filter(({ name }) => HOSTILE.has(name));
  assert.equal(sample.length, HOSTILE.size);
  for (const { what, name, content } of sample) {
    const response = await sendAttachment(strict.url, as, 'chat', {
      name,
      content: content(),
    });
    const { code, message } = (await response.json()) as { code: string; message: string };
    assert.match(code, /^chat\.attachment-(unreadable|too-long)$/, `${what}: ${message}`);
  }
  assert.deepEqual(await strict.rows('select 1 from attachments'), []);
  await until('no part of a file is stored', async () => {
    const parts = await strict.rows('select 1 from document_parts');
    return parts.length === 0;
  });
});

test('the uploads of a person per minute are limited', async () => {
  await using limited = await openChatService({ env: { GATEHOUSE_RATE_LIMIT_ATTACHMENTS: '2' } });
  const { as } = await openLink(limited.client, limited.session, {
    spaceId: limited.space.id,
    sub: 'ada',
  });
  for (let count = 0; count < 2; count += 1) await attach(limited.url, as, 'chat', INVOICE);
  const response = await sendAttachment(limited.url, as, 'chat', INVOICE);
  assert.equal(response.status, 429);
  assert.ok(Number(response.headers.get('retry-after')) > 0);
});
