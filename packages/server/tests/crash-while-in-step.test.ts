import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DOCUMENT_DELETED, type Document } from '@gatehouse/contract';
import { type Client, clientOf } from './support/client.ts';
import { documentEvent, documentEvents } from './support/document-events.ts';
import { readFeed, type SentEvent } from './support/events.ts';
import { untilRead } from './support/knowledge.ts';
import { makeKey, makeSpace, signIn } from './support/provision.ts';
import { seeded } from './support/seeded.ts';
import { startService, temporaryDirectory } from './support/service.ts';

const ROUNDS = Number(process.env['GATEHOUSE_TEST_ROUNDS'] ?? 10);
const SEED = Number(process.env['GATEHOUSE_TEST_SEED'] ?? randomInt(2 ** 32));
const SUBJECTS = 40;
const CLIENTS = 3;
const MAX_EVENTS = 12;
const SENDING_MS = 400;

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const random = seeded(SEED);

interface Said {
  readonly fileName: string;
  readonly text: string;
  readonly metadata: { readonly version: number; readonly team: string };
}

let versions = 0;
const sent: SentEvent[] = [];

/** Mostly a new version; sometimes only new metadata, a deletion, nonsense, or an event of before. */
function nextEvent(): SentEvent {
  const kind = random.next();
  if (kind < 0.1 && sent.length > 0) return random.pick(sent);
  const subject = `s${random.below(SUBJECTS)}`;
  if (kind < 0.25) return documentEvent({ subject });
  if (kind < 0.3) return documentEvent({ subject, data: { fileName: 'a/b' } });
  versions += 1;
  const version = versions;
  const words = `of ${subject} `.repeat(random.below(400));
  const text = kind < 0.45 ? `Standing ${subject}.` : `Word w${version}x ${words}`;
  const metadata = { version, team: random.pick(['a', 'b']) };
  return documentEvent({ subject, data: { fileName: `${subject}.txt`, text, metadata } });
}

async function sendUntilItBreaks(client: Client, key: string, acknowledged: Set<unknown>) {
  for (;;) {
    const events = Array.from({ length: 1 + random.below(MAX_EVENTS) }, nextEvent);
    const answer = await client('/events', { as: key, body: { events } }).catch(() => null);
    sent.push(...events);
    if (answer === null) return;
    assert.deepEqual([answer.status, answer.json['failed']], [200, 0], answer.text);
    for (const { id } of events) acknowledged.add(id);
  }
}

/** What the feed says that there is: its events one after the other, by the contract. */
function expectedOf(feed: readonly SentEvent[]): Map<string, Said> {
  const documents = new Map<string, Said>();
  for (const { type, subject, data } of feed as { type: string; subject: string; data: Said }[]) {
    if (type === DOCUMENT_DELETED) documents.delete(subject);
    else if (data.text !== undefined) documents.set(subject, data);
  }
  return documents;
}

/** Waits until the newest event of every subject was looked at. */
async function untilInStep(client: Client, key: string, spaceId: string, feed: SentEvent[]) {
  const newest = new Map(feed.map(({ subject, id }) => [subject, id]));
  for (let wait = 0; wait < 600; wait += 1) {
    const looked = new Map<unknown, unknown>();
    for (const event of await documentEvents(client, key, spaceId))
      looked.set(event.subject, event.eventId);
    if ([...newest].every(([subject, id]) => looked.get(subject) === id)) return;
    await sleep(50);
  }
  assert.fail('the documents are not in step within half a minute');
}

test(`documents are what the events say after ${ROUNDS} kills while they stream in`, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const acknowledged = new Set<unknown>();
  let [spaceId, key] = ['', ''];
  for (let round = 0; round < ROUNDS; round += 1) {
    await using service = await startService(directory.path);
    const client = clientOf(service.url);
    if (key === '') {
      const session = await signIn(client);
      spaceId = (await makeSpace(client, session)).id;
      key = await makeKey(client, session, spaceId, ['events:write', 'knowledge:write', 'read']);
    }
    const clients = Array.from({ length: CLIENTS }, () =>
      sendUntilItBreaks(client, key, acknowledged),
    );
    await sleep(random.below(SENDING_MS));
    await service.stop('SIGKILL');
    await Promise.all(clients);
  }

  await using service = await startService(directory.path);
  const client = clientOf(service.url);
  const feed = (await readFeed(client, key)).items.map(({ event }) => event);
  const ids = new Set(feed.map(({ id }) => id));
  assert.equal(ids.size, feed.length, 'an event is in the feed twice');
  assert.deepEqual(
    [...acknowledged].filter((id) => !ids.has(id)),
    [],
    'an event is lost',
  );
  await untilInStep(client, key, spaceId, feed);
  await untilRead(client, key, spaceId);

  const expected = expectedOf(feed);
  const shown = await client(`/spaces/${spaceId}/documents?limit=200`, { as: key });
  const documents = shown.json['items'] as Document[];
  const actual = new Map<string, Said>();
  for (const { id, fileName, metadata, state } of documents) {
    assert.equal(state, 'ready');
    const { text } = await client(`/spaces/${spaceId}/documents/${id}/content`, { as: key });
    actual.set(fileName.replace('.txt', ''), { fileName, text, metadata } as unknown as Said);
  }
  assert.equal(actual.size, documents.length, 'a subject has two documents');
  assert.deepEqual(actual, expected);
  await assertFound(client, key, spaceId, feed, expected);
  t.diagnostic(`${feed.length} events, ${documents.length} documents`);
});

/** A search finds the words of what stands, under its metadata, and none of what stood before. */
async function assertFound(
  client: Client,
  as: string,
  spaceId: string,
  feed: readonly SentEvent[],
  expected: ReadonlyMap<string, Said>,
) {
  for (const { subject, data } of feed as { subject: string; data?: Said }[]) {
    const [word] = /w\d+x/.exec(data?.text ?? '') ?? [];
    if (word === undefined || random.next() < 0.5) continue;
    const standing = expected.get(subject);
    const stands = standing?.text.includes(word) ?? false;
    const filter = { version: { eq: standing?.metadata.version ?? 0 } };
    const body = { query: `"${word}"`, ...(stands ? { filter } : {}) };
    const found = await client(`/spaces/${spaceId}/search`, { as, body });
    assert.equal((found.json['items'] as unknown[]).length > 0, stands, `${word}: ${found.text}`);
  }
}
