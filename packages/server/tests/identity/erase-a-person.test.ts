import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { AuditEntry, Erasure } from '@gatehouse/contract';
import { Chat, exchange, openLink } from '../support/assistant/chat.ts';
import { openChatService } from '../support/assistant/chat-service.ts';
import { echo } from '../support/assistant/shown-prompt.ts';
import { ingest, makeEvent, makeEvents, readFeed } from '../support/events/events.ts';
import { ALLOW_RECEIVERS, startReceiver } from '../support/events/receiver.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import { clientOf } from '../support/http/client.ts';
import { makeKey, makeLink, makeSpace } from '../support/provision.ts';
import { until } from '../support/until.ts';

const service = await openChatService({ env: ALLOW_RECEIVERS });
after(() => service[Symbol.asyncDispose]());
const { client, session, model } = service;

const NOTHING: Erasure = {
  conversations: 0,
  messages: 0,
  feedback: 0,
  attachments: 0,
  links: 0,
  storedResponses: 0,
  auditEntries: 0,
  events: 0,
  removedEvents: 0,
  removedDeliveries: 0,
  changedRecords: 0,
};

async function newSpace() {
  const { id: spaceId, botId } = await makeSpace(client, session);
  const key = await makeKey(client, session, spaceId);
  const erase = async (sub: string, query = ''): Promise<Erasure> => {
    const path = `/spaces/${spaceId}/subjects/${encodeURIComponent(sub)}${query}`;
    const answer = await client(path, { method: 'DELETE', as: session });
    assert.equal(answer.status, 200, answer.text);
    return answer.json as unknown as Erasure;
  };
  const audit = async (query = '') => {
    const answer = await client(`/audit?spaceId=${spaceId}&limit=200${query}`, { as: session });
    return answer.json['items'] as AuditEntry[];
  };
  return { spaceId, botId, key, erase, audit };
}

/** Returns all rows of the space that contain a text, as `table: row`. */
async function rowsWith(text: string): Promise<string[]> {
  const tables = ['links', 'conversations', 'messages', 'audit_entries', 'idempotent_responses'];
  const found: string[] = [];
  for (const table of tables)
    for (const row of await service.rows(`select * from ${table}`)) {
      const json = JSON.stringify(row);
      if (json.includes(JSON.stringify(text).slice(1, -1))) found.push(`${table}: ${json}`);
    }
  return found;
}

test('erases everything that a space stores about one person, and nothing else', async () => {
  const { spaceId, key, erase, audit } = await newSpace();
  const claims = (sub: string) => ({
    sub,
    email: `${sub}@example.com`,
    userInformation: { sub },
    context: { sub },
    permissionFilter: { customer: { eq: sub } },
    filter: { customer: { eq: sub } },
    systemPromptInsertion: `The user is ${sub}.`,
    widget: { title: sub },
  });
  const chats = new Map<string, string>();
  for (const sub of ['ada-4711', 'bob-4711']) {
    const opened = await openLink(client, session, { spaceId, ...claims(sub) });
    chats.set(sub, opened.as);
    const chat = new Chat(service.url, opened.as);
    const answer = await chat.ask(`I am ${sub}.`);
    await chat.ask('And again?');
    const body = { rating: 'up', comment: `from ${sub}` };
    await client(`/chat/messages/${answer.id}/feedback`, { as: opened.as, body });
    const keyed = { as: key, body: claims(sub), headers: { 'idempotency-key': sub } };
    assert.equal((await client('/assistant-link', keyed)).status, 200);
    const expired = await makeLink(client, key, { ...claims(sub), ttlSeconds: 60 });
    assert.equal(
      (await client(`/assistant-link/${expired.id}`, { method: 'DELETE', as: key })).status,
      204,
    );
  }
  // Exchanges are counted in the background. A list waits for the counts.
  await client('/assistant-link', { as: key });
  const othersBefore = (await rowsWith('bob-4711')).sort();
  assert.equal((await rowsWith('ada-4711')).length, othersBefore.length);

  const erased = await erase('ada-4711');
  assert.deepEqual(erased, {
    ...NOTHING,
    conversations: 1,
    messages: 4,
    feedback: 1,
    links: 3,
    storedResponses: 1,
    auditEntries: 5,
  });
  assert.deepEqual(await rowsWith('ada-4711'), []);
  assert.deepEqual((await rowsWith('bob-4711')).sort(), othersBefore);
  assert.deepEqual(await erase('ada-4711'), NOTHING);

  const ended = await client('/chat/conversations', { as: chats.get('ada-4711') });
  assert.equal(ended.status, 410, ended.text);
  assert.equal((await client('/chat/conversations', { as: chats.get('bob-4711') })).status, 200);
  const { json } = await client('/assistant-link?state=revoked', { as: key });
  const links = json['items'] as { id: string; sub: string | null }[];
  assert.deepEqual(links.map(({ sub }) => sub).sort(), ['bob-4711', null, null, null]);
  const cleared = links.find(({ sub }) => sub === null);
  const shown = await client(`/assistant-link/${cleared?.id}`, { as: key });
  assert.deepEqual(Object.keys(shown.json['jwtPayload'] as object), ['v', 'spaceId', 'exp']);
  assert.equal(shown.json['userInformation'], null);
  const [newest] = await audit();
  assert.equal(newest?.action, 'person.erased');
  assert.match(newest?.sub ?? '', /^erased:[\w-]{43}$/);
  assert.equal(newest?.details?.['conversations'], 1);
  const linked = (await audit()).filter(({ sub }) => sub === newest?.sub);
  assert.equal(linked.length, 6);
});

test('a long `sub` disappears from the records of what the team did, and with it the answers of the team', async () => {
  const { spaceId, botId, erase, audit } = await newSpace();
  const sub = `long-4711-${'x'.repeat(1600)}`;
  const change = { method: 'PATCH', as: session, body: { handoff: {} } };
  assert.equal((await client(`/bots/${botId}`, change)).status, 200);
  const { as } = await openLink(client, session, { spaceId, sub });
  const chat = new Chat(service.url, as);
  const { metadata } = await chat.ask('May I talk to a person?');
  const id = String(metadata?.conversationId);
  const asked = await client('/chat/handoff', { as, body: { id: chat.id } });
  assert.equal(asked.status, 200, asked.text);
  const path = `/spaces/${spaceId}/conversations`;
  const list = await client(`${path}?sub=${sub}`, { as: session });
  assert.equal((list.json['items'] as object[]).length, 1, list.text);
  assert.equal((await client(`${path}/${id}`, { as: session })).status, 200);
  const keyed = { 'idempotency-key': 'answer' };
  const sent = { as: session, headers: keyed, body: { text: 'Hello', author: 'Grace' } };
  assert.equal((await client(`${path}/${id}/messages`, sent)).status, 201);
  await client(`${path}/${id}/handoff`, { method: 'DELETE', as: session });
  const { storedResponses } = await erase(sub);
  assert.equal(storedResponses, 1);
  assert.deepEqual(await rowsWith('long-4711'), []);
  const ofPerson = (await audit()).filter((entry) => entry.sub?.startsWith('erased:'));
  const actions = ofPerson
    .map(({ action }) => action)
    .filter((name) => /^conversation\./.test(name));
  assert.deepEqual(actions.toSorted(), [
    'conversation.answered',
    'conversation.handoff-ended',
    'conversation.read',
  ]);
});

test('a running answer ends, and nothing of it is stored', async () => {
  const { spaceId, erase } = await newSpace();
  const { as } = await openLink(client, session, { spaceId, sub: 'asking' });
  model.behave({ does: 'stall', pieces: ['The start '] });
  const chat = new Chat(service.url, as);
  const isStreaming = new Promise<void>((resolve) => {
    chat.onGrowth = () => resolve();
  });
  const answer = chat.ask('A long question?');
  await isStreaming;
  const { conversations, messages } = await erase('asking');
  assert.deepEqual([conversations, messages], [1, 1]);
  const { metadata } = await answer;
  assert.equal(metadata?.state, 'failed');
  model.behave(echo);
  assert.deepEqual(
    await service.rows('select id from conversations where space_id = ?', spaceId),
    [],
  );
  assert.deepEqual(await service.rows('select id from messages where space_id = ?', spaceId), []);
});

test('questions that arrive during the erasure leave nothing', async () => {
  const { spaceId, erase } = await newSpace();
  const { as } = await openLink(client, session, { spaceId, sub: 'eager' });
  const chats = Array.from(
    { length: 12 },
    (_, index) => new Chat(service.url, as, `chat-${index}`),
  );
  const [first, ...others] = chats;
  await first?.ask('The first question?');
  const asked = others.map((chat) => chat.ask('Is this stored?').catch(() => null));
  await erase('eager');
  await Promise.all(asked);
  assert.deepEqual(
    await service.rows('select id from conversations where space_id = ?', spaceId),
    [],
  );
});

test('accepts every `sub` and requires an exact match', async () => {
  const { spaceId, key, erase } = await newSpace();
  const long = 'x'.repeat(4000);
  const subs = [
    'Zoë 😀/..%2F?#&=',
    'a',
    'A',
    ' a',
    `${long}1`,
    `${long}2`,
    'https://id.example/u?x=1',
  ];
  for (const sub of subs) await makeLink(client, key, { spaceId, sub });
  for (const sub of subs) assert.equal((await erase(sub)).links, 1, sub.slice(0, 50));
  const invalid = async (path: string) => {
    const answer = await client(`/spaces/${spaceId}/subjects/${path}`, {
      method: 'DELETE',
      as: session,
    });
    return answer.status;
  };
  assert.equal(await invalid('a%00b'), 400);
  assert.equal(await invalid('a?events=yes'), 400);
  assert.equal(await invalid('a?spaceId=x'), 400);
  const bare = clientOf(service.url);
  for (const path of [
    '',
    '%',
    '%E0%A4%A',
    '%ED%A0%80',
    '%FF',
    '%2e%2e',
    `${'%F0%9F%98%80'.repeat(1500)}`,
  ]) {
    const sent = { method: 'DELETE', as: session };
    const { status } = await bare(`/spaces/${spaceId}/subjects/${path}`, sent);
    assert.ok(status < 500, `${status} for ${path.slice(0, 20)}`);
  }
});

test('counts the events of the person and removes them with their deliveries on request', async () => {
  const { spaceId, key, erase } = await newSpace();
  await using receiver = await startReceiver();
  const { subscribe, deliveries, show } = subscribingIn(client, session, spaceId);
  const { id } = await subscribe({ url: receiver.url });
  receiver.behave(({ event }) => ({ status: event['data'] === 'fails' ? 500 : 200 }));
  const ada = { subject: 'ada' };
  const events = [
    ...makeEvents(3, ada),
    ...makeEvents(2, { subject: 'bob' }),
    ...makeEvents(2, { ...ada, source: 'urn:failing', data: 'fails' }),
    makeEvent({ subject: 'bob', source: 'urn:failing', data: 'fails' }),
  ];
  await ingest(client, { as: key, body: { events } });
  const delivered = () => deliveries(id, '&state=delivered');
  await until('all were attempted', async () => {
    return (await delivered()).length === 5 && (await show(id)).waiting === 3;
  });

  assert.deepEqual(await erase('ada'), { ...NOTHING, events: 5 });
  assert.equal((await readFeed(client, key)).items.length, 8);
  assert.deepEqual(await erase('ada', '?events=true'), {
    ...NOTHING,
    events: 5,
    removedEvents: 5,
    removedDeliveries: 5,
  });
  assert.deepEqual(await erase('ada', '?events=true'), NOTHING);

  const { items, resume } = await readFeed(client, key);
  assert.deepEqual(
    items.map(({ event }) => event['subject']),
    ['bob', 'bob', 'bob'],
  );
  assert.deepEqual(
    (await delivered()).map(({ subject }) => subject),
    ['bob', 'bob'],
  );
  assert.deepEqual(
    (await deliveries(id)).map(({ subject }) => subject),
    ['bob'],
  );
  assert.equal((await show(id)).waiting, 1);
  // A removed event is a duplicate if it is sent again.
  assert.equal((await ingest(client, { as: key, body: { events } })).processed, 8);
  await ingest(client, { as: key, body: { events: [makeEvent({ id: 'next' })] } });
  assert.deepEqual(
    (await readFeed(client, key, resume)).items.map(({ event }) => event['id']),
    ['next'],
  );
  await until('the next event is delivered', () => receiver.taken().includes('next'));
});

test('the person can come back: a new link of the same `sub` has an empty history', async () => {
  const { spaceId, erase } = await newSpace();
  const first = await openLink(client, session, { spaceId, sub: 'again' });
  await new Chat(service.url, first.as).ask('Do you remember me?');
  await erase('again');
  const second = await openLink(client, session, { spaceId, sub: 'again' });
  assert.equal(second.conversationId, null);
  await new Chat(service.url, second.as).ask('And now?');
  assert.notEqual((await exchange(client, second.linkToken)).conversationId, null);
});
