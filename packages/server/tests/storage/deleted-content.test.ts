/** Deleted content is overwritten in all files of the data directory. Requires the embedded store. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { attach } from '../support/assistant/attachments.ts';
import { Chat, openLink } from '../support/assistant/chat.ts';
import { makeEvent } from '../support/events/events.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import { untilIndexed } from '../support/knowledge/knowledge.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { stored } from '../support/storage/stored.ts';
import { until } from '../support/until.ts';

const directory = temporaryDirectory();
let service = await startService(directory.path);
after(async () => {
  await service.stop();
  directory[Symbol.dispose]();
});

const WITHIN_MS = 60_000;
const SUB = 'wxmarkersub-Zoë/42';
/** Words that occur only in the content of one test. */
const word = (name: string) => `wxmarker${name}`;

/** Returns the searched values that a file of the data directory contains. */
function remaining(values: ReadonlyMap<string, Buffer>): string[] {
  const found = new Set<string>();
  for (const entry of readdirSync(directory.path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    for (const [name, value] of values)
      if (bytes.includes(value)) found.add(`${name} in ${entry.name}`);
  }
  return [...found];
}

function randomWords(): string {
  return Array.from({ length: 30 }, () => Math.random().toString(36).slice(2, 9)).join(' ');
}

const SAMPLE_BYTES = 24;

/** Returns samples of stored bytes, by which encoded and compressed content is found. */
async function samplesOf(sql: string): Promise<Map<string, Buffer>> {
  const samples = new Map<string, Buffer>();
  for (const { name, bytes } of await stored(directory.path, sql)) {
    const blob = Buffer.from(bytes as Uint8Array);
    for (let at = 8; at + SAMPLE_BYTES <= blob.length; at += 97) {
      const sample = blob.subarray(at, at + SAMPLE_BYTES);
      if (new Set(sample).size > SAMPLE_BYTES / 2) samples.set(`${name} at ${at}`, sample);
    }
  }
  return samples;
}

const words = (...names: string[]) =>
  new Map(names.map((name) => [name, Buffer.from(word(name))] as const));

interface Content {
  readonly client: Client;
  readonly url: string;
  readonly admin: string;
  readonly spaceId: string;
  readonly key: string;
}

async function content(url: string): Promise<Content> {
  const client = clientOf(url);
  const admin = await signIn(client);
  const { id: spaceId } = await makeSpace(client, admin);
  const key = await makeKey(client, admin, spaceId, ['links:write', 'events:write']);
  return { client, url, admin, spaceId, key };
}

/** Stores data about a person in every table that may contain it. */
async function storePerson({ client, url, admin, spaceId, key }: Content) {
  const link = {
    spaceId,
    sub: SUB,
    email: `${word('email')}@example.com`,
    userInformation: { note: word('information') },
    context: { note: word('context') },
    permissionFilter: { customer: { eq: word('filter') } },
    widget: { title: word('title') },
  };
  const { as } = await openLink(client, admin, link);
  const again = { as: key, body: link, headers: { 'idempotency-key': 'person' } };
  assert.equal((await client('/assistant-link', again)).status, 200);
  const chat = new Chat(url, as);
  const { part } = await attach(url, as, chat.id, {
    name: 'own.txt',
    content: `${word('sent')} ${randomWords()}`,
  });
  await attach(url, as, chat.id, { name: `${word('unsent')}.txt`, content: randomWords() });
  const answer = await chat.ask(`Where is ${word('question')}?`, undefined, [part]);
  const rating = { rating: 'down', comment: word('comment') };
  const rated = await client(`/chat/messages/${answer.id}/feedback`, { as, body: rating });
  assert.equal(rated.status, 204, rated.text);
  // A short batch is stored as text, and a long batch is compressed.
  const events = [
    [makeEvent({ subject: SUB, data: word('event') })],
    Array.from({ length: 40 }, (_, index) =>
      makeEvent({ subject: SUB, data: `${word('batch')} ${index} ${Math.random()}` }),
    ),
  ];
  for (const batch of events)
    assert.equal((await client('/events', { as: key, body: { events: batch } })).status, 200);
}

async function untilGone(values: ReadonlyMap<string, Buffer>): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  let left = remaining(values);
  while (left.length > 0 && performance.now() < deadline) {
    await sleep(500);
    left = remaining(values);
  }
  assert.deepEqual(left, []);
}

const PERSON = [
  'sub',
  'email',
  'information',
  'context',
  'filter',
  'title',
  'question',
  'comment',
  'sent',
  'unsent',
  'event',
] as const;

test('a deleted document with its earlier versions and a deleted conversation are overwritten', async () => {
  const deleted = words(
    ...['text', 'heading', 'file', 'metadata', 'url', 'ask', 'earlier', 'before'],
    ...['attached', 'attachment', 'large'],
  );
  const { client, admin, spaceId } = await content(service.url);
  const paragraphs = Array.from(
    { length: 120 },
    (_, index) => `## ${word('heading')} ${index}\n\n${word('text')} ${randomWords()}`,
  );
  const created = await client(`/spaces/${spaceId}/documents`, {
    as: admin,
    body: {
      fileName: `${word('file')}.md`,
      markdown: paragraphs.join('\n\n'),
      metadata: { note: word('metadata') },
      url: `https://example.com/${word('url')}`,
    },
  });
  assert.equal(created.status, 201, created.text);
  const byKey = `/spaces/${spaceId}/documents/by-key/versions`;
  const put = (text: string, metadata: object) =>
    client(byKey, { method: 'PUT', as: admin, body: { fileName: 'v.txt', text, metadata } });
  await put(word('earlier'), { note: word('before') });
  const versioned = `/spaces/${spaceId}/documents/${(await put('Nothing.', {})).json['id']}`;
  await untilIndexed(client, admin, spaceId);
  const { as } = await openLink(client, admin, { spaceId });
  const chat = new Chat(service.url, as);
  const { part } = await attach(service.url, as, chat.id, {
    name: `${word('attachment')}.txt`,
    content: `${word('attached')} ${randomWords()}`,
  });
  await chat.ask(`What is ${word('ask')}?`, undefined, [part]);
  // The file is staged in the store while it arrives.
  await attach(service.url, as, chat.id, {
    name: 'large.txt',
    content: `${`${word('large')} ${' '.repeat(100_000)}\n`.repeat(25)}`,
  });
  const { json } = await client('/chat/conversations', { as });
  const [conversation] = json['items'] as { id: string }[];
  assert.equal(remaining(deleted).length >= deleted.size, true, `${remaining(deleted)}`);
  const encoded = await samplesOf(
    "select 'terms ' || id as name, terms as bytes from term_vectors",
  );
  assert.ok(encoded.size > 10);
  for (const path of [
    created.headers.get('location'),
    versioned,
    `/chat/conversations/${conversation?.id}`,
  ]) {
    const caller = path?.startsWith('/chat') ? as : admin;
    assert.equal((await client(String(path), { method: 'DELETE', as: caller })).status, 204);
  }
  await untilGone(new Map([...deleted, ...encoded]));
});

test('the data of an erased person is overwritten while the service runs, after a kill, and after a stop', async () => {
  const person = words(...PERSON);
  const erase = async ({ client, admin, spaceId }: Content) => {
    const path = `/spaces/${spaceId}/subjects/${encodeURIComponent(SUB)}?events=true`;
    const answer = await client(path, { method: 'DELETE', as: admin });
    assert.equal(answer.status, 200, answer.text);
    const { conversations, links, removedEvents } = answer.json;
    assert.deepEqual([conversations, links, removedEvents], [1, 2, 41]);
  };
  const one = await content(service.url);
  await storePerson(one);
  // A checkpoint can move the content between the reads of the database and of its log.
  await until(
    'a file contains each word',
    () => new Set(remaining(person).map((name) => name.split(' ')[0])).size === PERSON.length,
  );
  const compressed = await samplesOf(
    "select 'batch ' || id as name, texts as bytes from event_batches where encoding = 'zstd'",
  );
  assert.ok(compressed.size > 5);
  await erase(one);
  await untilGone(new Map([...person, ...compressed]));

  const two = await content(service.url);
  await storePerson(two);
  await erase(two);
  await service.stop('SIGKILL');
  service = await startService(directory.path);
  await untilGone(person);

  const three = await content(service.url);
  await storePerson(three);
  await erase(three);
  assert.equal(await service.stop(), 0);
  assert.deepEqual(remaining(person), []);
});
