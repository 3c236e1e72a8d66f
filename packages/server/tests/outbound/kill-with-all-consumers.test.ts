/**
 * Crash test of all consumers of the event log: a subscription, a sink and the indexing of documents. In each round
 * clients send events, including document events. Then the process is killed with SIGKILL at a random time and
 * restarted on the same data directory. `GATEHOUSE_TEST_SEED` reproduces the random choices of a run, but not the exact
 * timing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { type NatsServer, NO_NATS, startNats } from '../support/brokers/nats-server.ts';
import { assertDelivered, lanesOf } from '../support/events/delivered.ts';
import { idsOf, makeEvent, readFeed, type SentEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS, startReceiver } from '../support/events/receiver.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import { documentEvent } from '../support/knowledge/document-events.ts';
import {
  assertDocumentsMatchFeed,
  documentsInFeed,
  type FeedDocument,
} from '../support/knowledge/documents-match-feed.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

const ROUNDS = roundsOf(2, 200);
const SUBJECTS = 30;
const CLIENTS = 3;
const MAX_EVENTS = 12;
const SENDING_MS = 500;
const random = seeded(SEED);

let versions = 0;
const sent: SentEvent[] = [];

/**
 * Returns a random event. Most events are new versions of a document. The others change metadata, delete a document,
 * are invalid, are duplicates or do not concern documents.
 */
function nextEvent(): SentEvent {
  const kind = random.next();
  if (kind < 0.1 && sent.length > 0) return random.pick(sent);
  const subject = `s${random.below(SUBJECTS)}`;
  if (kind < 0.25) return makeEvent({ subject, data: 'x'.repeat(random.below(500)) });
  if (kind < 0.4) return documentEvent({ subject });
  if (kind < 0.45) return documentEvent({ subject, data: { fileName: 'a/b' } });
  versions += 1;
  const version = versions;
  const words = `of ${subject} `.repeat(random.below(400));
  const text = kind < 0.55 ? `Standing ${subject}.` : `Word w${version}x ${words}`;
  const metadata = { version, team: random.pick(['a', 'b']) };
  return documentEvent({ subject, data: { fileName: `${subject}.txt`, text, metadata } });
}

async function sendUntilKilled(client: Client, key: string, acknowledged: Set<unknown>) {
  for (;;) {
    const events = Array.from({ length: 1 + random.below(MAX_EVENTS) }, nextEvent);
    const answer = await client('/events', { as: key, body: { events } }).catch(() => null);
    sent.push(...events);
    if (answer === null) return;
    assert.deepEqual([answer.status, answer.json['failed']], [200, 0], answer.text);
    for (const { id } of events) acknowledged.add(id);
  }
}

/**
 * Asserts that searches find the current version of each document by its text and metadata, and do not find previous
 * versions.
 */
async function assertFound(client: Client, as: string, spaceId: string, feed: SentEvent[]) {
  const documents = documentsInFeed(feed);
  for (const { subject, data } of feed as { subject: string; data?: FeedDocument }[]) {
    const [word] = /w\d+x/.exec(data?.text ?? '') ?? [];
    if (word === undefined || random.next() < 0.5) continue;
    const now = documents.get(`${subject}.txt`);
    const isCurrent = now?.text.includes(word) ?? false;
    const filter = isCurrent ? { filter: { version: { eq: now?.metadata['version'] } } } : {};
    const body = { query: `"${word}"`, ...filter };
    const found = await client(`/spaces/${spaceId}/search`, { as, body });
    assert.equal(
      (found.json['items'] as unknown[]).length > 0,
      isCurrent,
      `${word}: ${found.text}`,
    );
  }
}

/** Asserts that the stream contains every event of the feed once and the events of each lane in order. */
async function assertStreamed(nats: NatsServer, feed: readonly SentEvent[]): Promise<void> {
  await until('all events are in the stream', async () => (await nats.count()) >= feed.length);
  const streamed = (await nats.messages()).map(({ text }) => JSON.parse(text) as SentEvent);
  assert.deepEqual(idsOf(streamed).toSorted(), idsOf(feed).toSorted());
  const lanes = (events: readonly SentEvent[]) => lanesOf(events).map(idsOf).toSorted();
  assert.deepEqual(lanes(streamed), lanes(feed));
}

test(`after ${ROUNDS} kills every consumer has received all events in order, and the documents match the events`, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  using directory = temporaryDirectory();
  await using opened = new AsyncDisposableStack();
  const receiver = opened.use(await startReceiver());
  receiver.behave(() => ({ status: random.next() < 0.05 ? 500 : 200 }));
  const nats = NO_NATS === false ? opened.use(await startNats()) : null;
  if (nats === null) t.diagnostic(`without a sink: ${NO_NATS}`);
  await nats?.addStream();
  const options = {
    env: { ...ALLOW_RECEIVERS, ...(nats === null ? {} : { GATEHOUSE_NATS_URL: nats.url }) },
  };

  const acknowledged = new Set<unknown>();
  let [spaceId, key] = ['', ''];
  for (let round = 0; round < ROUNDS; round += 1) {
    await using service = await startService(directory.path, options);
    const client = clientOf(service.url);
    if (key === '') {
      const session = await signIn(client);
      spaceId = (await makeSpace(client, session)).id;
      key = await makeKey(client, session, spaceId, ['events:write', 'knowledge:write', 'read']);
      await subscribingIn(client, session, spaceId).subscribe({ url: receiver.url });
    }
    const clients = Array.from({ length: CLIENTS }, () =>
      sendUntilKilled(client, key, acknowledged),
    );
    await sleep(random.below(SENDING_MS));
    await service.stop('SIGKILL');
    await Promise.all(clients);
  }

  await using service = await startService(directory.path, options);
  const client = clientOf(service.url);
  const feed = (await readFeed(client, key)).items.map(({ event }) => event);
  const ids = new Set<unknown>(idsOf(feed));
  assert.equal(ids.size, feed.length, 'the feed contains each event once');
  assert.deepEqual(
    [...acknowledged].filter((id) => !ids.has(id)),
    [],
    'the feed contains every acknowledged event',
  );

  await assertDocumentsMatchFeed(client, key, spaceId, feed);
  await assertFound(client, key, spaceId, feed);
  const taken = () => new Set(receiver.taken());
  await until('all events are delivered', () => taken().size >= feed.length);
  assertDelivered(receiver, feed);
  if (nats !== null) await assertStreamed(nats, feed);
  t.diagnostic(
    `${feed.length} events, ${documentsInFeed(feed).size} documents, ${receiver.received.length} requests`,
  );
  assert.equal(await service.stop(), 0);
});
