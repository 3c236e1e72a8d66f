/** Owners of a space read, export and group the questions of their users. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type {
  AuditEntry,
  ExportedMessage,
  QuestionGroup,
  SpaceConversation,
  SpaceConversationWithMessages,
} from '@gatehouse/contract';
import { Chat, openLink } from '../support/assistant/chat.ts';
import { type ChatService, openChatService } from '../support/assistant/chat-service.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { makeKey, makeSpace } from '../support/provision.ts';
import { startInProcess } from '../support/services/in-process-service.ts';
import { allStored } from '../support/storage/stored.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;
let service: ChatService;
/** Path of the space. */
let path = '';
let adaLink = '';
let refund = '';
let silent = '';

before(async () => {
  service = await openChatService();
  const { client, session, space, url, model } = service;
  path = `/spaces/${space.id}`;
  await addDocument(client, session, space.id, {
    fileName: 'returns.md',
    markdown: '# Refunds\n\nA refund takes five days.',
    metadata: { level: 1 },
  });
  model.behave(({ text }) => {
    const question = text.split('The question:').at(-1) ?? '';
    if (question.includes('secret')) return { does: 'answer', pieces: ['Marker-answer-9d1f.'] };
    const pieces = question.includes('refund') ? ['Five days [1].'] : ['I do not know.'];
    return { does: 'answer', pieces };
  });
  const ada = await openLink(client, session, {
    spaceId: space.id,
    sub: 'ada',
    permissionFilter: { level: { lte: 1 } },
  });
  adaLink = ada.linkId;
  const chat = new Chat(url, ada.as, 'one');
  const answered = await chat.ask('How long does a refund take?');
  refund = String(answered.metadata?.conversationId);
  await client(`/chat/messages/${answered.id}/feedback`, {
    as: ada.as,
    body: { rating: 'down', comment: '=cmd()' },
  });
  await chat.ask('Do you ship to Norway?');
  const bob = await openLink(client, session, { spaceId: space.id, sub: 'bob' });
  await new Chat(url, bob.as, 'two').ask('=Do you ship parcels to Norway, please?');
  await new Chat(url, bob.as, 'three').ask('Hello!');
  const guest = await openLink(client, session, { spaceId: space.id });
  await new Chat(url, guest.as, 'four').ask('Which colours do lamps have?');
  silent = (
    await openLink(client, session, {
      spaceId: space.id,
      sub: 'eve',
      features: { chatHistory: false },
    })
  ).as;
  await new Chat(url, silent, 'five').ask('A secret marker-question-7c2e about Norway?');
});
after(() => service[Symbol.asyncDispose]());

const get = async (rest: string, as = service.session) => {
  const answer = await service.client(`${path}${rest}`, { as });
  assert.equal(answer.status, 200, answer.text);
  return answer;
};
const list = async (query = '', as?: string) =>
  (await get(`/conversations?${query}`, as)).json['items'] as SpaceConversation[];
const titles = async (query: string) => (await list(query)).map(({ title }) => title).sort();

const REFUND = 'How long does a refund take?';
const NORWAY = '=Do you ship parcels to Norway, please?';
const LAMPS = 'Which colours do lamps have?';
const ALL = [NORWAY, 'Hello!', REFUND, LAMPS];

test('the list shows the conversations of all people, newest first, with counts', async () => {
  const all = await list();
  assert.deepEqual(
    all.map(({ title }) => title),
    [LAMPS, 'Hello!', NORWAY, REFUND],
  );
  const { id, sub, linkId, questions, unanswered, ratings } = all[3] as SpaceConversation;
  assert.deepEqual(
    { id, sub, linkId, questions, unanswered, ratings },
    {
      ...{ id: refund, sub: 'ada', linkId: null, questions: 2, unanswered: 1 },
      ratings: { up: 0, down: 1 },
    },
  );
  const guest = all[0] as SpaceConversation;
  assert.ok(guest.sub === null && guest.linkId !== null);
});

test('each filter narrows the list', async () => {
  assert.deepEqual(await titles('sub=bob'), [NORWAY, 'Hello!']);
  assert.deepEqual(await titles('sub=nobody'), []);
  assert.deepEqual(await titles(`linkId=${adaLink.toUpperCase()}`), [REFUND]);
  const guest = (await list()).find(({ linkId }) => linkId !== null);
  assert.deepEqual(await titles(`linkId=${guest?.linkId}`), [LAMPS]);
  assert.deepEqual(await titles(`linkId=${refund}`), []);
  assert.deepEqual(await titles(`linkId=${adaLink}&sub=bob`), []);
  assert.deepEqual(await titles('rating=down'), [REFUND]);
  assert.deepEqual(await titles('rating=up'), []);
  assert.deepEqual(await titles('answered=true'), ['Hello!']);
  assert.deepEqual(await titles('answered=false'), [NORWAY, REFUND, LAMPS]);
  const { createdAt } = (await list()).find(({ id }) => id === refund) as SpaceConversation;
  const next = new Date(Date.parse(createdAt) + 1).toISOString();
  assert.ok((await titles(`from=${createdAt}`)).includes(REFUND));
  assert.ok(!(await titles(`from=${next}`)).includes(REFUND));
  assert.deepEqual(await titles(`to=${createdAt}`), []);
  assert.deepEqual(await titles(`to=${next}`), [REFUND]);
  for (const wrong of ['from=tomorrow', 'to=2026-02-30T00:00:00Z', 'answered=1', 'rating=both']) {
    const answer = await service.client(`${path}/conversations?${wrong}`, { as: service.session });
    assert.equal(answer.status, 400, wrong);
  }
});

test('pages of a filtered list contain each conversation once', async () => {
  for (const filter of ['', '&answered=false']) {
    const found: string[] = [];
    let next: string | null = '';
    for (let page = 0; next !== null && page < 9; page++) {
      const after = next === '' ? '' : `&after=${encodeURIComponent(next)}`;
      const { json } = await get(`/conversations?limit=1${filter}${after}`);
      found.push(...(json['items'] as SpaceConversation[]).map(({ title }) => title));
      next = json['next'] as string | null;
    }
    assert.deepEqual(found.sort(), filter === '' ? ALL : [NORWAY, REFUND, LAMPS]);
  }
});

test('a conversation has its messages, sources and feedback, also if the link no longer sees the document', async () => {
  const { client, session } = service;
  const body = { permissionFilter: { level: { gt: 1 } } };
  assert.equal((await client(path, { method: 'PATCH', as: session, body })).status, 200);
  const shown = (await get(`/conversations/${refund.toUpperCase()}`))
    .json as unknown as SpaceConversationWithMessages;
  await client(path, { method: 'PATCH', as: session, body: { permissionFilter: null } });
  const { items, next } = shown.messages;
  assert.equal(next, null);
  assert.deepEqual(
    items.map(({ role, text, answered, rating, comment, linkId }) => [
      ...[role, text, answered, rating, comment, linkId],
    ]),
    [
      ['user', REFUND, null, null, null, adaLink],
      ['assistant', 'Five days [1].', true, 'down', '=cmd()', null],
      ['user', 'Do you ship to Norway?', null, null, null, adaLink],
      ['assistant', 'I do not know.', false, null, null, null],
    ],
  );
  assert.deepEqual(
    items[1]?.sources.map(({ number, title, heading }) => [number, title, heading]),
    [[1, 'Refunds', 'Refunds']],
  );
  const first = (await get(`/conversations/${refund}?limit=3`)).json['messages'] as {
    next: string;
  };
  const last = await get(`/conversations/${refund}?limit=3&after=${first.next}`);
  const rest = last.json['messages'] as SpaceConversationWithMessages['messages'];
  assert.deepEqual([rest.items.map(({ text }) => text), rest.next], [['I do not know.'], null]);
});

test('an export has all messages of the filtered conversations, and CSV cells are never formulas', async () => {
  const jsonl = await get('/conversations/export?format=jsonl');
  assert.equal(jsonl.headers.get('content-type'), 'application/jsonl');
  const lines = jsonl.text.trim().split('\n');
  const messages = lines.map((line) => JSON.parse(line) as ExportedMessage);
  assert.equal(messages.length, 10);
  assert.equal(messages.at(-1)?.conversationId, refund);
  const csv = await get('/conversations/export?format=csv&sub=bob');
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.match(csv.headers.get('content-disposition') ?? '', /filename="conversations\.csv"/);
  const [header, ...rows] = csv.text.trim().split('\r\n');
  assert.match(header ?? '', /^conversationId,title,sub,/);
  assert.equal(rows.length, 4);
  assert.ok(csv.text.includes(`"'${NORWAY}"`), csv.text);
  assert.match((await get('/conversations/export?format=csv&rating=down')).text, /,'=cmd\(\),/);
  assert.equal((await get('/conversations/export?format=jsonl&sub=nobody')).text, '');
});

test('similar unanswered questions form a group, and small talk is not unanswered', async () => {
  const { json } = await get('/questions?state=unanswered');
  const groups = json['items'] as QuestionGroup[];
  assert.deepEqual(
    groups.map(({ question, count, messages }) => [question, count, messages.length]),
    [
      [NORWAY, 2, 2],
      [LAMPS, 1, 1],
    ],
  );
  assert.deepEqual([json['examined'], json['isComplete']], [3, true]);
  assert.equal(groups[0]?.messages[1]?.conversationId, refund);
  const disliked = (await get('/questions?state=disliked')).json['items'] as QuestionGroup[];
  assert.deepEqual(
    disliked.map(({ question }) => question),
    [REFUND],
  );
  const one = (await get('/questions?state=unanswered&limit=1')).json;
  assert.deepEqual([(one['items'] as unknown[]).length, one['isComplete']], [1, false]);
  const newest = groups[0]?.newestAt ?? '';
  const earlier = (await get(`/questions?state=unanswered&to=${newest}`)).json;
  assert.equal(earlier['examined'], 1);
});

test('every read is in the audit with the reader and the person, and without any text', async () => {
  const { client, session, space } = service;
  const key = await makeKey(client, session, space.id, ['conversations:read']);
  await list('sub=bob&answered=false', key);
  await get(`/conversations/${refund}`, key);
  await get('/conversations/export?format=csv&sub=ada', key);
  await get('/questions?state=disliked', key);
  const answer = await client(`/audit?spaceId=${space.id}&limit=4`, { as: session });
  const entries = answer.json['items'] as AuditEntry[];
  assert.deepEqual(
    entries.map(({ action, actor, resource, sub, details }) => [
      ...[action, actor.type, resource.id, sub, details],
    ]),
    [
      ['questions.listed', 'api-key', null, null, { state: 'disliked' }],
      ['conversations.exported', 'api-key', null, 'ada', { format: 'csv' }],
      ['conversation.read', 'api-key', refund, 'ada', null],
      ['conversations.listed', 'api-key', null, 'bob', { answered: 'false' }],
    ],
  );
  assert.ok(!answer.text.includes('refund take'));
});

test('if nobody may read, owners, administrators and keys get 403, and the change back is audited with its value', async () => {
  const { client, session, space } = service;
  const key = await makeKey(client, session, space.id, ['conversations:read']);
  const change = (conversationAccess: string) =>
    client(path, { method: 'PATCH', as: session, body: { conversationAccess } });
  assert.equal((await change('nobody')).json['conversationAccess'], 'nobody');
  const reads = ['/conversations', `/conversations/${refund}`, '/questions?state=disliked'];
  for (const rest of [...reads, '/conversations/export?format=jsonl'])
    for (const as of [session, key])
      assert.equal((await client(`${path}${rest}`, { as })).status, 403, rest);
  assert.equal((await change('everybody')).status, 400);
  assert.equal((await change('owners')).status, 200);
  const answer = await client(`/audit?action=space.changed&limit=2`, { as: session });
  const changed = ['conversationAccess'];
  assert.deepEqual(
    (answer.json['items'] as AuditEntry[]).map(({ details }) => details),
    [
      { changed, conversationAccess: 'owners' },
      { changed, conversationAccess: 'nobody' },
    ],
  );
  await list('', key);
});

test('a conversation of another space does not exist', async () => {
  const { client, session } = service;
  const other = await makeSpace(client, session);
  const answer = await client(`/spaces/${other.id}/conversations/${refund}`, { as: session });
  assert.deepEqual([answer.status, answer.json['code']], [404, 'chat.conversation-not-found']);
  const empty = await client(`/spaces/${other.id}/conversations`, { as: session });
  assert.deepEqual(empty.json['items'], []);
  const filtered = await client(`/spaces/${other.id}/conversations?linkId=${adaLink}`, {
    as: session,
  });
  assert.deepEqual(filtered.json['items'], []);
});

test('without a history, no question and no answer is stored anywhere', async () => {
  for (const rest of [
    '/conversations?limit=200',
    '/conversations/export?format=jsonl',
    '/questions?state=unanswered',
  ])
    assert.doesNotMatch((await get(rest)).text, /marker-/i);
  const bytes = await allStored(service.dataDir);
  assert.ok(bytes.includes('colours do lamps'));
  for (const marker of ['marker-question-7c2e', 'Marker-answer-9d1f'])
    assert.ok(!bytes.includes(marker), marker);
  assert.ok(!service.logLines.join('').includes('marker-question-7c2e'));
});

test('conversations are removed after their retention', async () => {
  const { dataDir, rows, stop } = service;
  assert.notEqual((await rows('select id from messages')).length, 0);
  await stop();
  const restarted = await startInProcess(dataDir, {
    env: { GATEHOUSE_CONVERSATION_DAYS: '30' },
    clock: () => Date.now() + 31 * DAY_MS,
  });
  try {
    await until('the conversations are removed', async () => {
      return (await rows('select id from conversations')).length === 0;
    });
    assert.deepEqual(await rows('select id from messages'), []);
  } finally {
    await restarted.stop();
  }
});
